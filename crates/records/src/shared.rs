//! Parts that several documents have in common: names, positions, classes.
//!
//! A part belongs to the version of the document that holds it: what changes here changes in a new module there.

use serde::{Deserialize, Serialize};

/// A name in both its forms; see `ptah_model::Name`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameV1 {
    /// As the server or the source has it; empty for a thing without a name.
    pub source: String,
    /// What equality rests on.
    pub normalized: String,
}

/// The identity of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectIdV1 {
    /// The kind's word.
    pub kind: String,
    /// The schema, or null.
    pub schema: Option<NameV1>,
    /// The object that owns it, or null.
    pub owner: Option<NameV1>,
    /// Its own name.
    pub name: NameV1,
}

/// The identity of a member within its object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberIdV1 {
    /// The kind's word.
    pub kind: String,
    /// Its name.
    pub name: NameV1,
}

/// A piece of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PositionV1 {
    /// The source's display name.
    pub source: String,
    /// Where it starts, in bytes; a decimal number as a string.
    pub offset: String,
    /// How long it is, in bytes.
    pub length: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

/// How dangerous something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RiskV1 {
    /// Nothing can be lost or refused.
    Safe,
    /// It can fail or block.
    Warning,
    /// Something is lost.
    Destructive,
}

/// What is lost for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LossV1 {
    /// Whole rows.
    Rows,
    /// Values in rows that stay.
    Values,
    /// A rule that kept wrong data out.
    Protection,
    /// A definition.
    Definition,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SeverityV1 {
    /// Worth knowing.
    Note,
    /// Should be looked at.
    Warning,
    /// Stops the command.
    Error,
}

/// A named rule of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RuleV1 {
    /// Its name.
    pub name: String,
    /// What it says.
    pub sentence: String,
}

/// What can go wrong with a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HazardV1 {
    /// A stable code.
    pub code: String,
    /// One sentence.
    pub text: String,
}

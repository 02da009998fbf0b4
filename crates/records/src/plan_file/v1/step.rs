//! One step of a plan file of version 1, with everything that explains it.

use serde::{Deserialize, Serialize};

use crate::shared::{HazardV1, LossV1, MemberIdV1, NameV1, ObjectIdV1, PositionV1, RiskV1, RuleV1};

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepV1 {
    /// Its number in the plan, from 1.
    pub number: u32,
    /// The provider's name for it, distinct within its phase.
    pub step_id: String,
    /// Whether it renames or does the rest.
    pub phase: PhaseV1,
    /// What it does, for people.
    pub title: String,
    /// The class that counts.
    pub risk: RiskV1,
    /// What is lost, or null.
    pub loss: Option<LossV1>,
    /// What is executed.
    pub unit: UnitV1,
    /// The changes that it serves; at least one.
    pub why: Vec<ServedV1>,
    /// The rule that made it what it is.
    pub rule: RuleV1,
    /// Steps of the same phase that come before it; may be empty.
    pub after: Vec<AfterV1>,
    /// Steps of the same phase whose transaction is committed before it; may be empty.
    pub after_commit: Vec<String>,
    /// Steps with the same name here stay in one transaction; null for none.
    pub atomic_group: Option<String>,
    /// Settings that it needs; may be empty.
    pub needs: Vec<String>,
    /// How it relates to transactions.
    pub transaction: TransactionRuleV1,
    /// The provider's own class.
    pub provider_risk: RiskV1,
    /// What the provider says it loses, or null.
    pub provider_loss: Option<LossV1>,
    /// What can go wrong; may be empty.
    pub hazards: Vec<HazardV1>,
    /// What it locks; may be empty.
    pub locks: Vec<LockV1>,
    /// What has to hold of the rows; may be empty.
    pub checks: Vec<CheckV1>,
}

/// Whether a step renames or does the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseV1 {
    /// It renames.
    Renames,
    /// It does the rest, after all renames.
    Changes,
}

/// What is executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum UnitV1 {
    /// One statement.
    Sql {
        /// The statement.
        text: String,
    },
    /// An operation of the provider's own.
    Native {
        /// The provider's word.
        kind: String,
        /// The version of the payload.
        version: u32,
        /// The payload as lower-case hexadecimal digits.
        payload: String,
        /// The statements that it sends, in order.
        statements: Vec<String>,
        /// The digest over the rest.
        digest: String,
    },
}

/// How a step relates to transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransactionRuleV1 {
    /// Inside or outside.
    Any,
    /// Only inside.
    Inside,
    /// Only outside.
    Outside,
    /// In one of its own.
    Alone,
}

/// "Not before that step".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AfterV1 {
    /// The earlier step's name.
    pub step_id: String,
    /// Why.
    pub rule: String,
}

/// A change that a step serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServedV1 {
    /// The change.
    pub change: ChangeV1,
    /// What in the sources asked for it; null for what is absent there.
    pub asked: Option<PositionV1>,
}

/// One typed difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeV1 {
    /// Its place in the list of its phase, from 0.
    pub change_id: u32,
    /// The object.
    pub object: ObjectIdV1,
    /// The member, or null.
    pub member: Option<MemberIdV1>,
    /// What is to be done.
    pub action: ActionV1,
    /// The host's class.
    pub risk: RiskV1,
    /// What is lost, or null.
    pub loss: Option<LossV1>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ActionV1 {
    /// Make it.
    Create {},
    /// Remove it.
    Drop {},
    /// Change facets.
    Alter {
        /// Which; at least one.
        facets: Vec<FacetChangeV1>,
    },
    /// Give it another name.
    Rename {
        /// The new name.
        to: NameV1,
    },
    /// Bring its members into order.
    Reorder {},
}

/// A facet that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FacetChangeV1 {
    /// Which.
    pub name: String,
    /// What is there, or null.
    pub from: Option<FacetV1>,
    /// What is wanted, or null.
    pub to: Option<FacetV1>,
}

/// One attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FacetV1 {
    /// The server's own spelling.
    pub text: String,
    /// What equality rests on.
    pub canonical: String,
}

/// What a step does to an object while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockV1 {
    /// The object.
    pub object: ObjectIdV1,
    /// The server's word for the lock.
    pub mode: String,
    /// Whether its rows are written again.
    pub rewrites: bool,
    /// Whether its rows are read.
    pub scans: bool,
}

/// A question about rows whose answer has to be 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckV1 {
    /// A stable code.
    pub code: String,
    /// The query that counts.
    pub count: String,
    /// The query that names offending rows, or null.
    pub rows: Option<String>,
    /// What offending rows mean.
    pub sentence: String,
    /// Whether offending rows make the step lose values rather than fail.
    pub lossy: bool,
}

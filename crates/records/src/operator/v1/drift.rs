//! How a database differs from what is wanted, in numbers: no name of an object is in it.

use serde::{Deserialize, Serialize};

use crate::operator::limits::FINDINGS;
use crate::operator::list::List;
use crate::operator::text::{Code, Sha256};
use crate::operator::whole::Whole;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// It costs nothing.
    Safe,
    /// It is worth knowing.
    Info,
    /// It can hurt.
    Warning,
    /// It is wrong.
    Error,
    /// It can lose something.
    Destructive,
}

/// Findings of one category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DriftFinding {
    /// The category, for example `columns_added`.
    pub category: Code,
    /// How many there are.
    pub count: Whole<1, 1_000_000_000>,
    /// The highest that one of them weighs.
    pub severity: FindingSeverity,
}

/// How a database differs from what is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("x-kubernetes-validations" = [{
    "rule": "!has(self.findingsTruncated) || !self.findingsTruncated || size(self.findings) == 64",
    "message": "findings are left out only of a full list",
}])))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DriftReport {
    /// The digest of the whole report.
    pub report_digest: Sha256,
    /// The highest that a finding weighs; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest_severity: Option<FindingSeverity>,
    /// How many findings there are, also those that are not listed.
    pub finding_count: Whole<0, 1_000_000_000>,
    /// Findings by category, the heaviest first, then by category; may be empty.
    pub findings: List<DriftFinding, FINDINGS>,
    /// Whether categories were left out.
    #[serde(default)]
    pub findings_truncated: bool,
}

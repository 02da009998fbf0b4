//! How a database differs from what is wanted, in numbers, and when that was seen.

use ptah_records::operator::latest::DriftReport;
use ptah_records::operator::time::Moment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the database differs from what is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftStatus {
    /// When the reading ended.
    pub observed_at: Moment,
    /// What it found. No name of an object is in it.
    pub report: DriftReport,
}

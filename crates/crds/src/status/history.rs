//! What the last reading of a migration's history said.

use ptah_records::operator::latest::TargetIdentity;
use ptah_records::operator::list::List;
use ptah_records::operator::text::{MigrationKey, Sha256};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The history as the last reading saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryStatus {
    /// When the reading ended.
    pub observed_at: Moment,
    /// Which database was read.
    pub target_identity: TargetIdentity,
    /// The version that the database is at; absent for an empty history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<MigrationKey>,
    /// The checkpoint that the history starts from; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_version: Option<MigrationKey>,
    /// How many migrations of the artifact are applied.
    pub applied_count: Whole<0, 1_000_000>,
    /// How many migrations of the artifact are not.
    pub pending_count: Whole<0, 1_000_000>,
    /// The fingerprint of the history together with the artifact's sequence.
    pub fingerprint: Sha256,
    /// Whether a migration is recorded as begun and not ended.
    pub dirty: bool,
    /// Applied versions whose files are not what was applied, the first 64; may be empty.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub modified_versions: List<MigrationKey, 64>,
    /// Pending versions that come before an applied one, the first 64; may be empty.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub out_of_order_versions: List<MigrationKey, 64>,
}

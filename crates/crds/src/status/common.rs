//! The fields that stand in the status of both families under the same names.

use ptah_records::operator::latest::{
    Claim, ExecutionBinding, Failures, LastRun, OwedRelease, PolicyBinding, ResolvedRun, TargetIdentity,
};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{EngineText, MediaType, OciReference, OperationId, Sha256};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conditions::{Condition, Phase};
use crate::spec::RunClaim;

/// The artifact as it was last resolved and verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceStatus {
    /// The reference as the resource gave it then.
    pub requested_reference: OciReference,
    /// The reference by digest.
    pub resolved_reference: OciReference,
    /// The artifact's digest.
    pub digest: Sha256,
    /// The media type of its manifest.
    pub media_type: MediaType,
    /// The type that the artifact says it has; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<MediaType>,
    /// How large its content is, in bytes.
    pub size: Whole<0, 1_099_511_627_776>,
    /// Whether it was verified under the policy below.
    pub verified: bool,
    /// The policy that it was judged under.
    pub verification_policy: PolicyBinding,
    /// When it was resolved.
    pub resolved_at: Moment,
    /// When it was verified; absent when it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_at: Option<Moment>,
}

/// Why nothing may be planned on the state of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum StateRefusal {
    /// A migration is recorded as begun and not ended.
    HistoryDirty,
    /// The file of an applied migration was changed.
    HistoryModified,
    /// A pending migration comes before an applied one.
    HistoryOutOfOrder,
    /// The database is ahead of the artifact.
    HistoryAhead,
    /// A protected table would lose something.
    ProtectedTable,
}

/// The database as it was last read. The name that the resource gave it is not here, only its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetStatus {
    /// The engine, as the resource names it.
    pub engine: EngineText,
    /// The digest of the realm's name.
    pub coordination_digest: Sha256,
    /// Which database it is; absent before the first reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<TargetIdentity>,
    /// The digest over the running server beneath it, which tells a clone from an alias; absent where the engine does
    /// not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_identity: Option<Sha256>,
    /// When the first reading ended since which every reading has found that same server; absent with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_since: Option<Moment>,
    /// The digest of what the last reading saw; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_fingerprint: Option<Sha256>,
    /// The fingerprint of the inputs that the last reading was decided from; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_fingerprint: Option<Sha256>,
    /// Whether the last reading found nothing to do.
    #[serde(default)]
    pub in_sync: bool,
    /// Why nothing may be planned on what the last reading saw; absent where something may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<StateRefusal>,
    /// The highest number that a run has in the database's own table; absent before the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_sequence: Option<Whole<0, 9_007_199_254_740_991>>,
    /// The run that the database then remembered as begun and not ended; absent for none.
    #[serde(rename = "unfinishedRunID", default, skip_serializing_if = "Option::is_none")]
    pub unfinished_run_id: Option<OperationId>,
    /// Whether runs are spent in the database itself.
    #[serde(default)]
    pub run_claim: RunClaim,
    /// When the last reading was decided, by the manager's clock: it began no earlier. Absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_began_at: Option<Moment>,
    /// When the last reading was taken in, by the manager's clock: it ended no later. Absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_ended_at: Option<Moment>,
    /// When the last reading ended; absent before the first, and when it is to be made again at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_observed_at: Option<Moment>,
}

/// What both families say under the same names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommonStatus {
    /// The generation of the resource that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<Whole<0, 9_007_199_254_740_991>>,
    /// Where the resource stands, in one word. For people: nothing is decided on it.
    #[serde(default)]
    pub phase: Phase,
    /// What holds, one entry for each type; may be empty.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: List<Condition, 18>,
    /// The components that carry operations out, and the version of the contract under which this status is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_binding: Option<ExecutionBinding>,
    /// The artifact as it was last resolved and verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceStatus>,
    /// The database as it was last read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetStatus>,
    /// The operation under way: one decided unit of work, stored before anything outside can see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_operation: Option<Claim>,
    /// The release that is owed before anything else happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_lock_release: Option<OwedRelease>,
    /// The last run, however it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRun>,
    /// How the last run was settled whose account was owed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_run: Option<ResolvedRun>,
    /// When an operation was last decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_attempt_time: Option<Moment>,
    /// When a reading last showed that all is as it should be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_successful_reconciliation: Option<Moment>,
    /// When the resource is looked at next, if nothing happens before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_reconciliation_time: Option<Moment>,
    /// How often in a row a reading failed, and since when it is stuck; absent while readings succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<Failures>,
}

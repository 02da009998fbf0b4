//! The one set of conditions and phases, for both families. Nothing is decided on either: they are for people and tools.

use ptah_records::operator::text::Sentence;
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::Reason;

/// Where a resource stands, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Phase {
    /// Nothing was looked at yet.
    #[default]
    Pending,
    /// A reading of artifact and database is under way.
    Reading,
    /// A plan stands, and it is about to be carried out.
    ReadyToApply,
    /// A plan stands, and a person has to approve it.
    AwaitingApproval,
    /// A plan is being carried out.
    Applying,
    /// A run is over or given up, and something of it may still write.
    Draining,
    /// Nothing writes any more, and a reading has to say what the run did.
    Settling,
    /// The database is as it is wanted.
    InSync,
    /// Something has to change before anything runs; the condition `Ready` says what.
    Blocked,
    /// Settling was tried several times without an answer; somebody has to look.
    Stuck,
    /// Nothing new is begun, because the resource says so.
    Suspended,
    /// An operation failed, and it is tried again.
    Failed,
    /// The resource is being deleted.
    Deleting,
}

/// What a condition is about. The same set in both families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum ConditionType {
    /// Everything is as it should be, or the reason why not.
    Ready,
    /// The engine is one that Ptah can work with.
    EngineSupported,
    /// The artifact's reference was resolved to a digest.
    ArtifactResolved,
    /// The artifact was verified under the policy.
    ArtifactVerified,
    /// The last reading reached the database.
    DatabaseReachable,
    /// The database differs from what is wanted.
    DriftDetected,
    /// A plan stands.
    PlanReady,
    /// The plan needs a person.
    ApprovalRequired,
    /// A plan is being carried out.
    Applying,
    /// Every run's account is settled; false while a reading or a person is owed.
    Settled,
    /// The database is as it is wanted, shown by a reading.
    InSync,
    /// Something has to change before anything runs.
    Blocked,
    /// Nothing new is begun, because the resource says so.
    Suspended,
    /// The last operation failed.
    ReconciliationFailed,
    /// For a plan: all its pieces are stored.
    Stored,
    /// For an approval or acknowledgment: it counts.
    Accepted,
    /// For an approval or acknowledgment: it was spent, on the operation that the status names.
    Consumed,
    /// For an approval or acknowledgment: it can never be spent any more.
    Stale,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// There is no current evidence.
    Unknown,
}

/// One condition. Match on type, status, reason and generation; never on the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: ConditionType,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// Why, as one stable word.
    pub reason: Reason,
    /// Why, as a sentence for people; it holds no value from the database.
    pub message: Sentence,
    /// The generation of the resource that it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<Whole<0, 9_007_199_254_740_991>>,
    /// Since when its status is what it is.
    pub last_transition_time: Moment,
}

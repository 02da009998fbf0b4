//! What one pass decides: one request to the API server, or to wait.

use crate::ids::{Time, Uid, Version};
use crate::object::{Claim, Judged, Lease, Plan, Shown, Stale, Status, Which};

/// The next effect. Each is one request, holds all that the request needs, and names the state it was decided on, so
/// that it does nothing when that state is gone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Put our finalizer on the resource.
    AddFinalizer,
    /// Take it off: nothing of ours is left that needs the resource.
    RemoveFinalizer,
    /// Write this status in place of the one that was read.
    WriteStatus(Box<Status>, Why),
    /// Write this Lease in place of the one that was read; where there was none, create it.
    WriteLease(Which, Box<Lease>, Option<Version>, Why),
    /// Store what the Job will mount.
    Stage,
    /// Store this plan. Its UID comes with the reply.
    CreatePlan(Box<Plan>),
    /// Write into the approval who spent it.
    Consume(Uid, Version),
    /// Say on the approval why it authorises nothing.
    MarkStale(Uid, Version, Stale),
    /// Say on the acknowledgment what became of it.
    Answer(Uid, Version, Judged),
    /// Create the Job of this claim, once, without the client's retries.
    CreateJob(Box<Claim>),
    /// Take the finalizer off a Pod whose evidence is stored.
    ReleasePod(Uid),
    /// Let the Job be removed by itself.
    ExpireJob(Uid),
    /// Do nothing before this time, unless something moves.
    Wait(Time, Shown),
    /// Touch nothing: stored state is newer than this manager, or it does not lead.
    Refuse(Refusal),
}

/// Why a manager touches nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// A manager with a newer contract wrote here.
    NewerState,
    /// It does not lead.
    NotLeading,
}

/// Why something is written. Named after the step, so that the coverage of an exploration can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// A new operation is claimed.
    ClaimRefresh,
    /// A new operation is claimed.
    ClaimApply,
    /// A new operation is claimed.
    ClaimSettle,
    /// A Lease is acquired for a claim.
    Acquire,
    /// A Lease is renewed for a claim. Never acquires.
    Renew,
    /// The tenures are noted in the claim.
    NoteEpochs,
    /// The built Job is noted in the claim.
    NoteJobDigest,
    /// The hold is put on the database's Lease.
    PutHold,
    /// The hold of a record is put back: the Lease was lost. Or that of a run which only the database remembers.
    RestoreHold,
    /// The database was put back to an earlier state: what was noted as settled there may not be.
    ForgetSettled,
    /// From now on a Job may exist.
    Mark,
    /// The Job's UID is noted.
    NoteJob,
    /// The Pods that were seen are noted.
    NoteEvidence,
    /// A tenure was broken.
    NoteBroken,
    /// A claim is dropped before anything could run.
    Discard,
    /// A claim is dropped because its one create was definitely refused.
    NeverCreated,
    /// A run is over for the claim; what it did is recorded, to be settled.
    RecordRun,
    /// A run is taken over from its hold.
    Inherit,
    /// A reading settled the run.
    SettleByReading,
    /// A person settled the run.
    SettleByAcknowledgment,
    /// Another claimant settled the run.
    SettledByAnother,
    /// A settling attempt did not settle.
    SettleFailed,
    /// A hold is dropped and the database's Lease given back.
    DropHold,
    /// The database's Lease is given back.
    ReleaseDatabase,
    /// The realm's Lease is given back.
    ReleaseRealm,
    /// Nothing is owed any more.
    ClearOwed,
    /// A reading is taken in.
    TakeReading,
    /// A reading failed.
    ReadFailed,
    /// The plan is not what it was decided on any more.
    DropPlan,
    /// The execution components moved.
    Rotate,
    /// A database is proven to be another than the one that it says it is, or is not any more: its Lease gets another name.
    StandApart,
    /// Who was let in.
    Permit,
    /// Only what people are shown.
    Show,
}

//! What named people decide: approvals of one plan, and acknowledgments of one run.

use ptah_model::Digest;

use crate::ids::{Operation, Time, Uid, Version};

/// One person's consent to one exact plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Approval {
    /// Its UID: a re-created approval is another decision.
    pub uid: Uid,
    /// What a swap names.
    pub version: Version,
    /// The resource that it names.
    pub resource: Uid,
    /// The plan that it names.
    pub plan: Uid,
    /// The fingerprint that it names.
    pub fingerprint: Digest,
    /// When it was made, by the API server's clock.
    pub created: Time,
    /// Whether its deletion was asked for.
    pub deleting: bool,
    /// Whether admission stamped a person into it, while the policies were proven to act.
    pub attested: bool,
    /// Whether that person wrote the spec, where two people are asked for.
    pub own_change: bool,
    /// The operation that spent it.
    pub consumed: Option<Operation>,
    /// Why it authorises nothing any more.
    pub stale: Option<Stale>,
}

/// Why an approval or an acknowledgment counts for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stale {
    /// The plan that it names was never current here.
    NoSuchPlan,
    /// Another plan has taken its place.
    PlanReplaced,
    /// The plan waits for nobody: its policy lets it run by itself, or never.
    NotAwaiting,
    /// An older approval of the same plan is valid.
    Superseded,
    /// Who made it is not proven.
    UnattestedIdentity,
    /// Who made it also wrote the change, or approved the run that is acknowledged.
    SelfApproval,
    /// No run of that ID waits here.
    RunNotUnresolved,
    /// Its claimant is not admitted to the realm.
    NotAdmitted,
}

/// What a person found in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finding {
    /// All of it is there.
    Applied,
    /// Nothing of it is there.
    NotApplied,
    /// It was brought into order by hand.
    Repaired,
}

/// One person's statement about one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Acknowledgment {
    /// Its UID.
    pub uid: Uid,
    /// What a swap names.
    pub version: Version,
    /// The claimant that it names.
    pub claimant: Uid,
    /// The run that it names.
    pub operation: Operation,
    /// What was found.
    pub finding: Finding,
    /// When it was made, by the API server's clock.
    pub created: Time,
    /// Whether admission stamped a person into it, while the policies were proven to act.
    pub attested: bool,
    /// Whether that person approved the run or wrote its change, where two people are asked for.
    pub own_run: bool,
    /// What became of it.
    pub judged: Option<Judged>,
}

/// What became of an acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judged {
    /// It settled the run.
    Consumed,
    /// It settled nothing.
    Stale(Stale),
}

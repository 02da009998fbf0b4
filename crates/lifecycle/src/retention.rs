//! Retention: which stored plans may be deleted, and what keeps the others.
//!
//! ```text
//! named ──► nothing names it ──► note since when ── 90 days ──► delete
//!   ▲                                 │
//!   └──────── named again: forget ◄───┘
//! ```
//!
//! The answer is a value for every plan, so that a dry run is the same list, printed. Nothing is deleted here.

use crate::bounds::PLAN_KEPT;
use crate::ids::{Operation, Time, Uid};
use crate::object::{Approval, Lease, PlanRef, Status};

/// A stored plan, as far as retention asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoredPlan {
    /// The plan.
    pub plan: PlanRef,
    /// Since when nothing names it, as an earlier pass noted beside it.
    pub unnamed_since: Option<Time>,
}

/// Everything that can name a plan, read uncached and whole: what is missing here keeps nothing.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The statuses of all resources of both families.
    pub statuses: &'a [Status],
    /// All Leases of databases.
    pub leases: &'a [Lease],
    /// All approvals.
    pub approvals: &'a [Approval],
}

/// What keeps a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pin {
    /// It is the current plan of a resource.
    Current,
    /// An operation under way runs it, or reads what it did.
    Claim(Operation),
    /// A run of it is not settled.
    Record(Operation),
    /// A hold stands for a run of it.
    Hold(Operation),
    /// A person has approved it, and nothing has spent that yet.
    Approval(Uid),
    /// It is what was last applied.
    Applied,
}

/// What is to be done about one plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// It stays, and for what.
    Pinned(Vec<Pin>),
    /// It was noted as unnamed and is named again: forget the note.
    NamedAgain(Vec<Pin>),
    /// Nothing names it: note that, from now on.
    Note,
    /// Nothing names it, and it may be deleted from then on.
    Until(Time),
    /// Delete it, by its UID.
    Delete,
}

/// Judges every plan at `now`, in the order given.
pub fn judge(plans: &[StoredPlan], named: Named<'_>, now: Time) -> Vec<(PlanRef, Keep)> {
    plans.iter().map(|stored| (stored.plan, verdict(*stored, named, now))).collect()
}

fn verdict(stored: StoredPlan, named: Named<'_>, now: Time) -> Keep {
    let pins = pins(stored.plan, named);
    match (pins.is_empty(), stored.unnamed_since.map(|since| since.plus(PLAN_KEPT))) {
        (false, None) => Keep::Pinned(pins),
        (false, Some(_)) => Keep::NamedAgain(pins),
        (true, None) => Keep::Note,
        (true, Some(until)) if until.reached(now) => Keep::Delete,
        (true, Some(until)) => Keep::Until(until),
    }
}

/// Everything that names this plan. A UID names it, whatever fingerprint stands beside it.
pub fn pins(plan: PlanRef, named: Named<'_>) -> Vec<Pin> {
    let is = |other: Option<PlanRef>| other.is_some_and(|other| other.uid == plan.uid);
    let statuses = named.statuses.iter().flat_map(|status| {
        let claim = status.claim.as_ref().filter(|claim| is(claim.plan)).map(|claim| Pin::Claim(claim.operation));
        let record = status.record.as_ref().filter(|record| is(Some(record.plan)));
        [
            is(status.plan).then_some(Pin::Current),
            claim,
            record.map(|record| Pin::Record(record.operation)),
            is(status.applied).then_some(Pin::Applied),
        ]
    });
    let holds = named
        .leases
        .iter()
        .map(|lease| lease.hold.filter(|hold| hold.plan == plan.uid).map(|hold| Pin::Hold(hold.operation)));
    let approvals = named.approvals.iter().map(|approval| {
        let unspent = approval.consumed.is_none() && approval.stale.is_none() && !approval.deleting;
        (unspent && approval.plan == plan.uid).then_some(Pin::Approval(approval.uid))
    });
    statuses.chain(holds).chain(approvals).flatten().collect()
}

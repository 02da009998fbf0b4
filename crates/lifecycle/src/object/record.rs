//! What is kept of a run that is over: the record that a reading or a person has to settle, and what settled it.

use ptah_model::Digest;

use crate::ids::{Epoch, Operation, Time, Uid};
use crate::object::{Access, Basis, Family, Finding, Identity, Outcome, PlanRef, RunEvidence};

/// A run whose outcome is not settled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The run.
    pub operation: Operation,
    /// By whose rule it settles.
    pub family: Family,
    /// What is known.
    pub outcome: Outcome,
    /// What its runner said, where that is not believed.
    pub reported: Option<Outcome>,
    /// What it ran.
    pub plan: PlanRef,
    /// What its reading is compared with; absent where its plan is gone. A migration's run then settles by a person alone.
    pub basis: Option<Basis>,
    /// How its reading reaches the database; absent for a run that was taken over: then as this resource does.
    pub access: Option<Access>,
    /// The tenure of C that it ran under; not known of a run that was taken over.
    pub realm_epoch: Option<Epoch>,
    /// The tenure of D that it ran under; not known of a run that was taken over.
    pub database_epoch: Option<Epoch>,
    /// Which database, and who says so. Never absent.
    pub identity: Identity,
    /// Its Job, where one provably existed.
    pub job: Option<Uid>,
    /// Its Pods.
    pub evidence: RunEvidence,
    /// The components that it was dispatched with; not known of a run that was taken over.
    pub dispatched_by: Option<Digest>,
    /// When it was to end.
    pub execution_not_after: Time,
    /// No settling before: until then something of it may still write.
    pub not_before: Time,
    /// When it was recorded.
    pub since: Time,
    /// Settling attempts that did not settle it, and when the last one was.
    pub attempts: Option<Failures>,
    /// What the last of them met; absent before the first.
    pub last_answer: Option<LastAnswer>,
    /// Whether it was taken over from another claimant, or from a status that was lost.
    pub inherited: bool,
}

/// Why an attempt at settling did not settle. Which process holds a busy lock, and for how long, is in the result itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LastAnswer {
    /// Another session holds the database's lock.
    LockBusy,
    /// It was read, and that does not settle this run.
    NotSettled,
    /// It was read under a tenure that was broken, or by a process that was not let in.
    NotBelieved,
    /// There was no result.
    NoResult,
}

/// How often in a row something failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failures {
    /// At least 1.
    pub count: u32,
    /// When the first was.
    pub since: Time,
    /// When the last was.
    pub last: Time,
}

/// A run that was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resolved {
    /// The run.
    pub operation: Operation,
    /// How.
    pub by: Resolution,
}

/// What settled a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// A reading under the database's lock.
    Reading,
    /// This acknowledgment, with what it found.
    Acknowledgment(Uid, Finding),
    /// Another claimant, as the database's Lease says.
    Another,
    /// Its create was definitely refused, so nothing ran.
    NeverCreated,
}

impl Failures {
    /// One failure more, at `now`.
    #[must_use]
    pub fn one_more(before: Option<Self>, now: Time) -> Self {
        match before {
            Some(before) => Self { count: before.count.saturating_add(1), last: now, ..before },
            None => Self { count: 1, since: now, last: now },
        }
    }
}

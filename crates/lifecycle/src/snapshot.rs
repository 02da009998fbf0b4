//! Everything that one decision rests on, read in one pass.

use ptah_model::Digest;

use crate::ids::{Epoch, Operation, Time, Uid};
use crate::object::{
    Acknowledgment, Approval, Claim, Claimant, Frame, Holder, JobReading, LeaseReading, Plan, Pod, RealmReading,
    Resource,
};

/// What is known about one resource. Nothing else enters a decision.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// The time of this pass, by the manager's clock.
    pub now: Time,
    /// IDs that nothing has used, for the case that something is begun.
    pub fresh: Fresh,
    /// The manager that decides.
    pub manager: Manager,
    /// The resource.
    pub resource: Resource,
    /// What its realm says.
    pub realm: RealmReading,
    /// The admitted claimants of its realm, itself included.
    pub claimants: Vec<Claimant>,
    /// Its realm's Lease.
    pub realm_lease: LeaseReading,
    /// Its database's Lease; nothing while the database is not known.
    pub database_lease: Option<LeaseReading>,
    /// The Lease under the plain name of its database, where its own one is named apart: see [`crate::instance`].
    pub plain_lease: Option<LeaseReading>,
    /// The plan that the status, the claim, the record or the reading at hand names.
    pub plan: Option<Plan>,
    /// The plan that a hold names of which there is no record here.
    pub held_plan: Option<Plan>,
    /// Approvals that name the resource and are neither spent nor stale, and the one that the claim names.
    pub approvals: Vec<Approval>,
    /// Acknowledgments that name the resource and are not judged.
    pub acknowledgments: Vec<Acknowledgment>,
    /// The Job of the claim, or of the record.
    pub job: JobReading,
    /// Its Pods, by UID; read after the Job.
    pub pods: Vec<Pod>,
    /// Its result; read after the Pods, so that a stopped Pod's delivered result is seen.
    pub frame: Option<Frame>,
    /// Whether what the Job mounts is there.
    pub staged: bool,
    /// The digest of the Job that this manager would build for the claim.
    pub built: Digest,
    /// What this process knows from its own last request.
    pub memory: Memory,
    /// The admitted claimants under the coordination digest that the database is bound to, where that is not this resource's
    /// own; from an uncached list.
    pub incumbents: Vec<Claimant>,
    /// The admitted claimants of any realm that have last read this database, where it is bound to nobody; from an uncached
    /// list.
    pub newcomers: Vec<Claimant>,
    /// Whether the admission policies were read uncached and are as this manager wants them.
    pub attested: bool,
}

/// IDs that nothing has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fresh {
    /// For a claim.
    pub operation: Operation,
    /// For a tenure or a binding.
    pub epoch: Epoch,
}

/// The manager that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Manager {
    /// The components that it runs work with.
    pub components: Digest,
    /// The highest contract version that it understands; also the one it writes.
    pub state_version: u32,
    /// Whether it leads, by its own reading of the election.
    pub leads: bool,
}

/// What a process knows from its own requests and loses when it dies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    /// The operation that this process marked, whose Job it has not tried to create.
    pub may_create: Option<Operation>,
    /// The operation whose one create was definitely refused.
    pub create_refused: Option<Operation>,
}

impl Snapshot {
    /// The resource's UID.
    pub fn uid(&self) -> Uid {
        self.resource.uid
    }

    /// The holder that an operation of this resource is.
    pub fn holder(&self, claim: &Claim) -> Holder {
        Holder { resource: self.uid(), operation: claim.operation }
    }
}

/// What decisions are written with.
impl Snapshot {
    /// The status to be changed and written, with the contract version that writes it.
    pub(crate) fn next_status(&self) -> crate::Status {
        let mut status = self.resource.status.clone();
        status.state_version = status.state_version.max(self.manager.state_version);
        status
    }

    /// The decision to write this status.
    #[expect(clippy::unused_self, reason = "reads as what the pass does with what it read")]
    pub(crate) fn write(&self, status: crate::Status, why: crate::Why) -> crate::Decision {
        crate::Decision::WriteStatus(Box::new(status), why)
    }

    /// Waits for `seconds`, and shows why; written only where something else is shown now.
    pub(crate) fn wait(&self, seconds: i64, shown: crate::Shown) -> crate::Decision {
        self.wait_until(self.now.plus(seconds), shown)
    }

    /// Waits until then, and shows why; written only where something else is shown now.
    pub(crate) fn wait_until(&self, until: Time, shown: crate::Shown) -> crate::Decision {
        if self.resource.status.shown == shown {
            return crate::Decision::Wait(until, shown);
        }
        let mut status = self.next_status();
        status.shown = shown;
        self.write(status, crate::Why::Show)
    }
}

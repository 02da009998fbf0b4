//! The two Leases of a database, and what the database's own one carries.

use ptah_model::Digest;

use crate::bounds::{LEASE_MAX, SETTLED_KEPT};
use crate::ids::{Epoch, Operation, Time, Uid, Version};
use crate::object::Family;

/// Which of the two Leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Which {
    /// **C**: serialises the claimants of one realm. Named after the coordination digest.
    Realm,
    /// **D**: the database itself. Named after what the server says it is. Taken after C.
    Database,
}

/// Who holds a Lease: one operation of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    /// The resource.
    pub resource: Uid,
    /// Its operation.
    pub operation: Operation,
}

/// A Lease as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// What a swap names.
    pub version: Version,
    /// Nobody after a release.
    pub holder: Option<Holder>,
    /// The tenure of the holder, or of the last one.
    pub epoch: Epoch,
    /// When the holder last wrote it; at a release, when it was released.
    pub renewed: Time,
    /// How long it lasts without renewal, in seconds.
    pub duration: i64,
    /// On D only: the run whose outcome is not settled. While it stands no other change is let in.
    pub hold: Option<Hold>,
    /// On D only: the last operations whose hold was dropped, oldest first, at most [`SETTLED_KEPT`].
    pub settled: Vec<Operation>,
    /// On D only: the coordination digest that reaches this database.
    pub bound_to: Option<Digest>,
    /// The highest contract version of what it carries besides its hold; 0 where it carries nothing. An older manager
    /// touches nothing.
    pub state_version: u32,
}

/// What stands on D from before a change may run until its outcome is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hold {
    /// The run.
    pub operation: Operation,
    /// By whose rule it settles.
    pub family: Family,
    /// The resource that ran it.
    pub resource: Uid,
    /// Its plan.
    pub plan: Uid,
    /// Its plan's fingerprint.
    pub fingerprint: Digest,
    /// The artifact's whole sequence; only of a migration whose plan was known.
    pub sequence: Option<Digest>,
    /// When the run ends at the latest.
    pub execution_not_after: Time,
    /// Which contract wrote this: an older manager touches nothing.
    pub state_version: u32,
}

/// One reading of a Lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseReading {
    /// What is stored; nothing before the first claim.
    pub lease: Option<Lease>,
    /// Since when this process, by its own clock, has seen exactly this: expiry is judged by nothing else.
    pub unchanged_since: Time,
}

/// How a Lease stands towards one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Held by this operation, under this epoch.
    Ours(Epoch),
    /// Held by nobody, or by one whose time is over as this process has seen it: may be acquired.
    Free,
    /// Held by another. Also one that says it is for a time that nobody may ask for: it is never taken over.
    Foreign,
}

impl LeaseReading {
    /// How the Lease stands towards `operation` of `resource` at `now`.
    pub fn standing(&self, holder: Holder, now: Time) -> Standing {
        let Some(lease) = &self.lease else { return Standing::Free };
        match lease.holder {
            None => Standing::Free,
            Some(found) if found == holder => Standing::Ours(lease.epoch),
            Some(_) if self.is_held(now) => Standing::Foreign,
            Some(_) => Standing::Free,
        }
    }

    /// Whether somebody holds it whose time is not over as this process has seen it.
    pub fn is_held(&self, now: Time) -> bool {
        self.lease.as_ref().is_some_and(|lease| {
            let over = self.unchanged_since.plus(lease.duration).reached(now);
            lease.holder.is_some() && (lease.is_malformed() || !over)
        })
    }

    /// The hold that stands, if any.
    pub fn hold(&self) -> Option<&Hold> {
        self.lease.as_ref().and_then(|lease| lease.hold.as_ref())
    }

    /// Whether this operation's hold was dropped here.
    pub fn has_settled(&self, operation: Operation) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.settled.contains(&operation))
    }

    /// The tenure of the holder, or the last one: another one means that somebody held it in between.
    pub fn tenure(&self) -> Option<Epoch> {
        self.lease.as_ref().map(|lease| lease.epoch)
    }
}

impl Lease {
    /// Whether it lasts for a time that nobody may ask for.
    fn is_malformed(&self) -> bool {
        self.duration < 1 || self.duration > LEASE_MAX
    }

    /// Notes that this operation's hold was dropped. Noting it twice changes nothing.
    pub fn note_settled(&mut self, operation: Operation) {
        if self.settled.contains(&operation) {
            return;
        }
        self.settled.push(operation);
        let surplus = self.settled.len().saturating_sub(SETTLED_KEPT);
        self.settled.drain(..surplus);
    }
}

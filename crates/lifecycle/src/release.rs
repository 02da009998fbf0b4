//! Giving back what a claim held: D first, with the hold if it is to be dropped, then C, then the note that it is owed.
//!
//! Each write is a no-op when it was done before, so a crash between any two only repeats it.

use crate::decision::{Decision, Why};
use crate::object::{Holder, Lease, LeaseReading, Owed, Which};
use crate::snapshot::Snapshot;

/// The next part of an owed release.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    let owed = s.resource.status.owed?;
    Some(database(s, owed).or_else(|| realm(s, owed)).unwrap_or_else(|| clear(s)))
}

/// One swap: drop the hold, note the run as settled, empty the holder.
fn database(s: &Snapshot, owed: Owed) -> Option<Decision> {
    owed.database?;
    let reading = s.database_lease.as_ref()?;
    // That a run is settled is worth a new Lease where the old one was lost: its row in the database may say otherwise.
    let lost = owed.drop_hold.map(|_| crate::hold::empty_lease(s));
    let mut lease = reading.lease.clone().or(lost)?;
    let mut why = None;
    let stood = |run| reading.lease.is_none() || reading.hold().is_some_and(|hold| hold.operation == run);
    if let Some(run) = owed.drop_hold
        && !reading.has_settled(run)
        && stood(run)
    {
        lease.hold = lease.hold.filter(|hold| hold.operation != run);
        lease.note_settled(run);
        lease.state_version = lease.state_version.max(s.manager.state_version);
        why = Some(Why::DropHold);
    }
    if holds(s, &lease, owed, owed.database_epoch) {
        empty(&mut lease, s);
        why = why.or(Some(Why::ReleaseDatabase));
    }
    Some(write(Which::Database, lease, reading, why?))
}

fn realm(s: &Snapshot, owed: Owed) -> Option<Decision> {
    let reading = &s.realm_lease;
    let mut lease = reading.lease.clone()?;
    if !holds(s, &lease, owed, owed.realm_epoch) {
        return None;
    }
    empty(&mut lease, s);
    Some(write(Which::Realm, lease, reading, Why::ReleaseRealm))
}

/// Whether it is still this tenure. An epoch that was never noted is that of the operation's only tenure.
fn holds(s: &Snapshot, lease: &Lease, owed: Owed, epoch: Option<crate::Epoch>) -> bool {
    lease.holder == Some(Holder { resource: s.uid(), operation: owed.operation })
        && epoch.is_none_or(|epoch| epoch == lease.epoch)
}

fn empty(lease: &mut Lease, s: &Snapshot) {
    lease.holder = None;
    lease.renewed = lease.renewed.max(s.now);
}

fn write(which: Which, lease: Lease, reading: &LeaseReading, why: Why) -> Decision {
    let expected = reading.lease.as_ref().map(|lease| lease.version);
    Decision::WriteLease(which, Box::new(lease), expected, why)
}

fn clear(s: &Snapshot) -> Decision {
    let mut status = s.next_status();
    status.owed = None;
    s.write(status, Why::ClearOwed)
}

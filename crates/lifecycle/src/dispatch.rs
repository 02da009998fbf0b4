//! From the claim to the mark, for an Apply and for a Settle: what it rests on is read again in every pass, and
//! everything that a Job depends on is durable before the mark.
//!
//! ```text
//! authorise · C · D · epochs · [stage] · Job digest · [hold] · [consume] · mark        [..] an Apply only
//! ```
//!
//! Authorise comes first so that a dead claim takes no realm; consume precedes the mark because nothing that can fail
//! may stand between the mark and the create. A crash anywhere here leaves a claim that goes on, or that is retired by
//! one write into an owed release that drops the hold.

use crate::bounds;
use crate::claim;
use crate::decision::{Decision, Why};
use crate::hold;
use crate::ids::{Operation, Time};
use crate::inputs::apply_inputs;
use crate::object::{Claim, Kind, Lease, LeaseReading, Shown, Standing, Which};
use crate::snapshot::Snapshot;
use crate::{approval, binding, plan, realm};

/// The next step towards the mark, or the end of the claim.
pub(crate) fn follow(s: &Snapshot, claim: &Claim) -> Decision {
    if !authorised(s, claim) {
        return discard(s, claim);
    }
    acquire_apply_lock(s, claim)
        .or_else(|| epochs(s, claim))
        .or_else(|| stage(s, claim))
        .or_else(|| job_digest(s, claim))
        .or_else(|| put_hold(s, claim))
        .or_else(|| approval::consume(s, claim))
        .unwrap_or_else(|| claim::change(s, Why::Mark, |claim| claim.marked = true))
}

/// Whether what the claim was decided from still stands, by this pass's own readings.
pub fn authorised(s: &Snapshot, claim: &Claim) -> bool {
    let in_time = !claim.dispatch_not_after.reached(s.now) && !s.resource.deleting;
    in_time
        && match claim.kind {
            Kind::Apply => apply_authorised(s, claim),
            Kind::Settle => settle_authorised(s, claim),
            Kind::Refresh => true,
        }
}

fn apply_authorised(s: &Snapshot, claim: &Claim) -> bool {
    let Some(plan) = claim.plan else { return false };
    !s.resource.spec.suspended
        && s.resource.status.record.is_none()
        && binding::is_current(s)
        && apply_inputs(&s.resource, plan) == Some(claim.inputs)
        && plan::is_current(s)
        && s.resource.status.plan == Some(plan)
        && approval::still_authorises(s, claim)
        && realm::take_realm_census(s).is_ok()
        && no_other_run_is_open(s, claim.operation)
}

fn settle_authorised(s: &Snapshot, claim: &Claim) -> bool {
    let Some(record) = &s.resource.status.record else { return false };
    claim.plan == Some(record.plan) && no_other_run_is_open(s, record.operation)
}

/// No hold of another run. Whether another name reaches this database is the census's question, and the census's alone:
/// what is owed is settled under any name.
fn no_other_run_is_open(s: &Snapshot, run: Operation) -> bool {
    let open = |lease: &Option<LeaseReading>| lease.as_ref().and_then(LeaseReading::hold).map(|hold| hold.operation);
    open(&s.database_lease).is_none_or(|held| held == run) && open(&s.plain_lease).is_none_or(|held| held == run)
}

/// Ends a claim before its mark: what it may hold is owed, and a hold of its own is dropped with it.
fn discard(s: &Snapshot, claim: &Claim) -> Decision {
    let mut status = s.next_status();
    let own_hold = (claim.kind == Kind::Apply).then_some(claim.operation);
    claim::retire(&mut status, own_hold);
    s.write(status, Why::Discard)
}

/// Acquires or renews C, then D; nothing when both are held. Also the migration's: see
/// [`acquire_migration_apply_lock`].
pub fn acquire_apply_lock(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    acquire(s, claim, Which::Realm, &s.realm_lease)
        .or_else(|| acquire(s, claim, Which::Database, s.database_lease.as_ref()?))
}

/// A migration's name for [`acquire_apply_lock`]: one engine serves both families.
pub fn acquire_migration_apply_lock(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    acquire_apply_lock(s, claim)
}

fn acquire(s: &Snapshot, claim: &Claim, which: Which, reading: &LeaseReading) -> Option<Decision> {
    match reading.standing(s.holder(claim), s.now) {
        Standing::Ours(_) => renew(s, claim, which, reading),
        Standing::Free => Some(take(s, claim, which, reading)),
        Standing::Foreign => Some(s.wait(bounds::POLL, Shown::Applying)),
    }
}

/// A new tenure. What D carries stays; a tenure binds D to the realm that reaches it, unless another name is in use there.
fn take(s: &Snapshot, claim: &Claim, which: Which, reading: &LeaseReading) -> Decision {
    let found = reading.lease.clone();
    let expected = found.as_ref().map(|lease| lease.version);
    let mut lease = found.unwrap_or_else(|| Lease {
        version: crate::Version(0),
        holder: None,
        epoch: s.fresh.epoch,
        renewed: Time(i64::MIN),
        duration: claim.lease_duration,
        hold: None,
        settled: Vec::new(),
        bound_to: None,
        state_version: 0,
    });
    lease.holder = Some(s.holder(claim));
    lease.epoch = s.fresh.epoch;
    lease.renewed = lease.renewed.max(s.now);
    lease.duration = claim.lease_duration;
    if which == Which::Database && !hold::aliased(s, reading) {
        lease.bound_to = Some(s.resource.spec.coordination);
        lease.state_version = lease.state_version.max(s.manager.state_version);
    }
    Decision::WriteLease(which, Box::new(lease), expected, Why::Acquire)
}

/// Renews what is held when it is due. Never acquires.
pub(crate) fn renew(s: &Snapshot, claim: &Claim, which: Which, reading: &LeaseReading) -> Option<Decision> {
    let lease = reading.lease.as_ref()?;
    renew_after(s, claim, which, reading, lease.duration / bounds::RENEW_AFTER_PART)
}

/// Renews what is held when it was last renewed so many seconds ago.
pub(crate) fn renew_after(
    s: &Snapshot,
    claim: &Claim,
    which: Which,
    reading: &LeaseReading,
    seconds: i64,
) -> Option<Decision> {
    let mut lease = reading.lease.clone()?;
    let due = lease.renewed.plus(seconds).reached(s.now);
    if lease.holder != Some(s.holder(claim)) || !due {
        return None;
    }
    lease.renewed = lease.renewed.max(s.now);
    let expected = Some(lease.version);
    Some(Decision::WriteLease(which, Box::new(lease), expected, Why::Renew))
}

/// The tenures go into the claim; before the mark another tenure of this operation is as good as the first.
fn epochs(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    let realm = s.realm_lease.lease.as_ref().map(|lease| lease.epoch);
    let database = s.database_lease.as_ref().and_then(|reading| reading.lease.as_ref()).map(|lease| lease.epoch);
    if claim.realm_epoch == realm && claim.database_epoch == database {
        return None;
    }
    Some(claim::change(s, Why::NoteEpochs, |claim| {
        claim.realm_epoch = realm;
        claim.database_epoch = database;
    }))
}

fn stage(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    (claim.kind == Kind::Apply && !s.staged).then_some(Decision::Stage)
}

fn job_digest(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    if claim.job_digest == Some(s.built) {
        return None;
    }
    Some(claim::change(s, Why::NoteJobDigest, |claim| claim.job_digest = Some(s.built)))
}

fn put_hold(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    let reading = s.database_lease.as_ref()?;
    if claim.kind != Kind::Apply || reading.hold().is_some() {
        return None;
    }
    Some(hold::put(s, reading, hold::of_claim(s, claim)?, Why::PutHold))
}

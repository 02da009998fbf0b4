//! The hold: what stands on the database's Lease from before a change may run until its outcome is settled.
//!
//! It outlives the resource, and every claimant of the database meets it.

use ptah_model::Digest;

use crate::bounds;
use crate::decision::{Decision, Why};
use crate::object::{
    Basis, Claim, Claimant, Family, Hold, Identity, IdentitySource, LeaseReading, Outcome, Plan, PlanRef, Record,
    RunEvidence, Shown, Which,
};
use crate::snapshot::Snapshot;

/// What a hold without a record asks for: to be taken over, or to be waited for.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    if s.resource.status.record.is_some() {
        return None;
    }
    let identity = s.resource.status.observed?.identity;
    // A clone is not what its original's run is settled on, and it may be one by mistake: it waits, or a person settles.
    if let Some(hold) = s.plain_lease.as_ref().and_then(LeaseReading::hold) {
        let settles = !s.resource.deleting && crate::realm::is_admitted(s) && is_named(s, hold);
        let plain = Identity { apart: None, ..identity };
        return if settles { Some(inherit(s, hold, plain)) } else { unresolved(s) };
    }
    let hold = *s.database_lease.as_ref()?.hold()?;
    if may_inherit(s, &hold) {
        return Some(inherit(s, &hold, identity));
    }
    unresolved(s)
}

fn unresolved(s: &Snapshot) -> Option<Decision> {
    (!s.resource.deleting).then(|| s.wait(bounds::REFUSAL_LOOK, Shown::RealmUnresolved))
}

/// Its own hold always; another's when that one cannot or does not settle it, or a person has named the run here.
fn may_inherit(s: &Snapshot, hold: &Hold) -> bool {
    if hold.resource == s.uid() {
        return true;
    }
    let owner: Option<&Claimant> = s.claimants.iter().find(|claimant| claimant.uid == hold.resource);
    let left = owner.is_none_or(|owner| owner.deleting || owner.attempts >= bounds::SETTLE_ATTEMPTS);
    let patience = hold.execution_not_after.plus(bounds::horizon() + bounds::SETTLE_PATIENCE).reached(s.now);
    let admitted = crate::realm::is_admitted(s) && !s.database_lease.as_ref().is_some_and(|d| aliased(s, d));
    !s.resource.deleting && admitted && (left || patience || is_named(s, hold))
}

/// Whether a person has named the run here.
fn is_named(s: &Snapshot, hold: &Hold) -> bool {
    s.acknowledgments.iter().any(|ack| crate::acknowledgment::speaks_of(ack, hold.operation))
}

/// The record of a run that is known from its hold alone. Its Pods are not known, so its horizon is waited for.
///
/// What a reading is compared with comes from the plan where there is one and the run is of this resource's own family: the
/// other's cannot be written down here. Without it a schema's run settles by what is read, a migration's by a person.
fn inherit(s: &Snapshot, hold: &Hold, identity: Identity) -> Decision {
    let plan = PlanRef { uid: hold.plan, fingerprint: hold.fingerprint };
    let own_family = hold.family == s.resource.family;
    let found = s.held_plan.filter(|found| own_family && found.reference() == plan && found.family == hold.family);
    let mut status = s.next_status();
    status.plan = None;
    status.record = Some(Record {
        operation: hold.operation,
        family: hold.family,
        outcome: Outcome::Unknown,
        reported: None,
        plan,
        basis: found.map(|found| found.basis()),
        access: None,
        realm_epoch: None,
        database_epoch: None,
        identity: Identity { source: IdentitySource::Planned, ..identity },
        job: None,
        evidence: RunEvidence::default(),
        dispatched_by: None,
        execution_not_after: hold.execution_not_after,
        not_before: hold.execution_not_after.plus(bounds::horizon()),
        since: s.now,
        attempts: None,
        last_answer: None,
        inherited: true,
    });
    status.shown = Shown::Settling;
    s.write(status, Why::Inherit)
}

/// The hold of an Apply.
pub(crate) fn of_claim(s: &Snapshot, claim: &Claim) -> Option<Hold> {
    let plan = claim.plan?;
    Some(Hold {
        operation: claim.operation,
        family: s.resource.family,
        resource: s.uid(),
        plan: plan.uid,
        fingerprint: plan.fingerprint,
        sequence: sequence(s.resource.family, s.plan.as_ref().map(Plan::basis)),
        execution_not_after: claim.execution_not_after,
        state_version: s.manager.state_version,
    })
}

/// The hold of a record, for a Lease that was lost.
pub(crate) fn of_record(s: &Snapshot, record: &Record) -> Hold {
    Hold {
        operation: record.operation,
        family: record.family,
        resource: s.uid(),
        plan: record.plan.uid,
        fingerprint: record.plan.fingerprint,
        sequence: sequence(record.family, record.basis),
        execution_not_after: record.execution_not_after,
        state_version: s.manager.state_version,
    }
}

/// The artifact's whole sequence, for whoever meets a migration's hold when its plan is gone.
fn sequence(family: Family, basis: Option<Basis>) -> Option<Digest> {
    basis.filter(|_| family == Family::Migration).map(|basis| basis.desired)
}

/// Puts the hold on D by one swap, which also renews a tenure of ours.
pub(crate) fn put(s: &Snapshot, reading: &LeaseReading, hold: Hold, why: Why) -> Decision {
    let mut lease = reading.lease.clone().unwrap_or_else(|| empty_lease(s));
    let expected = reading.lease.as_ref().map(|lease| lease.version);
    lease.hold = Some(hold);
    if lease.holder.is_some_and(|holder| holder.resource == s.uid()) {
        lease.renewed = lease.renewed.max(s.now);
    }
    Decision::WriteLease(Which::Database, Box::new(lease), expected, why)
}

/// A Lease that nobody holds, in place of one that was lost.
pub(crate) fn empty_lease(s: &Snapshot) -> crate::Lease {
    crate::Lease {
        version: crate::Version(0),
        holder: None,
        epoch: s.fresh.epoch,
        renewed: s.now,
        duration: bounds::lease(s.resource.spec.window),
        hold: None,
        settled: Vec::new(),
        bound_to: None,
        state_version: 0,
    }
}

/// Whether another realm's name reaches this database and is in use. The incumbent is never outranked; a name that
/// nobody holds or claims under any more gives way to the newcomer. A standing hold moves with the database and is settled
/// first: see [`step`].
pub(crate) fn aliased(s: &Snapshot, reading: &LeaseReading) -> bool {
    let Some(lease) = &reading.lease else { return false };
    let in_use = reading.is_held(s.now) || s.incumbents.iter().any(|claimant| !claimant.deleting);
    lease.bound_to.is_some_and(|bound| bound != s.resource.spec.coordination) && in_use
}

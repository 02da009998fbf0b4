//! Reading: when it is due, its Job, and what is made of its result.
//!
//! A refresh takes no Lease, so it is not begun while another holds the database, and a plan that it proposes counts only
//! if no tenure began meanwhile. Its Job may be created again: it changes nothing.

use crate::bounds;
use crate::claim;
use crate::decision::{Decision, Why};
use crate::ids::Time;
use crate::inputs::{plan_fingerprint, refresh_inputs};
use crate::instance;
use crate::object::{
    Claim, Failures, Frame, JobReading, Kind, LeaseReading, Observed, Plan, Proposal, ReadFailure, Reading, Resource,
    Section, Shown,
};
use crate::rewind;
use crate::snapshot::Snapshot;

/// Claims a reading when one is due.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    if !is_due(s) {
        return None;
    }
    let inputs = refresh_inputs(&s.resource)?;
    if s.database_lease.as_ref().is_some_and(|reading| reading.is_held(s.now)) {
        return Some(s.wait(bounds::POLL, Shown::Reading));
    }
    let mut claim = claim::new(s, Kind::Refresh, inputs, s.resource.spec.access());
    claim.identity = s.resource.status.observed.map(|observed| observed.identity);
    claim.tenure = s.database_lease.as_ref().and_then(LeaseReading::tenure);
    claim.job_digest = Some(s.built);
    let mut status = s.next_status();
    status.claim = Some(claim);
    status.shown = Shown::Reading;
    Some(s.write(status, Why::ClaimRefresh))
}

/// Whether a reading is to be made: the last one is [stale](is_stale), and no wait after a failure stands.
fn is_due(s: &Snapshot) -> bool {
    is_stale(s) && !backs_off(s)
}

/// Whether a wait after a failure stands: of a reading, or of a create that was refused.
pub(crate) fn backs_off(s: &Snapshot) -> bool {
    next_attempt(&s.resource).is_some_and(|next| !next.reached(s.now))
}

/// When a reading is made again that failed; nothing where the last one did not.
pub(crate) fn next_attempt(resource: &Resource) -> Option<Time> {
    let failures = resource.status.failures?;
    Some(failures.last.plus(bounds::backoff_from(resource.spec.retry, failures.count)))
}

/// Whether the last reading is absent, old, or made under other inputs. Nothing is run on it then.
pub(crate) fn is_stale(s: &Snapshot) -> bool {
    s.resource.status.observed.is_none_or(|observed| {
        Some(observed.inputs) != refresh_inputs(&s.resource)
            || observed.at.plus(s.resource.spec.interval).reached(s.now)
    })
}

/// Waits until the next reading is due.
pub(crate) fn wait(s: &Snapshot) -> Decision {
    let status = &s.resource.status;
    let shown = match (status.failures, status.observed) {
        (Some(_), _) => Shown::ReadFailed,
        (None, Some(observed)) => match observed.refusal {
            Some(refusal) => Shown::Refused(refusal),
            None => Shown::InSync,
        },
        (None, None) => Shown::Pending,
    };
    let shown = if status.shown == Shown::PolicyRefused && status.failures.is_some() { status.shown } else { shown };
    wait_showing(s, shown)
}

/// Waits until the next reading is due and shows this meanwhile.
pub(crate) fn wait_showing(s: &Snapshot, shown: Shown) -> Decision {
    let after = next_attempt(&s.resource)
        .map_or_else(|| crate::plan::look_after(s), |next| next.0.saturating_sub(s.now.0).max(bounds::POLL));
    s.wait(after, shown)
}

/// Follows a claimed reading to its result.
pub(crate) fn follow(s: &Snapshot, claim: &Claim) -> Decision {
    let moved = refresh_inputs(&s.resource) != Some(claim.inputs);
    if moved || s.resource.deleting || s.resource.spec.suspended {
        return end(s, Why::Discard, |_| {});
    }
    if let Some(frame) = s.frame.as_ref().filter(|frame| frame.operation == claim.operation) {
        return take(s, claim, frame);
    }
    let over = claim.dispatch_not_after.reached(s.now);
    let begins = may_read(s) && is_as_claimed(s, claim);
    match s.job {
        JobReading::Absent | JobReading::NotRead if !over && !begins => end(s, Why::Discard, |_| {}),
        JobReading::Absent | JobReading::NotRead if !over => Decision::CreateJob(Box::new(claim.clone())),
        JobReading::Absent | JobReading::NotRead => failed(s, ReadFailure::Passing),
        JobReading::Found(job) if job.terminal || Some(job.digest) != claim.job_digest || over => {
            failed(s, ReadFailure::Passing)
        }
        JobReading::Found(_) => s.wait(bounds::POLL, Shown::Reading),
    }
}

/// Whether a reading may still be begun: the realm is granted and not contested, and nobody holds the database.
fn may_read(s: &Snapshot) -> bool {
    let taken = s.database_lease.as_ref().is_some_and(|lease| lease.is_held(s.now) || lease.hold().is_some());
    crate::realm::take_realm_census(s).is_ok() && !taken
}

/// Whether the Job that would be created now is the one that was claimed. What changes where Pods run is no input, and moves it
/// all the same.
fn is_as_claimed(s: &Snapshot, claim: &Claim) -> bool {
    claim.job_digest == Some(s.built)
}

/// Makes something of a result.
fn take(s: &Snapshot, claim: &Claim, frame: &Frame) -> Decision {
    match &frame.section {
        Section::Refresh(Ok(reading)) if !frame.conflict => taken(s, claim, frame, reading),
        Section::Refresh(Err(failure)) if !frame.conflict => failed(s, *failure),
        Section::Refresh(_) | Section::NotStarted | Section::Run(_) | Section::Settle(_) => {
            failed(s, ReadFailure::Passing)
        }
    }
}

fn taken(s: &Snapshot, claim: &Claim, frame: &Frame, reading: &Reading) -> Decision {
    if tenure_began(s, claim, reading) {
        return outdated(s, claim, frame, reading);
    }
    // Who is refused writes no Lease.
    if let (Ok(()), Some(first)) = (crate::realm::take_realm_census(s), rewind::step(s, reading, &frame.rows)) {
        return first;
    }
    let proposal = reading.proposal.filter(|_| reading.refusal.is_none());
    let plan = match proposal {
        Some(proposal) => match stored(s, claim, reading, proposal) {
            Ok(plan) => Some(plan),
            Err(create) => return create,
        },
        None => None,
    };
    end(s, Why::TakeReading, |status| {
        status.failures = None;
        status.plan = plan.as_ref().map(Plan::reference);
        let seen = seen(s, claim, frame, reading);
        let in_sync = proposal.is_none() && reading.refusal.is_none();
        status.observed = Some(Observed { in_sync, refusal: reading.refusal, ..seen });
    })
}

/// A reading that another's tenure may have overtaken: it teaches which database it is, and is made again.
fn outdated(s: &Snapshot, claim: &Claim, frame: &Frame, reading: &Reading) -> Decision {
    end(s, Why::TakeReading, |status| {
        status.plan = None;
        status.observed = Some(seen(s, claim, frame, reading).outdated());
    })
}

/// What is kept of a reading, whatever may be planned on it.
fn seen(s: &Snapshot, claim: &Claim, frame: &Frame, reading: &Reading) -> Observed {
    Observed {
        identity: instance::identity(&s.resource, reading),
        state: reading.state,
        at: s.now,
        inputs: claim.inputs,
        sequence: frame.rows.sequence,
        unfinished: frame.rows.unfinished.map(|run| run.operation),
        instance: instance::seen(&s.resource, reading, claim.started, s.now),
        in_sync: false,
        refusal: None,
    }
}

/// The stored plan of this reading, or the request that stores it.
fn stored(s: &Snapshot, claim: &Claim, reading: &Reading, proposal: Proposal) -> Result<Plan, Decision> {
    let Some(binding) = s.resource.status.binding else { return Err(failed(s, ReadFailure::Passing)) };
    let identity = instance::identity(&s.resource, reading);
    let fingerprint = plan_fingerprint(&s.resource, &identity, &proposal, &claim.inputs, binding.epoch);
    match s.plan {
        Some(plan) if plan.fingerprint == fingerprint && !plan.deleting => Ok(plan),
        Some(_) | None => Err(Decision::CreatePlan(Box::new(Plan {
            uid: crate::Uid(0),
            fingerprint,
            resource: s.uid(),
            family: s.resource.family,
            identity,
            proposal,
            inputs: claim.inputs,
            binding: binding.epoch,
            state_version: s.manager.state_version,
            deleting: false,
            created: s.now,
        }))),
    }
}

/// Whether another may have held the database while it was read. The first reading of a database did not know whose
/// Lease to look at when it began, so it goes by when the last tenure ended, by a clock that may be another manager's.
fn tenure_began(s: &Snapshot, claim: &Claim, reading: &Reading) -> bool {
    let Some(found) = &s.database_lease else { return false };
    // A Lease that was there and is gone says nothing about what happened meanwhile.
    let Some(lease) = &found.lease else { return claim.tenure.is_some() };
    let lease_name = instance::identity(&s.resource, reading).lease();
    let looked = claim.identity.is_some_and(|identity| identity.lease() == lease_name);
    let began =
        if looked { Some(lease.epoch) != claim.tenure } else { lease.renewed.plus(bounds::SLACK) >= claim.started };
    found.is_held(s.now) || lease.hold.is_some() || began
}

fn failed(s: &Snapshot, failure: ReadFailure) -> Decision {
    end(s, Why::ReadFailed, |status| {
        status.failures = Some(Failures::one_more(status.failures, s.now));
        status.shown = Shown::ReadFailed;
        if failure == ReadFailure::PolicyRefused {
            status.plan = None;
            status.observed = status.observed.map(Observed::outdated);
            status.shown = Shown::PolicyRefused;
        }
    })
}

fn end(s: &Snapshot, why: Why, edit: impl FnOnce(&mut crate::Status)) -> Decision {
    let mut status = s.next_status();
    claim::retire(&mut status, None);
    edit(&mut status);
    s.write(status, why)
}

//! From the mark to the end of a run: create once, adopt, renew, keep the evidence, and wait for as long as something may
//! still write. What moved meanwhile decides what the result is worth, never whether it is waited for.

use crate::bounds::{self, PODS_KEPT};
use crate::claim;
use crate::decision::{Decision, Why};
use crate::dispatch::renew;
use crate::harvest;
use crate::object::{
    Claim, Failures, Job, JobReading, Kind, LeaseReading, Pod, Resolution, Resolved, RunEvidence, Shown, Which,
};
use crate::snapshot::Snapshot;

/// The next step of a marked claim.
pub(crate) fn follow(s: &Snapshot, claim: &Claim) -> Decision {
    continuity(s, claim)
        .or_else(|| create(s, claim))
        .or_else(|| never_created(s, claim))
        .or_else(|| adopt(s, claim))
        .or_else(|| evidence(s, claim))
        .or_else(|| renewals(s, claim))
        .unwrap_or_else(|| end(s, claim))
}

/// A tenure that is not the noted one was broken. It is noted and never mended: a renewal does not acquire.
fn continuity(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    let realm = holds(s, claim, &s.realm_lease, claim.realm_epoch);
    let database = s.database_lease.as_ref().is_none_or(|reading| holds(s, claim, reading, claim.database_epoch));
    let whole = claim.broken || (realm && database);
    (!whole).then(|| claim::change(s, Why::NoteBroken, |claim| claim.broken = true))
}

/// Whether the Lease is held by this claim, under the epoch that it noted.
pub(crate) fn holds(s: &Snapshot, claim: &Claim, reading: &LeaseReading, epoch: Option<crate::Epoch>) -> bool {
    reading.lease.as_ref().is_some_and(|lease| lease.holder == Some(s.holder(claim)) && Some(lease.epoch) == epoch)
}

/// The one create: only by the process that wrote the mark, only right after it, only when there is no Job.
fn create(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    let ours = s.memory.may_create == Some(claim.operation) && claim.job.is_none();
    (ours && s.job == JobReading::Absent).then(|| Decision::CreateJob(Box::new(claim.clone())))
}

/// The one create was definitely refused and there is no Job: nothing ran, and nothing will.
fn never_created(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    let refused = s.memory.create_refused == Some(claim.operation) && s.job == JobReading::Absent;
    if !refused || claim.started_by.is_some() || claim.kind != Kind::Apply {
        return None;
    }
    let mut status = s.next_status();
    claim::retire(&mut status, Some(claim.operation));
    status.resolved = Some(Resolved { operation: claim.operation, by: Resolution::NeverCreated });
    status.failures = Some(Failures::one_more(status.failures, s.now));
    status.shown = Shown::ReadFailed;
    Some(s.write(status, Why::NeverCreated))
}

/// The Job that was found, if it is the one that the claim was to create.
pub(crate) fn own_job(s: &Snapshot, claim: &Claim) -> Option<Job> {
    match s.job {
        JobReading::Found(job) => {
            let same = claim.job.is_none_or(|uid| uid == job.uid) && claim.job_digest == Some(job.digest);
            same.then_some(job)
        }
        JobReading::Absent | JobReading::NotRead => None,
    }
}

/// Notes the Job's UID, by the digest that was stored when it was built: a later manager builds another.
fn adopt(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    let job = own_job(s, claim).filter(|_| claim.job.is_none())?;
    Some(claim::change(s, Why::NoteJob, |claim| claim.job = Some(job.uid)))
}

/// Keeps what was seen of the Pods, in both families: a Pod may be gone when its word is needed. They are those of the
/// noted Job, also where that one is gone: a Pod's finalizer outlives it.
fn evidence(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    claim.job?;
    let seen = merged(&claim.evidence, &s.pods);
    (seen != claim.evidence).then(|| claim::change(s, Why::NoteEvidence, |claim| claim.evidence = seen))
}

fn merged(kept: &RunEvidence, pods: &[Pod]) -> RunEvidence {
    let mut merged = kept.clone();
    for pod in pods {
        add(&mut merged.pods, pod.uid);
        if pod.stopped.is_some() {
            add(&mut merged.stopped, pod.uid);
        }
    }
    merged
}

fn add(list: &mut Vec<crate::Uid>, uid: crate::Uid) {
    if let Err(place) = list.binary_search(&uid)
        && list.len() < PODS_KEPT
    {
        list.insert(place, uid);
    }
}

fn renewals(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    if claim.broken {
        return None;
    }
    let database = s.database_lease.as_ref();
    renew(s, claim, Which::Realm, &s.realm_lease).or_else(|| renew(s, claim, Which::Database, database?))
}

fn end(s: &Snapshot, claim: &Claim) -> Decision {
    match claim.kind {
        Kind::Settle => crate::settle::harvest(s, claim),
        Kind::Apply | Kind::Refresh if dispatched_apply_may_still_write(s, claim) => {
            let over = claim.execution_not_after.reached(s.now);
            s.wait(bounds::POLL, if over { Shown::Draining } else { Shown::Applying })
        }
        Kind::Apply | Kind::Refresh => harvest::finish(s, claim),
    }
}

/// Whether something of a dispatched Apply may still write.
///
/// A missing Job proves nothing, and a Pod that is only *said* to be over (a lost node) proves it once the horizon has
/// passed. Where nobody was let in, nobody will be once the claim is gone; a Job that may still start one is waited for,
/// up to the horizon.
pub fn dispatched_apply_may_still_write(s: &Snapshot, claim: &Claim) -> bool {
    let horizon = claim.execution_not_after.plus(bounds::horizon()).reached(s.now);
    let may_start = own_job(s, claim).is_some_and(|job| !job.terminal) && !horizon;
    let Some(permit) = claim.started_by else { return may_start };
    if claim.evidence.stopped.contains(&permit.pod) {
        return may_start;
    }
    match s.pods.iter().find(|pod| pod.uid == permit.pod) {
        Some(pod) => !(pod.said_over && horizon),
        None => !horizon,
    }
}

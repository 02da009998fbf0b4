//! The end of a run: its result is always read and always stored, as a record that a settling reading has to clear.

use crate::claim;
use crate::decision::{Decision, Why};
use crate::inputs::apply_inputs;
use crate::object::{Claim, Identity, IdentitySource, JobReading, Outcome, Record, Reported, Section, Shown};
use crate::snapshot::Snapshot;
use crate::supervise::own_job;

/// Turns the claim into a record, in one write, and notes its Leases as owed. The hold stands.
pub(crate) fn finish(s: &Snapshot, claim: &Claim) -> Decision {
    let said = reported(s, claim);
    let known = |said: &Reported| said.right_database || said.outcome == Outcome::NotStarted;
    match said.filter(|_| believed(s, claim)).filter(known) {
        Some(said) => record(s, claim, said.outcome, Some(said)),
        None => finish_uncertain_apply(s, claim),
    }
}

/// Ends a run whose outcome nobody knows, with what its runner said beside it. Never creates another one: what it did is a
/// question for the database.
pub fn finish_uncertain_apply(s: &Snapshot, claim: &Claim) -> Decision {
    record(s, claim, Outcome::Unknown, reported(s, claim))
}

/// A migration's name for [`finish_uncertain_apply`]: one engine serves both families.
pub fn finish_uncertain_migration_apply(s: &Snapshot, claim: &Claim) -> Decision {
    finish_uncertain_apply(s, claim)
}

fn record(s: &Snapshot, claim: &Claim, outcome: Outcome, said: Option<Reported>) -> Decision {
    let (Some(plan), Some(identity)) = (claim.plan, claim.identity) else {
        return s.wait(crate::bounds::POLL, Shown::Draining);
    };
    let mut status = s.next_status();
    status.record = Some(Record {
        operation: claim.operation,
        family: s.resource.family,
        outcome,
        reported: said.map(|said| said.outcome).filter(|said| *said != outcome),
        plan,
        basis: s.plan.filter(|found| found.reference() == plan).map(|found| found.basis()),
        access: Some(claim.access),
        realm_epoch: claim.realm_epoch,
        database_epoch: claim.database_epoch,
        identity: Identity { source: said.map_or(IdentitySource::Planned, who_says_where), ..identity },
        job: claim.job,
        evidence: claim.evidence.clone(),
        dispatched_by: status.binding.map(|binding| binding.components),
        execution_not_after: claim.execution_not_after,
        not_before: s.now,
        since: s.now,
        attempts: None,
        last_answer: None,
        inherited: false,
    });
    status.plan = None;
    status.failures = None;
    claim::retire(&mut status, None);
    status.shown = Shown::Settling;
    s.write(status, Why::RecordRun)
}

/// Who says which database it was: a runner that was connected to the claim's, or the plan alone.
fn who_says_where(said: Reported) -> IdentitySource {
    let connected = said.right_database && said.outcome != Outcome::NotStarted;
    if connected { IdentitySource::Reported } else { IdentitySource::Planned }
}

/// What the run said: its result, signed with the key that was let in; before that the Pod's word that nothing was opened;
/// else the message that the kubelet keeps of the one that was let in.
fn reported(s: &Snapshot, claim: &Claim) -> Option<Reported> {
    if let Some(frame) = s.frame.as_ref().filter(|frame| frame.operation == claim.operation) {
        if frame.conflict {
            return None;
        }
        return match (&frame.section, claim.started_by) {
            (Section::Run(said), Some(permit)) if frame.key == Some(permit.key) => Some(*said),
            (Section::NotStarted, None) => Some(Reported { outcome: Outcome::NotStarted, right_database: true }),
            (Section::Run(_) | Section::NotStarted | Section::Refresh(_) | Section::Settle(_), _) => None,
        };
    }
    let permit = claim.started_by?;
    let pod = s.pods.iter().find(|pod| pod.uid == permit.pod)?;
    // The message carries no signature: that nothing of a run is there is believed from a stored result alone.
    let said = pod.stopped?.summary?;
    (said.outcome != Outcome::NotApplied).then_some(said)
}

/// Whether nothing happened that makes a result worth less: the same tenures, the same inputs, the same Job, one Pod, and
/// that as it was built.
fn believed(s: &Snapshot, claim: &Claim) -> bool {
    let inputs = claim.plan.and_then(|plan| apply_inputs(&s.resource, plan));
    let same_job = own_job(s, claim).is_some() || s.job == JobReading::Absent;
    let one_pod = claim.evidence.pods.len() <= 1 && s.pods.iter().all(|pod| pod.as_built);
    !claim.broken && inputs == Some(claim.inputs) && same_job && one_pod
}

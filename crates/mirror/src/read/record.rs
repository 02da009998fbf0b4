//! The run whose outcome is not settled, of either family.

use ptah_lifecycle::{Basis, Family, LastAnswer, Outcome, PlanRef, Record};
use ptah_records::operator::check::Record as Checked;
use ptah_records::operator::latest::{self as stored, MigrationPlan, ObservationBasis, SequenceBasis, UnsettledRun};
use ptah_records::operator::whole::Whole;

use super::{access, evidence, failures, identity};
use crate::ids;
use crate::object::Unreadable;

/// The words of [`LastAnswer`], as stable codes.
pub(crate) const ANSWERS: [(LastAnswer, &str); 4] = [
    (LastAnswer::LockBusy, "lock_busy"),
    (LastAnswer::NotSettled, "not_settled"),
    (LastAnswer::NotBelieved, "not_believed"),
    (LastAnswer::NoResult, "no_result"),
];

/// What a schema's reading is compared with.
pub(crate) fn of_schema(basis: &ObservationBasis) -> Basis {
    Basis {
        planned: ids::digest(&basis.plan.content_digest),
        desired: ids::digest(&basis.plan.desired_state_fingerprint),
        before: ids::digest(&basis.plan.actual_state_fingerprint),
    }
}

/// What a migration's reading is compared with.
pub(crate) fn of_migration(basis: &SequenceBasis) -> Basis {
    Basis {
        planned: ids::digest(&MigrationPlan::content_digest_of(basis.planned.as_slice())),
        desired: ids::digest(&basis.plan.sequence_digest),
        before: ids::digest(&basis.plan.applied_rows_digest),
    }
}

pub(super) fn read<Stored>(run: &UnsettledRun<Stored>, basis: fn(&Stored) -> Basis) -> Result<Record, Unreadable>
where
    UnsettledRun<Stored>: Checked,
{
    run.check().map_err(|_| Unreadable::Contradiction)?;
    let plan = &run.plan_ref;
    Ok(Record {
        operation: ids::operation(&run.operation_id),
        family: family(run.family),
        outcome: outcome(run.outcome, run.applied_units),
        reported: run.reported.map(|reported| outcome(reported, run.reported_units)),
        plan: PlanRef { uid: ids::uid(plan.uid.as_str())?, fingerprint: ids::digest(&plan.fingerprint) },
        basis: run.basis.as_ref().map(basis),
        access: run.access.as_ref().map(access),
        realm_epoch: run.coordination_epoch.as_ref().map(ids::epoch),
        database_epoch: run.database_epoch.as_ref().map(ids::epoch),
        identity: identity(&run.target_identity),
        job: run.job_uid.as_ref().map(|job| ids::uid(job.as_str())).transpose()?,
        evidence: evidence(&run.evidence)?,
        dispatched_by: run.components_digest.as_ref().map(ids::digest),
        execution_not_after: ids::time(run.execution_not_after),
        not_before: ids::time(run.settle_not_before),
        since: ids::time(run.recorded_at),
        attempts: run.attempts.as_ref().map(failures),
        last_answer: run.last_answer.as_ref().map(|answer| last_answer(answer.code.as_str())),
        inherited: run.inherited,
    })
}

pub(crate) fn family(family: stored::Family) -> Family {
    match family {
        stored::Family::Schema => Family::Schema,
        stored::Family::Migration => Family::Migration,
    }
}

/// An outcome; a partial one counts what is there.
pub(crate) fn outcome(outcome: stored::Outcome, units: Option<Whole<0, 4_294_967_295>>) -> Outcome {
    match outcome {
        stored::Outcome::Applied => Outcome::Applied,
        stored::Outcome::NotStarted => Outcome::NotStarted,
        stored::Outcome::NotApplied => Outcome::NotApplied,
        stored::Outcome::Partial => {
            Outcome::Partial(units.and_then(|units| u32::try_from(units.get()).ok()).unwrap_or_default())
        }
        stored::Outcome::Unknown => Outcome::Unknown,
    }
}

/// A code that no release of ours writes says that there was an answer, and nothing more.
fn last_answer(code: &str) -> LastAnswer {
    ANSWERS.iter().find(|(_, word)| *word == code).map_or(LastAnswer::NoResult, |(answer, _)| *answer)
}

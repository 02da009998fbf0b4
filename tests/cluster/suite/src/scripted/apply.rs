//! An Apply: the row that spends it, its commits one after the other, and how far it came.
//!
//! ```text
//! connect ─► the right database? ─► lock ─► still the planned state? ─► row ─► commit, commit, … ─► the row's end ─► report
//! ```
//!
//! The row commits alone, before the first unit; its end is part of the last commit.

use anyhow::Result;
use ptah_records::operator::latest::{
    ApplyContent, Family, Outcome, PlanRef, RunReport, Section, ServerIdentity, StageResult, Work,
};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{OperationId, ShortText};

use super::commits::{self, Commit};
use super::database::RunRow;
use super::facts::{failure, fingerprint, seen};
use super::plan::{SchemaPlan, hurts, staged};
use super::registry::Content;
use super::run::{Progress, Run};
use super::trouble::Trouble;
use super::work::{Ending, Place};
use super::{Script, sequence};

pub(super) fn apply(place: &Place<'_>, trouble: Option<Trouble>) -> Result<Ending> {
    let Work::Apply { plan, target_identity, run_claim, settled, content, .. } = &place.spec.work else {
        anyhow::bail!("no Apply");
    };
    let stage = place.stage.as_ref().map(|stage| &stage.result);
    if matches!(stage, Some(StageResult::NotResolved(_) | StageResult::NotVerified { .. })) {
        return report(place, refused(Outcome::NotStarted, None, "not_fetched", "The migrations were not fetched.")?);
    }
    if trouble == Some(Trouble::NoConnection) {
        return report(place, refused(Outcome::NotStarted, None, "connect_failed", "The database is not reached.")?);
    }
    let identity = place.store.read()?.database.identity();
    let not_applied = |code, sentence| refused(Outcome::NotApplied, Some(identity.clone()), code, sentence);
    if identity.database_identity != target_identity.database_identity {
        return report(place, not_applied("wrong_database", "This is another database.")?);
    }
    let patience = if trouble == Some(Trouble::Busy) { None } else { Some(place.patience()) };
    let session = match patience.map_or_else(|| Ok(Err("4711".to_owned())), |time| place.store.session(time))? {
        Ok(session) => session,
        Err(holder) => {
            let busy = not_applied("lock_busy", "Another session holds the lock.")?;
            return report(place, RunReport { lock_holder: ShortText::new(holder).ok(), ..busy });
        }
    };
    let commits = match planned(place, content)? {
        Ok(commits) => commits,
        Err((code, sentence)) => return report(place, not_applied(code, sentence)?),
    };
    let run = Run { place, identity: identity.clone(), units: commits.iter().map(Commit::units).sum(), trouble };
    let spent = place.store.update(|script| {
        let family = family(content);
        Ok(if *run_claim {
            spend(script, &place.spec.operation_id, family, plan, settled.as_slice())
        } else {
            Ok(None)
        })
    })?;
    match spent {
        Ok(sequence) => run.carry_out(&commits, sequence, session),
        Err(Refused::Already) => run.says(Outcome::Unknown, &Progress::default(), None, Some("spent_before")),
        Err(Refused::Other) => run.says(Outcome::NotApplied, &Progress::default(), None, Some("other_unfinished")),
    }
}

pub(super) fn report(place: &Place<'_>, run: RunReport) -> Result<Ending> {
    place.reports(vec![Section::Run(run)])
}

/// A run of which nothing is in the database.
fn refused(outcome: Outcome, identity: Option<ServerIdentity>, code: &str, sentence: &str) -> Result<RunReport> {
    Ok(RunReport {
        outcome,
        applied_units: None,
        units: None,
        applied_versions: List::default(),
        identity,
        sequence: None,
        failure: Some(failure(code, sentence)?),
        lock_holder: None,
    })
}

fn family(content: &ApplyContent) -> Family {
    match content {
        ApplyContent::Schema { .. } => Family::Schema,
        ApplyContent::Migration { .. } => Family::Migration,
    }
}

/// What is to be done, if the database and the artifact still are what the plan was made from.
fn planned(place: &Place<'_>, content: &ApplyContent) -> Result<Result<Vec<Commit>, (&'static str, &'static str)>> {
    let script = place.store.read()?;
    match content {
        ApplyContent::Schema { content, actual_state_fingerprint, protected_tables } => {
            let Some(plan) = staged(&place.content, content)? else {
                return Ok(Err(("no_plan", "The plan is not mounted.")));
            };
            let plan: SchemaPlan = serde_json::from_slice(&plan)?;
            if fingerprint(&seen(&script.database.objects, &plan.exclude)) != *actual_state_fingerprint {
                return Ok(Err(("state_moved", "The database is not what the plan was made from.")));
            }
            if hurts(&plan.steps, protected_tables.as_slice()) {
                return Ok(Err(("protected_table", "A protected table would lose something.")));
            }
            Ok(Ok(commits::of_plan(plan)))
        }
        ApplyContent::Migration { artifact_digest, planned, history_fingerprint, sequence_digest, .. } => {
            let Some(Content::Migrations(all)) = script.registry.by_digest(artifact_digest) else {
                return Ok(Err(("no_artifact", "The artifact of the plan is not there.")));
            };
            let found = sequence::compare(&script.database.history, all)?;
            if found.fingerprint != *history_fingerprint || found.sequence_digest != *sequence_digest {
                return Ok(Err(("history_moved", "The history is not what the plan was made from.")));
            }
            commits::of_sequence(planned.as_slice(), all).map(Ok)
        }
    }
}

/// Why a run is not spent.
enum Refused {
    /// It was spent before.
    Already,
    /// Another one is not finished.
    Other,
}

/// Writes the run's row, and says its number. Earlier runs that are settled end with it.
fn spend(
    script: &mut Script,
    operation: &OperationId,
    family: Family,
    plan: &PlanRef,
    settled: &[OperationId],
) -> Result<Option<u64>, Refused> {
    let database = &mut script.database;
    if database.runs.iter().any(|run| run.operation == *operation) {
        return Err(Refused::Already);
    }
    if database.runs.iter().any(|run| !run.finished && !settled.contains(&run.operation)) {
        return Err(Refused::Other);
    }
    for operation in settled {
        database.finish(operation);
    }
    let sequence = database.last_run() + 1;
    let plan = plan.fingerprint.clone();
    database.runs.push(RunRow { operation: operation.clone(), family, plan, sequence, finished: false });
    Ok(Some(sequence))
}

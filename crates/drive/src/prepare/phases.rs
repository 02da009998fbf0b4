//! The two rounds in which the provider is asked for steps: renames, and everything else.

use ptah_diff::{RenameInputs, RenameRecord, compare, renames};
use ptah_model::Diagnostic;
use ptah_plan::draft::Draft;
use ptah_plan::gate;
use ptah_plan::request::{known_renames, planned_changes};
use ptah_plan::{Phase, PhaseKind};
use ptah_provider_api::contract::LOCK_WAIT_LIMIT;
use ptah_provider_api::dev::DevContent;
use ptah_provider_api::plan::{PlanRequest, SnapshotRef};
use ptah_provider_api::reading::Reading;
use ptah_provider_host::Session;

use super::{Question, head, proof};
use crate::desired::snapshot;
use crate::failure::Failure;

/// What was decided, before it is ordered.
pub(super) struct Decided {
    /// The rounds that have changes, in order.
    pub(super) phases: Vec<Phase>,
    /// Findings of every severity.
    pub(super) notes: Vec<Diagnostic>,
    /// What the ledger has to keep.
    pub(super) renames: Vec<RenameRecord>,
    /// Whether anything is renamed, so that later questions to the rows use names that do not exist yet.
    pub(super) renamed: bool,
}

/// What the second round starts from.
struct Start {
    reading: Option<Reading>,
    snapshot: SnapshotRef,
    /// Keeps the copy's snapshot alive.
    _copy: Option<Session>,
}

/// Decides renames, carries them out on a copy, and decides the rest from what it reads as.
pub(super) async fn decide(question: &Question<'_>) -> Result<Decided, Failure> {
    let wanted = renames(&RenameInputs {
        current: &question.current.schema,
        desired: &question.loaded.reading.schema,
        hints: &question.loaded.desired.renames,
        ledger: &known_renames(question.ledger),
        kinds: question.engine.kinds(),
    });
    let renamed = !wanted.changes.is_empty();
    let mut decided = Decided { phases: Vec::new(), notes: wanted.findings, renames: wanted.applied, renamed };
    let mut start = Start { reading: None, snapshot: snapshot(question.target, question.current), _copy: None };
    if renamed {
        let phase = Phase { kind: PhaseKind::Renames, changes: wanted.changes, steps: Vec::new() };
        let Some(phase) = steps(question, phase, &start.snapshot, &mut decided.notes).await? else {
            return Ok(decided);
        };
        start = renamed_copy(question, &phase, &decided).await?;
        decided.phases.push(phase);
    }
    let current = start.reading.as_ref().unwrap_or(question.current);
    let options = question.policy.compare_options();
    let kinds = question.engine.kinds();
    let compared = compare(&current.schema, &question.loaded.reading.schema, kinds, &options)
        .map_err(|unknown| Failure::UnknownKind { kind: unknown.kind.to_string() })?;
    decided.notes.extend(compared.notes);
    decided.notes.extend(compared.findings);
    if !compared.changes.is_empty() {
        let phase = Phase { kind: PhaseKind::Changes, changes: compared.changes, steps: Vec::new() };
        if let Some(phase) = steps(question, phase, &start.snapshot, &mut decided.notes).await? {
            decided.phases.push(phase);
        }
    }
    Ok(decided)
}

/// Asks the provider for the steps of one round. `None`: it refused changes, and the notes say which and why.
async fn steps(
    question: &Question<'_>,
    mut phase: Phase,
    current: &SnapshotRef,
    notes: &mut Vec<Diagnostic>,
) -> Result<Option<Phase>, Failure> {
    let request = PlanRequest {
        engine: question.engine.name().clone(),
        current: current.clone(),
        desired: question.loaded.snapshot(),
        changes: planned_changes(&phase.changes),
    };
    let reply = question.engine.provider().plan(request).await?;
    if !reply.refusals.is_empty() {
        notes.extend(gate::refused(&reply.refusals, &phase.changes, &question.loaded.desired.locations));
        return Ok(None);
    }
    phase.steps = reply.steps;
    Ok(Some(phase))
}

/// Carries the renames out on a copy and reads it.
async fn renamed_copy(question: &Question<'_>, phase: &Phase, decided: &Decided) -> Result<Start, Failure> {
    let content = DevContent::CopyOf(snapshot(question.target, question.current));
    let copy = question.engine.open_dev(Some(question.target), content).await?;
    let locations = &question.loaded.desired.locations;
    let head = head(question, decided.renames.clone());
    let draft = Draft::new(head, vec![phase.clone()], locations).map_err(Failure::Steps)?;
    for segment in draft.segments() {
        proof::carry_out(&copy, segment).await?.map_err(|finding| Failure::Proof(vec![finding]))?;
    }
    let reading = copy.inspect(LOCK_WAIT_LIMIT, false).await?;
    Ok(Start { snapshot: snapshot(&copy, &reading), reading: Some(reading), _copy: Some(copy) })
}

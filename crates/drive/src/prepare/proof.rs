//! The proof: the whole plan on a copy of the current schema, which has to read back as the desired state.
//!
//! What does not converge is refused before the target is touched, naming the facet with both spellings. The states
//! between the segments are what the run asserts later.

use ptah_diff::code::NOT_DESCRIBED;
use ptah_diff::{Action, Change, compare};
use ptah_model::{Diagnostic, Facet};
use ptah_plan::draft::{Draft, Segment};
use ptah_plan::{Explanation, Plan};
use ptah_provider_api::contract::{LOCK_WAIT_LIMIT, UNITS_LIMIT};
use ptah_provider_api::dev::DevContent;
use ptah_provider_api::execute::{Outcome, TransactionId};
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_host::{Begin, Session};

use super::Question;
use crate::code::{DIVERGES, FAILS};
use crate::desired::{scope, snapshot};
use crate::failure::Failure;

/// What a proof showed.
pub(super) enum Proven {
    /// The plan converges.
    Plan(Box<Plan>),
    /// It does not, and these are the findings and the steps.
    Not(Vec<Diagnostic>, Vec<Explanation>),
}

/// Proves a plan.
pub(super) async fn prove(question: &Question<'_>, draft: Draft) -> Result<Proven, Failure> {
    let content = DevContent::CopyOf(snapshot(question.target, question.current));
    let copy = question.engine.open_dev(Some(question.target), content).await?;
    let mut points = Vec::with_capacity(draft.segments().len());
    for segment in draft.segments() {
        if let Err(finding) = carry_out(&copy, segment).await? {
            return Ok(Proven::Not(vec![finding], draft.explanations()));
        }
        points.push(copy.inspect(LOCK_WAIT_LIMIT, true).await?.fingerprint);
    }
    let explanations = draft.explanations();
    let desired = &question.loaded.reading;
    if points.last() == Some(&desired.fingerprint) {
        let plan = draft.with_proof(points).map_err(Failure::Plan)?;
        return Ok(Proven::Plan(Box::new(plan)));
    }
    // Not the same: either in what the policy overlooks, such as the order of columns, or it does not converge.
    let result = copy.inspect(LOCK_WAIT_LIMIT, false).await?;
    let (kinds, options) = (question.engine.kinds(), question.policy.compare_options());
    let left = compare(&result.schema, &desired.schema, kinds, &options)
        .map_err(|unknown| Failure::UnknownKind { kind: unknown.kind.to_string() })?;
    // What is declared and cannot be read there either is no change, and no proof.
    let unread = left.findings.into_iter().chain(left.notes).filter(|d| d.code == NOT_DESCRIBED.0);
    let found: Vec<_> =
        left.changes.iter().map(diverging).chain(unread.map(|d| Diagnostic::error(DIVERGES, d.summary))).collect();
    if !found.is_empty() {
        return Ok(Proven::Not(found, explanations));
    }
    let plan = draft.with_proof(points).map_err(Failure::Plan)?;
    Ok(Proven::Plan(Box::new(plan)))
}

/// Carries one segment out on a copy, in a transaction where the plan has one. The inner error is a step that failed.
pub(super) async fn carry_out(copy: &Session, segment: &Segment) -> Result<Result<(), Diagnostic>, Failure> {
    if !segment.transaction {
        return execute(copy, segment, None).await;
    }
    let begin = Begin {
        settings: segment.settings.clone(),
        expect_state: None,
        expect_claim: None,
        lock_timeout: LOCK_WAIT_LIMIT,
    };
    let begun = copy.begin(&scope()?, begin).await.into_result()?;
    if begun.state != TransactionState::Begun {
        let why = begun.diagnostic.unwrap_or_else(|| "it did not begin".to_owned());
        return Ok(Err(Diagnostic::error(FAILS, format!("no transaction on the copy of the schema: {why}"))));
    }
    let executed = execute(copy, segment, Some(&begun.transaction)).await?;
    if executed.is_err() {
        copy.rollback(&scope()?, &begun.transaction).await.into_result()?;
        return Ok(executed);
    }
    let ended = copy.commit(&scope()?, &begun.transaction, LOCK_WAIT_LIMIT).await.into_result()?;
    if ended.state == TransactionState::Committed {
        return Ok(Ok(()));
    }
    let why = ended.diagnostic.unwrap_or_else(|| "it did not commit".to_owned());
    Ok(Err(Diagnostic::error(FAILS, format!("the plan fails on a copy of the schema when it commits: {why}"))))
}

async fn execute(
    copy: &Session,
    segment: &Segment,
    transaction: Option<&TransactionId>,
) -> Result<Result<(), Diagnostic>, Failure> {
    for steps in segment.steps.chunks(UNITS_LIMIT) {
        let units: Vec<Unit> = steps.iter().map(|s| s.step.unit.clone()).collect();
        let executed = copy.execute(&scope()?, units, transaction, None).await;
        if let Some(cause) = executed.cause {
            return Err(Failure::Provider(cause));
        }
        if executed.reply.outcome != Outcome::Applied {
            let failed = steps.get(executed.reply.applied_count as usize);
            let title = failed.map_or("a step", |s| s.title.as_str());
            let why = executed.reply.diagnostic.unwrap_or_else(|| "the server refused it".to_owned());
            let finding = Diagnostic::error(FAILS, format!("{title}: fails on a copy of the schema: {why}"));
            let asked = failed.and_then(|s| s.why.iter().find_map(|w| w.asked.clone()));
            return Ok(Err(Diagnostic { position: asked, ..finding }));
        }
    }
    Ok(Ok(()))
}

/// What is left to change after a plan that should have left nothing.
fn diverging(change: &Change) -> Diagnostic {
    let summary = match &change.action {
        Action::Alter(facets) => {
            let told: Vec<String> = facets
                .iter()
                .map(|f| {
                    format!("{} would be {} and should be {}", f.name, shown(f.from.as_ref()), shown(f.to.as_ref()))
                })
                .collect();
            format!("the plan does not converge: of {}, {}", change.subject(), told.join("; "))
        }
        Action::Create | Action::Drop | Action::Rename { .. } | Action::Reorder => {
            format!("the plan does not converge: it would leave to {change}")
        }
    };
    Diagnostic::error(DIVERGES, summary).hint("nothing was run; write the definition as the server spells it")
}

fn shown(facet: Option<&Facet>) -> String {
    facet.map_or_else(|| "absent".to_owned(), |f| format!("`{}`", f.text))
}

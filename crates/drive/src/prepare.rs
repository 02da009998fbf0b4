//! From two readings to a plan that was proven on a copy, or to everything that speaks against one.
//!
//! ```text
//! renames → (carried out on a copy, read) → compare → the provider's steps → ordered, grouped → rows asked → judged
//!         → proven: the whole plan on a fresh copy, which has to read back as the desired state
//! ```
//!
//! Renames come first and are carried out on a copy, so that what is compared afterwards is in the server's own words:
//! nothing here knows how a rename shows in a facet.

mod phases;
mod proof;
mod rows;

use std::collections::BTreeMap;

use ptah_apply::Against;
use ptah_lint::{Subject, lint};
use ptah_model::{Diagnostic, Digest, OperationId, Severity};
use ptah_plan::draft::Draft;
use ptah_plan::gate::{self, Case, CheckId};
use ptah_plan::{Explanation, Head, Phase, Plan, Policy, Target};
use ptah_provider_api::claim::RenameRecord;
use ptah_provider_api::reading::Reading;
use ptah_provider_api::session::DatabaseIdentity;
use ptah_provider_host::Session;

use crate::code::NOT_DESCRIBED;
use crate::desired::Loaded;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::look::Compared;
use crate::progress::{self, Progress};

pub use rows::OffendingRows;
pub(crate) use rows::ask_step;

/// What a plan is made from.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The target's session.
    pub target: &'a Session,
    /// Which database it is.
    pub identity: &'a DatabaseIdentity,
    /// What the target reads as.
    pub current: &'a Reading,
    /// What is wanted.
    pub loaded: &'a Loaded,
    /// What the caller permits.
    pub policy: &'a Policy,
    /// The operation that the plan will be.
    pub operation: &'a OperationId,
    /// The digest of the sources.
    pub sources: Digest,
    /// Renames that were carried out before.
    pub ledger: &'a [RenameRecord],
    /// Whether keys of offending rows are wanted, for people.
    pub show_rows: bool,
    /// Who is told of the phases.
    pub progress: &'a dyn Progress,
}

impl std::fmt::Debug for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("operation", self.operation).finish_non_exhaustive()
    }
}

/// What came of a question.
#[derive(Debug)]
pub struct Prepared {
    /// The plan, that there is nothing to do, or that it is refused.
    pub decision: Decision,
    /// What is worth knowing or looking at. Never an error.
    pub findings: Vec<Diagnostic>,
    /// What the rules about hazards say of the changes, in every case; the plan shows the worst of it anyway.
    pub lint: Vec<Diagnostic>,
}

/// The plan, that there is nothing to do, or that it is refused.
#[derive(Debug)]
pub enum Decision {
    /// Both sides read the same.
    InSync,
    /// This is to be done.
    Planned(Box<Planned>),
    /// Something speaks against it; nothing may be run.
    Refused(Box<Refused>),
}

/// A proven plan, with what to say about it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// Why each step is there.
    pub explanations: Vec<Explanation>,
}

/// What speaks against a plan.
#[derive(Debug, Default)]
pub struct Refused {
    /// What it is that they speak against.
    pub against: Against,
    /// Everything, at once; at least one with the severity of an error.
    pub findings: Vec<Diagnostic>,
    /// The steps that there would have been, as far as that is known.
    pub explanations: Vec<Explanation>,
    /// Keys of rows that stand against it, if they were asked for.
    pub rows: Vec<OffendingRows>,
}

/// Makes a plan.
pub async fn prepare(question: &Question<'_>) -> Result<Prepared, Failure> {
    question.progress.at(progress::Phase::Planning);
    let decided = phases::decide(question).await?;
    let mut findings = question.loaded.desired.notes.clone();
    findings.extend(not_described(question.current));
    findings.extend(decided.notes);
    let refusals = errors(&mut findings);
    let mut told = Told { findings, lint: linted(question, &decided.phases) };
    if !refusals.is_empty() {
        return Ok(told.refused(Refused { findings: refusals, ..Refused::default() }));
    }
    if decided.phases.is_empty() {
        // A declared nothing that finds nothing is still a wrong folder or an empty pipe.
        let refusals = judge(question, &[], &BTreeMap::new());
        if refusals.is_empty() {
            return Ok(told.with(Decision::InSync));
        }
        return Ok(told.refused(Refused { findings: refusals, ..Refused::default() }));
    }
    let given = rows::Given::by(&decided.renames, decided.renamed);
    let head = head(question, decided.renames);
    let locations = &question.loaded.desired.locations;
    let draft = Draft::new(head, decided.phases.clone(), locations).map_err(Failure::Steps)?;
    let asked = if question.target.facts().exists {
        question.progress.at(progress::Phase::AskingRows);
        rows::counts(question.target, &draft, &given, question.show_rows).await?
    } else {
        rows::Counted::default()
    };
    told.findings.extend(asked.later);
    let refusals = judge(question, &decided.phases, &asked.counts);
    if !refusals.is_empty() {
        let explanations = draft.explanations();
        return Ok(told.refused(Refused { findings: refusals, explanations, rows: asked.rows, ..Refused::default() }));
    }
    question.progress.at(progress::Phase::Proving);
    match proof::prove(question, draft).await? {
        proof::Proven::Plan(plan) => {
            let explanations = plan.explanations();
            let planned = Planned { plan: *plan, explanations };
            Ok(told.with(Decision::Planned(Box::new(planned))))
        }
        proof::Proven::Not(findings, explanations) => {
            Ok(told.refused(Refused { against: Against::Proof, findings, explanations, rows: Vec::new() }))
        }
    }
}

/// What is there and could not be described, so that nothing is said about it but this.
fn not_described(current: &Reading) -> impl Iterator<Item = Diagnostic> {
    current.schema.not_described().map(|unread| {
        let summary = format!("{} is there and is not described: {}", unread.id, unread.reason);
        Diagnostic::note(NOT_DESCRIBED, summary).hint("what is not described is never compared, altered or dropped")
    })
}

/// Takes the errors out of a list of findings.
fn errors(findings: &mut Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (errors, others) = std::mem::take(findings).into_iter().partition(|d| d.severity == Severity::Error);
    *findings = others;
    errors
}

/// What is told whatever is decided.
struct Told {
    findings: Vec<Diagnostic>,
    lint: Vec<Diagnostic>,
}

impl Told {
    fn with(self, decision: Decision) -> Prepared {
        Prepared { decision, findings: self.findings, lint: self.lint }
    }

    fn refused(self, refused: Refused) -> Prepared {
        self.with(Decision::Refused(Box::new(refused)))
    }
}

/// What the rules about hazards say.
fn linted(question: &Question<'_>, phases: &[Phase]) -> Vec<Diagnostic> {
    let subject = |phase: &Phase| {
        lint(&Subject {
            changes: &phase.changes,
            findings: &[],
            steps: &phase.steps,
            kinds: question.engine.kinds(),
            desired: &question.loaded.reading.schema,
            locations: &question.loaded.desired.locations,
        })
    };
    phases.iter().flat_map(subject).collect()
}

fn head(question: &Question<'_>, renames: Vec<ptah_diff::RenameRecord>) -> Head {
    Head {
        plan_id: question.operation.clone(),
        engine: question.engine.name().clone(),
        target: target(question.identity),
        from: question.current.fingerprint,
        sources: question.sources,
        policy: question.policy.clone(),
        renames,
    }
}

/// What a plan is bound to.
pub(crate) fn target(identity: &DatabaseIdentity) -> Target {
    Target { uuid: identity.uuid.clone(), physical: identity.physical.clone(), route: identity.route.clone() }
}

fn judge(question: &Question<'_>, phases: &[Phase], counts: &BTreeMap<CheckId, u64>) -> Vec<Diagnostic> {
    gate::judge(&Case {
        current: &question.current.schema,
        desired: &question.loaded.reading.schema,
        kinds: question.engine.kinds(),
        rules: &question.target.facts().identifier_rules,
        policy: question.policy,
        phases,
        counts,
        locations: &question.loaded.desired.locations,
    })
}

/// Says what differs, and which statements would end it, without judging or proving.
pub(crate) async fn compared(question: &Question<'_>) -> Result<Compared, Failure> {
    question.progress.at(progress::Phase::Planning);
    let decided = phases::decide(question).await?;
    let mut findings = question.loaded.desired.notes.clone();
    findings.extend(not_described(question.current));
    findings.extend(decided.notes);
    let changes = decided.phases.iter().flat_map(|p| p.changes.clone()).collect();
    let locations = &question.loaded.desired.locations;
    let draft = Draft::new(head(question, decided.renames), decided.phases, locations).map_err(Failure::Steps)?;
    Ok(Compared { changes, explanations: draft.explanations(), findings })
}

//! A plan, its explanations and findings → what `--json` prints.

use ptah_diff::{Action, FacetChange};
use ptah_model::{Diagnostic, Facet, Risk};
use ptah_provider_api::step::{Check, LockTaken};
use ptah_records::report::CONTRACT_VERSION;
use ptah_records::report::v1::{
    CheckSummaryV1, DiagnosticV1, DiffersV1, EarlierV1, ExplanationV1, LockSummaryV1, PlanOutcomeV1, PlanReportV1,
    PlanSummaryV1, SegmentSummaryV1, WhyV1,
};

use super::parts;
use crate::draft::Served;
use crate::explain::{Earlier, Explanation};
use crate::plan::{Plan, PlanSegment};
use crate::title::change_title;

/// The report about a plan, or about why there is none.
pub fn plan_report(outcome: PlanOutcomeV1, plan: Option<&Plan>, diagnostics: &[Diagnostic]) -> PlanReportV1 {
    let explained = plan.map(Plan::explanations).unwrap_or_default();
    PlanReportV1 {
        contract_version: CONTRACT_VERSION,
        outcome,
        plan: plan.map(summary),
        steps: explained.iter().map(explanation).collect(),
        diagnostics: diagnostics.iter().map(diagnostic).collect(),
    }
}

/// One finding.
pub fn diagnostic(finding: &Diagnostic) -> DiagnosticV1 {
    DiagnosticV1 {
        code: finding.code.clone(),
        severity: parts::severity(finding.severity),
        summary: finding.summary.clone(),
        position: finding.position.as_ref().map(parts::position),
        hint: finding.hint.clone(),
    }
}

/// One explanation.
pub fn explanation(explanation: &Explanation) -> ExplanationV1 {
    ExplanationV1 {
        number: explanation.number,
        title: explanation.title.clone(),
        risk: parts::risk(explanation.risk),
        loss: explanation.loss.map(parts::loss),
        transaction: explanation.transaction,
        statements: explanation.statements.clone(),
        why: explanation.why.iter().map(why).collect(),
        rule: parts::rule(&explanation.rule),
        after: explanation.after.iter().map(earlier).collect(),
        hazards: explanation.hazards.iter().map(parts::hazard).collect(),
        locks: explanation.locks.iter().map(lock).collect(),
        checks: explanation.checks.iter().map(check).collect(),
    }
}

fn summary(plan: &Plan) -> PlanSummaryV1 {
    let head = plan.head();
    PlanSummaryV1 {
        plan_id: head.plan_id.as_str().to_owned(),
        plan_digest: plan.digest().to_string(),
        engine: head.engine.as_str().to_owned(),
        from: head.from.to_string(),
        to: plan.to().to_string(),
        sources: head.sources.to_string(),
        highest_risk: parts::risk(plan.steps().map(|s| s.risk).max().unwrap_or(Risk::Safe)),
        segments: plan.segments().iter().map(segment).collect(),
    }
}

fn segment(part: &PlanSegment) -> SegmentSummaryV1 {
    let steps = &part.segment.steps;
    SegmentSummaryV1 {
        transaction: part.segment.transaction,
        settings: part.segment.settings.clone(),
        first_step: steps.first().map_or(0, |s| s.number),
        last_step: steps.last().map_or(0, |s| s.number),
        after: part.after.to_string(),
    }
}

fn why(served: &Served) -> WhyV1 {
    let differs = match &served.change.action {
        Action::Alter(facets) => facets.iter().map(differs).collect(),
        Action::Create | Action::Drop | Action::Rename { .. } | Action::Reorder => Vec::new(),
    };
    WhyV1 { change: change_title(&served.change), differs, asked: served.asked.as_ref().map(parts::position) }
}

fn differs(change: &FacetChange) -> DiffersV1 {
    let text = |f: &Facet| f.text.clone();
    DiffersV1 { facet: change.name.clone(), from: change.from.as_ref().map(text), to: change.to.as_ref().map(text) }
}

fn earlier(earlier: &Earlier) -> EarlierV1 {
    EarlierV1 { number: earlier.number, rule: earlier.rule.clone(), committed: earlier.committed }
}

fn lock(lock: &LockTaken) -> LockSummaryV1 {
    LockSummaryV1 {
        object: lock.object.to_string(),
        mode: lock.mode.clone(),
        rewrites: lock.rewrites,
        scans: lock.scans,
    }
}

fn check(check: &Check) -> CheckSummaryV1 {
    CheckSummaryV1 { code: check.code.clone(), sentence: check.sentence.clone(), lossy: check.lossy }
}

//! What a plan loses, change by change.

use std::collections::BTreeMap;

use ptah_diff::{Change, ChangeId};
use ptah_model::{Diagnostic, Loss, Risk};
use ptah_provider_api::step::{Check, Step};

use super::{Case, code};
use crate::draft::{Phase, PhaseKind, asked};
use crate::title::change_title;

/// A change that loses something.
pub(super) struct Lost<'a> {
    pub(super) change: &'a Change,
    /// What is lost; absent when the provider only says that something is.
    loss: Option<Loss>,
    /// Whether only a step says so, and another change that this step serves is the reason.
    explained: bool,
    /// The rows that a check counted, with what they mean; absent when no check is the reason.
    rows: Option<(u64, &'a str)>,
}

/// Every change that loses something, in the order of phases and changes.
pub(super) fn find<'a>(case: &Case<'a>) -> Vec<Lost<'a>> {
    case.phases.iter().flat_map(|phase| in_phase(case, phase)).collect()
}

fn in_phase<'a>(case: &Case<'a>, phase: &'a Phase) -> Vec<Lost<'a>> {
    let of_itself = |c: &Change| is_loss(c.risk, c.loss);
    let mut lost: BTreeMap<ChangeId, Lost<'a>> = BTreeMap::new();
    for change in phase.changes.iter().filter(|c| of_itself(c)) {
        let own = Lost { change, loss: change.loss, explained: false, rows: None };
        lost.insert(change.id, own);
    }
    for step in &phase.steps {
        let rows = lossy_rows(case, phase.kind, step);
        if !is_loss(step.risk, step.loss) && rows.is_none() {
            continue;
        }
        let served = step.changes.iter().filter_map(|id| phase.changes.get(id.0 as usize));
        let served: Vec<&Change> = served.collect();
        let explained = served.iter().any(|c| of_itself(c));
        for change in served {
            let by_step = Lost { change, loss: step.loss.or(rows.map(|_| Loss::Values)), explained, rows: None };
            let entry = lost.entry(change.id).or_insert(by_step);
            entry.explained &= explained;
            entry.rows = entry.rows.or(rows);
        }
    }
    lost.into_values().collect()
}

fn is_loss(risk: Risk, loss: Option<Loss>) -> bool {
    risk == Risk::Destructive || matches!(loss, Some(Loss::Rows | Loss::Values | Loss::Protection))
}

/// The rows that a lossy check of a step counted.
fn lossy_rows<'a>(case: &Case<'_>, phase: PhaseKind, step: &'a Step) -> Option<(u64, &'a str)> {
    counted(case, phase, step).find(|(check, _)| check.lossy).map(|(check, rows)| (rows, check.sentence.as_str()))
}

/// The checks of a step that rows offend.
fn counted<'a>(case: &Case<'_>, phase: PhaseKind, step: &'a Step) -> impl Iterator<Item = (&'a Check, u64)> {
    let rows = move |place: usize| case.counts.get(&(phase, step.id.clone(), place)).copied();
    let checks = step.checks.iter().enumerate();
    let found: Vec<_> = checks.filter_map(|(place, check)| Some((check, rows(place).filter(|n| *n > 0)?))).collect();
    found.into_iter()
}

/// What is lost without leave.
pub(super) fn judge(case: &Case<'_>, losses: &[Lost<'_>]) -> Vec<Diagnostic> {
    if case.policy.allow_destructive {
        return Vec::new();
    }
    losses
        .iter()
        .filter(|lost| !lost.explained)
        .map(|lost| {
            let mut finding = Diagnostic::error(code::DESTRUCTIVE, lost.told());
            finding.position = asked(lost.change, case.locations).cloned();
            finding.hint("`--allow-destructive` permits it")
        })
        .collect()
}

/// Checks whose rows would make a step fail: no flag helps.
pub(super) fn failing_checks(case: &Case<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for phase in case.phases {
        for step in &phase.steps {
            let failing = counted(case, phase.kind, step).filter(|(check, _)| !check.lossy);
            for (check, rows) in failing {
                let served = step.changes.first().and_then(|id| phase.changes.get(id.0 as usize));
                let what = served.map_or_else(|| step.id.0.clone(), change_title);
                let summary = format!("cannot {what}: {} ({})", check.sentence, offending(rows));
                let mut finding = Diagnostic::error(code::ROWS, summary);
                finding.position = served.and_then(|c| asked(c, case.locations)).cloned();
                findings.push(finding.hint("`--show-rows` names the rows; change them first"));
            }
        }
    }
    findings
}

impl Lost<'_> {
    /// `drop column b from users loses values`.
    pub(super) fn told(&self) -> String {
        let what = change_title(self.change);
        let lost = match self.loss {
            Some(loss) => format!("{what} loses {loss}"),
            None => format!("{what} may lose what is there"),
        };
        match self.rows {
            Some((rows, sentence)) => format!("{lost}: {sentence} ({})", offending(rows)),
            None => lost,
        }
    }
}

fn offending(rows: u64) -> String {
    match rows {
        1 => "1 row".to_owned(),
        more => format!("{more} rows"),
    }
}

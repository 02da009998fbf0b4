//! Why each step is there and what it does, as values; views print them.

use std::collections::BTreeMap;

use ptah_model::{Loss, Risk};
use ptah_provider_api::step::{Check, Hazard, LockTaken, Rule, StepId};

use crate::draft::{Draft, PhaseKind, PlannedStep, Segment, Served};
use crate::plan::Plan;

/// Everything there is to say about one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Its number in the plan, from 1.
    pub number: u32,
    /// What it does, in words that no engine owns.
    pub title: String,
    /// The class that counts.
    pub risk: Risk,
    /// What is lost for good.
    pub loss: Option<Loss>,
    /// Whether it runs in a transaction.
    pub transaction: bool,
    /// The statements, exactly as they are sent.
    pub statements: Vec<String>,
    /// The changes that it serves, with the differing facets in both spellings and what asked for them.
    pub why: Vec<Served>,
    /// The rule that made it what it is.
    pub rule: Rule,
    /// The steps that it waits for.
    pub after: Vec<Earlier>,
    /// What can go wrong.
    pub hazards: Vec<Hazard>,
    /// What it locks, rewrites and scans.
    pub locks: Vec<LockTaken>,
    /// What has to hold of the rows.
    pub checks: Vec<Check>,
}

/// A step that comes earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Its number.
    pub number: u32,
    /// Why it comes earlier.
    pub rule: String,
    /// Whether its transaction has to be committed before.
    pub committed: bool,
}

/// What is said of a step that waits for a commit: the contract carries no sentence for it.
const AFTER_COMMIT: &str = "its transaction has to be committed first";

impl Draft {
    /// One explanation for each step, in order.
    pub fn explanations(&self) -> Vec<Explanation> {
        explanations(&self.segments.iter().collect::<Vec<_>>())
    }
}

impl Plan {
    /// One explanation for each step, in order.
    pub fn explanations(&self) -> Vec<Explanation> {
        explanations(&self.segments().iter().map(|s| &s.segment).collect::<Vec<_>>())
    }
}

impl Explanation {
    /// Whether there is nothing about the step that a person has to know before it runs: the short form shows the
    /// title of such a step and no more.
    pub fn is_harmless(&self) -> bool {
        let quiet = self.locks.iter().all(|l| !l.rewrites && !l.scans);
        self.risk == Risk::Safe
            && self.loss.is_none()
            && self.transaction
            && self.hazards.is_empty()
            && self.checks.is_empty()
            && quiet
    }
}

fn explanations(segments: &[&Segment]) -> Vec<Explanation> {
    let steps = segments.iter().flat_map(|s| &s.steps);
    let numbers: Numbers<'_> = steps.map(|s| ((s.phase, &s.step.id), s.number)).collect();
    segments
        .iter()
        .flat_map(|segment| segment.steps.iter().map(|step| (segment.transaction, step)))
        .map(|(transaction, step)| explain(step, transaction, &numbers))
        .collect()
}

/// Step → its number.
type Numbers<'a> = BTreeMap<(PhaseKind, &'a StepId), u32>;

fn explain(planned: &PlannedStep, transaction: bool, numbers: &Numbers<'_>) -> Explanation {
    let step = &planned.step;
    let earlier = |id: &StepId, rule: &str, committed: bool| {
        let number = *numbers.get(&(planned.phase, id))?;
        let rule = rule.to_owned();
        Some(Earlier { number, rule, committed })
    };
    let after = step.after.iter().filter_map(|a| earlier(&a.step, &a.rule, false));
    let committed = step.after_commit.iter().filter_map(|id| earlier(id, AFTER_COMMIT, true));
    Explanation {
        number: planned.number,
        title: planned.title.clone(),
        risk: planned.risk,
        loss: planned.loss,
        transaction,
        statements: step.unit.statements().to_vec(),
        why: planned.why.clone(),
        rule: step.rule.clone(),
        after: after.chain(committed).collect(),
        hazards: step.hazards.clone(),
        locks: step.locks.clone(),
        checks: step.checks.clone(),
    }
}

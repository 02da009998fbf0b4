//! What was found out, as text for people and as documents for programs.

mod documents;
mod text;

use std::time::Duration;

use crate::rule::{Rule, Verdict};

/// What was found out about one rule.
#[derive(Clone, Debug)]
pub struct Told {
    /// The rule.
    pub rule: Rule,
    /// What was found out.
    pub verdict: Verdict,
    /// How long it took.
    pub took: Duration,
}

/// What was found out about an executable.
#[derive(Clone, Debug)]
pub struct Report {
    /// The ID that it gave itself; empty when it could not be described.
    pub provider: String,
    /// Every rule that was tried, in the order of the table.
    pub told: Vec<Told>,
    /// How long it took in all.
    pub took: Duration,
}

impl Report {
    /// How many rules passed, failed and were not applicable.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |wanted: fn(&Verdict) -> bool| self.told.iter().filter(|told| wanted(&told.verdict)).count();
        (
            count(|verdict| matches!(verdict, Verdict::Passed)),
            count(|verdict| matches!(verdict, Verdict::Failed(_))),
            count(|verdict| matches!(verdict, Verdict::NotApplicable(_))),
        )
    }

    /// Whether no rule failed.
    pub fn is_clean(&self) -> bool {
        self.counts().1 == 0
    }

    /// The names of the rules that failed.
    pub fn failed(&self) -> Vec<&'static str> {
        let failed = self.told.iter().filter(|told| matches!(told.verdict, Verdict::Failed(_)));
        failed.map(|told| told.rule.name).collect()
    }
}

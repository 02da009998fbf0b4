//! Words and numbers of the rows, both ways. A word that is not known makes the row unreadable, never something else.

use ptah_provider_api::claim::Verdict;
use ptah_provider_api::execute::Outcome;

const OUTCOMES: [(Outcome, &str); 5] = [
    (Outcome::Applied, "applied"),
    (Outcome::NotStarted, "not-started"),
    (Outcome::NotApplied, "not-applied"),
    (Outcome::Partial, "partial"),
    (Outcome::Unknown, "unknown"),
];

const VERDICTS: [(Verdict, &str); 4] = [
    (Verdict::Applied, "applied"),
    (Verdict::NotApplied, "not-applied"),
    (Verdict::Partial, "partial"),
    (Verdict::Diverged, "diverged"),
];

pub(super) fn outcome_word(outcome: Outcome) -> &'static str {
    word(&OUTCOMES, outcome)
}

pub(super) fn outcome(word: &str) -> Option<Outcome> {
    value(&OUTCOMES, word)
}

pub(super) fn verdict_word(verdict: Verdict) -> &'static str {
    word(&VERDICTS, verdict)
}

pub(super) fn verdict(word: &str) -> Option<Verdict> {
    value(&VERDICTS, word)
}

fn word<T: Copy + PartialEq>(all: &[(T, &'static str)], wanted: T) -> &'static str {
    all.iter().find(|(value, _)| *value == wanted).map_or("unknown", |(_, word)| word)
}

fn value<T: Copy>(all: &[(T, &'static str)], wanted: &str) -> Option<T> {
    all.iter().find(|(_, word)| *word == wanted).map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_as_what_it_was_written_for() {
        for (value, _) in OUTCOMES {
            assert_eq!(outcome(outcome_word(value)), Some(value));
        }
        for (value, _) in VERDICTS {
            assert_eq!(verdict(verdict_word(value)), Some(value));
        }
        assert_eq!(outcome("done"), None);
    }
}

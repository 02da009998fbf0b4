//! The table as values: a line is a word and what belongs to it, and `rule` begins the next rule.

use crate::report::Problem;

use super::{RULE, TABLE};

/// One rule of the boundary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Whose rule it is.
    pub(super) side: String,
    /// What the contract promises.
    pub(super) sentence: String,
    /// What proves it.
    pub(super) proofs: Vec<Proof>,
    /// What of it waits for services that are not there yet.
    pub(super) later: Option<String>,
    /// Why it has no test.
    pub(super) reason: Option<String>,
    /// The line at which it begins.
    pub(super) line: usize,
}

/// Something that proves a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Proof {
    /// A rule of the conformance suite.
    Check(String),
    /// A test of a crate.
    Test {
        /// The crate.
        package: String,
        /// The test's function.
        name: String,
    },
}

/// Reads the table; a line that is not understood is a problem.
pub(super) fn read(text: &str) -> (Vec<Rule>, Vec<Problem>) {
    let mut rules: Vec<Rule> = Vec::new();
    let mut problems = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let understood = match rules.last_mut() {
            _ if word == "rule" => begin(rest, at + 1).map(|rule| rules.push(rule)),
            Some(rule) => add(rule, word, rest),
            None => None,
        };
        if understood.is_none() {
            problems.push(Problem::at(RULE, TABLE, at + 1, format!("`{line}` is not understood")));
        }
    }
    (rules, problems)
}

fn begin(rest: &str, line: usize) -> Option<Rule> {
    let (number, side) = rest.split_once(' ')?;
    let known = matches!(side, "host" | "provider" | "both");
    let number = number.parse().ok().filter(|_| known)?;
    let (side, sentence) = (side.to_owned(), String::new());
    Some(Rule { number, side, sentence, proofs: Vec::new(), later: None, reason: None, line })
}

fn add(rule: &mut Rule, word: &str, rest: &str) -> Option<()> {
    if rest.is_empty() {
        return None;
    }
    let text = rest.to_owned();
    match word {
        "says" => rule.sentence = text,
        "check" => rule.proofs.push(Proof::Check(text)),
        "test" => {
            let (package, name) = rest.split_once(' ')?;
            rule.proofs.push(Proof::Test { package: package.to_owned(), name: name.to_owned() });
        }
        "later" => rule.later = Some(text),
        "reason" => rule.reason = Some(text),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_understood_is_a_problem() {
        for wrong in
            ["says before any rule", "rule x host", "rule 1 nobody", "rule 1 host\ntest alone", "rule 1 host\nmay x"]
        {
            assert_eq!(read(wrong).1.len(), 1, "{wrong}");
        }
    }
}

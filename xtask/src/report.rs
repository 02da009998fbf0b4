//! What a rule says: problems with a place, and remarks that fail nothing.
//!
//! Rules return problems; only `main` prints them and decides about the exit code.

use std::fmt::Write;

/// One breach of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The rule's name, as its file is called.
    pub(crate) rule: &'static str,
    /// Path from the root, or the name of a crate where no file is to blame.
    pub(crate) place: String,
    /// Line in that file, from 1; 0 where the whole file is meant.
    pub(crate) line: usize,
    /// What is wrong and what to do, one sentence without a period.
    pub(crate) text: String,
}

impl Problem {
    /// A problem with a whole file or crate.
    pub(crate) fn whole(rule: &'static str, place: &str, text: impl Into<String>) -> Self {
        Self::at(rule, place, 0, text)
    }

    /// A problem at a line, counted from 1.
    pub(crate) fn at(rule: &'static str, place: &str, line: usize, text: impl Into<String>) -> Self {
        Self { rule, place: place.to_owned(), line, text: text.into() }
    }
}

/// Everything that one command found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Breaches, in the order of the rules.
    pub(crate) problems: Vec<Problem>,
    /// Figures worth a look, such as the number of long files. They fail nothing.
    pub(crate) remarks: Vec<String>,
    /// How many rules were run.
    pub(crate) rules: usize,
}

impl Report {
    /// Takes in what one rule found.
    pub(crate) fn rule(&mut self, problems: Vec<Problem>) {
        self.rules += 1;
        self.problems.extend(problems);
    }

    /// The report as text: one line a problem, then the remarks, then one line of summary.
    pub(crate) fn print(&self, name: &str) -> String {
        let mut text = String::new();
        for problem in &self.problems {
            let line = match problem.line {
                0 => String::new(),
                line => format!(":{line}"),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}{line}: {} [{}]", problem.place, problem.text, problem.rule);
        }
        for remark in &self.remarks {
            let _ = writeln!(text, "note: {remark}");
        }
        let _ = writeln!(text, "{name}: {} rules, {} problems", self.rules, self.problems.len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_printed_with_its_place_and_its_rule() {
        let mut report = Report::default();
        report.rule(vec![Problem::at("todo", "a/b.rs", 7, "no issue number")]);
        assert_eq!(report.print("tidy"), "a/b.rs:7: no issue number [todo]\ntidy: 1 rules, 1 problems\n");
    }

    #[test]
    fn a_problem_of_a_whole_file_has_no_line() {
        let mut report = Report::default();
        report.rule(vec![Problem::whole("edges", "model", "is not listed")]);
        assert!(report.print("deps").starts_with("model: is not listed"));
    }
}

//! `xtask tidy`: the house style, one rule a file.
//!
//! A rule looks at the text of the tree and says what breaks it. Add one by adding a file with `check`, a test that
//! shows it failing and one that shows it passing, and a line below.

mod allow;
mod decisions;
mod file_length;
mod ignored_tests;
mod links;
mod machine_paths;
mod module_doc;
mod named_tests;
mod operator_records;
mod proto_docs;
mod purity;
mod test_names;
mod todo;

use std::path::Path;

use anyhow::Result;

use crate::report::{Problem, Report};
use crate::tree::Tree;

/// A rule: the tree in, its breaches out.
type Rule = fn(&Tree) -> Vec<Problem>;

/// All rules, in the order in which they report.
const RULES: &[Rule] = &[
    module_doc::check,
    file_length::check,
    todo::check,
    allow::check,
    ignored_tests::check,
    test_names::check,
    named_tests::check,
    purity::check,
    machine_paths::check,
    proto_docs::check,
    operator_records::check,
    links::check,
    decisions::check,
];

/// Runs every rule on the tree at `root`.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let tree = Tree::read(root)?;
    let mut report = Report::default();
    for rule in RULES {
        report.rule(rule(&tree));
    }
    report.remarks.extend(file_length::remark(&tree));
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_runs_on_a_folder_and_a_breach_is_reported() -> Result<()> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("a.rs"), "fn f() {}\n")?;
        let report = run(folder.path())?;
        assert_eq!(report.rules, RULES.len());
        let found = report.problems.iter().any(|found| found.rule == "module_doc" && found.place == "a.rs");
        assert!(found, "{:?}", report.problems);
        Ok(())
    }
}

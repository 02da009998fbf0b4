//! A page that names a test as its proof names one that there is.
//!
//! Every name in backticks in a column `Tests` of a table in a document has to be a test of this tree. What the test
//! proves, people judge.

use std::collections::BTreeSet;

use super::test_names::tests;
use crate::markdown;
use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "named_tests";
/// The head of the column.
const COLUMN: &str = "Tests";

/// Looks up every name in every such column.
pub(super) fn check(tree: &Tree) -> Vec<Problem> {
    let known: BTreeSet<&str> = tree.rust().flat_map(|(_, rust)| tests(&rust.code)).map(|(_, name)| name).collect();
    let mut problems = Vec::new();
    for file in tree.ending(".md") {
        for (line, name) in named(&file.text) {
            if !known.contains(name) {
                problems.push(Problem::at(RULE, &file.path, line, format!("there is no test `{name}`")));
            }
        }
    }
    problems
}

/// The names in such columns, each with its line.
fn named(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut column = None;
    for (line, words) in markdown::prose(text) {
        if !words.trim_start().starts_with('|') {
            column = None;
            continue;
        }
        let cells: Vec<&str> = words.trim().trim_matches('|').split('|').map(str::trim).collect();
        column = column.or_else(|| cells.iter().position(|cell| *cell == COLUMN));
        let cell = column.and_then(|column| cells.get(column)).copied().unwrap_or_default();
        found.extend(cell.split('`').skip(1).step_by(2).map(|name| (line, name)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    const TEST: (&str, &str) = ("a.rs", "//! x\n#[test]\nfn a_row_is_kept() {}\nfn a_helper() {}\n");

    #[test]
    fn a_test_that_is_there_passes_and_other_tables_and_columns_name_what_they_like() {
        let page = "| Fault | Tests |\n|---|---|\n| `x` lost | `a_row_is_kept` |\n\n| Tested |\n|---|\n| `nothing` |\n";
        assert_eq!(check(&tree(&[TEST, ("b.md", page)])), []);
    }

    #[test]
    fn a_test_that_is_not_there_is_refused_with_its_line() {
        let page =
            "# x\n\n| Fault | Tests |\n|---|---|\n| lost | `a_row_is_kept`, `a_row_is_lost` |\n| more | `a_helper` |\n";
        let lines: Vec<usize> = check(&tree(&[TEST, ("b.md", page)])).into_iter().map(|found| found.line).collect();
        assert_eq!(lines, [5, 6]);
    }
}

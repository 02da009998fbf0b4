//! `xtask guarantees`: `docs/guarantees.md` names every promise's function and test, and all of them exist.
//!
//! `contract` holds the names that the public contract gives to functions and tests; `page` looks at what the page
//! names; `allow` lists what enforces a promise, with the line that would let everything pass. `proof` applies those
//! lines one by one in a scratch copy and runs the tests that the page names: `xtask guarantees-check`.

mod allow;
mod contract;
mod page;
mod proof;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::report::{Problem, Report};
use crate::rust::Rust;
use crate::tree::Tree;

pub(crate) use proof::run as prove;

/// The page.
const PAGE: &str = "docs/guarantees.md";
/// Where the enforcing functions live.
const CORE: &str = "crates/lifecycle/src/";

/// Runs the rules on the tree at `root`.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let tree = Tree::read(root)?;
    let mut report = Report::default();
    let Some(page) = tree.get(PAGE) else {
        report.rule(vec![Problem::whole("guarantees", PAGE, "is missing")]);
        return Ok(report);
    };
    let known = Known::read(&tree);
    report.rule(contract::check(&page.text, &known));
    report.rule(page::check(&page.text, &known));
    report.rule(allow::check(&tree, &page.text, &known));
    Ok(report)
}

/// The names of functions and tests that there are.
#[derive(Debug, Default)]
struct Known {
    /// Functions of the core.
    functions: BTreeSet<String>,
    /// Tests anywhere.
    tests: BTreeSet<String>,
}

impl Known {
    fn read(tree: &Tree) -> Self {
        let mut known = Self::default();
        for (file, rust) in tree.rust() {
            let tests = tests(rust);
            if file.path.starts_with(CORE) {
                known.functions.extend(functions(&rust.code).filter(|name| !tests.contains(name)));
            }
            known.tests.extend(tests);
        }
        known
    }
}

/// The name of every function in this code.
fn functions(code: &str) -> impl Iterator<Item = String> + '_ {
    code.match_indices("fn ").map(|(at, found)| word(&code[at + found.len()..])).filter(|name| !name.is_empty())
}

/// The name of every function under `#[test]`.
fn tests(rust: &Rust) -> BTreeSet<String> {
    rust.code
        .match_indices("#[test]")
        .filter_map(|(at, _)| {
            let rest = &rust.code[at..];
            rest.find("fn ").map(|function| word(&rest[function + 3..]))
        })
        .collect()
}

/// The identifier at the beginning of the text.
fn word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

/// The words in single backticks, each with its line.
fn quoted(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (line, words) in crate::markdown::prose(text) {
        let inside = words.split('`').skip(1).step_by(2);
        found.extend(inside.map(|word| (line, word)));
    }
    found
}

/// What a test of a rule knows.
#[cfg(test)]
fn known(functions: &[&str], tests: &[&str]) -> Known {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Known { functions: set(functions), tests: set(tests) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn functions_of_the_core_and_tests_anywhere_are_known() {
        let tree = tree(&[
            ("crates/lifecycle/src/a.rs", "//! x\npub fn decide(s: &S) {}\n#[test]\nfn a_b_c() {}\n"),
            ("crates/other/tests/b.rs", "//! x\nfn helper() {}\n#[test]\nfn d_e_f() {}\n// #[test] fn not_this()\n"),
        ]);
        let known = Known::read(&tree);
        assert_eq!(known.functions.into_iter().collect::<Vec<_>>(), ["decide"]);
        assert_eq!(known.tests.into_iter().collect::<Vec<_>>(), ["a_b_c", "d_e_f"]);
    }

    #[test]
    fn what_stands_in_backticks_is_quoted_with_its_line() {
        assert_eq!(quoted("a `b` c\n`d`, `e`\n```\n`f`\n```\n"), [(1, "b"), (2, "d"), (2, "e")]);
    }
}

//! The names of the tests of each crate, and of the conformance suite's rules, as the sources have them.

use std::collections::BTreeSet;

use crate::tree::{File, Tree};
use crate::workspace::Workspace;

/// Where the conformance suite keeps its rules.
const CHECKS: &str = "crates/conformance/src/rules/";

/// How many lines an attribute may stand above its function: others, and comments, can be between.
const ABOVE: usize = 6;

/// The names that were found.
#[derive(Debug, Default)]
pub(super) struct Tests {
    tests: BTreeSet<(String, String)>,
    checks: BTreeSet<String>,
}

impl Tests {
    /// Reads the sources.
    pub(super) fn of(tree: &Tree, workspace: &Workspace) -> Self {
        let mut found = Self::default();
        for (file, _) in tree.rust() {
            if file.path.starts_with(CHECKS) {
                found.checks.extend(functions(file).map(|(_, name)| name.to_owned()));
            }
            let member =
                workspace.members.values().find(|member| file.path.starts_with(&format!("{}/", member.folder)));
            let Some(member) = member else { continue };
            let tests = functions(file).filter(|(at, _)| is_test(file, *at));
            found.tests.extend(tests.map(|(_, name)| (member.name.clone(), name.to_owned())));
        }
        found
    }

    /// Whether a crate has a test of this name.
    pub(super) fn has(&self, package: &str, name: &str) -> bool {
        self.tests.contains(&(package.to_owned(), name.to_owned()))
    }

    /// Whether the conformance suite has a rule of this name.
    pub(super) fn has_check(&self, name: &str) -> bool {
        self.checks.contains(name)
    }
}

/// The functions of a file with the index of their lines.
fn functions(file: &File) -> impl Iterator<Item = (usize, &str)> {
    file.text.lines().enumerate().filter_map(|(at, line)| {
        let after = line.split_once("fn ")?.1;
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
        let name = after.get(..end)?;
        (!name.is_empty()).then_some((at, name))
    })
}

/// Whether the function at a line is a test: an attribute says so, between it and the end of whatever stands before.
fn is_test(file: &File, at: usize) -> bool {
    let lines: Vec<&str> = file.text.lines().skip(at.saturating_sub(ABOVE)).take(at.min(ABOVE)).collect();
    let attributes = lines.iter().rev().take_while(|line| !line.trim().is_empty() && line.trim() != "}");
    attributes.into_iter().any(|line| line.trim().starts_with("#[test]") || line.trim().starts_with("#[tokio::test"))
}

//! What the page about attacks names is there: rules of the policies, and tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ptah_admission::policies;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/operator/attacks.md")).unwrap_or_default()
}

/// What the last column of every table names.
fn named(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let cells = rows.filter_map(|row| row.trim_end_matches(" |").rsplit_once(" | ")).map(|(_, cell)| cell);
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

/// Every Rust source of a folder.
fn sources(folder: &Path, text: &mut String) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

#[test]
fn every_claim_names_a_rule_or_a_test_that_exists() {
    let page = page();
    let mut text = String::new();
    for folder in ["crates", "bins", "tests/cluster/suite/src"] {
        sources(&root().join(folder), &mut text);
    }
    let rules: BTreeSet<&str> = policies().iter().flat_map(|policy| policy.rules.iter().map(|rule| rule.id)).collect();
    let named = named(&page);
    assert!(named.len() > 30, "the page is read wrongly: {named:?}");
    for name in named {
        // A scenario on a real API server is listed by its name.
        let is_test = text.contains(&format!("fn {name}(")) || text.contains(&format!("(\"{name}\""));
        assert!(rules.contains(name) || is_test, "{name} is no rule and no test");
    }
}

#[test]
fn every_row_says_what_holds_it() {
    for row in page().lines().filter(|line| line.starts_with("| ") && !line.starts_with("| What is tried")) {
        assert!(row.trim_end_matches(" |").ends_with('`'), "{row}");
    }
}

/// A rule that stops no attack of the page is a rule that nobody reads about.
#[test]
fn every_rule_stops_an_attack_of_the_page() {
    let page = page();
    let named = named(&page);
    for policy in policies() {
        for rule in policy.rules {
            assert!(named.contains(rule.id), "{} is not on the page", rule.id);
        }
    }
}

//! The page that lists what the suite tries is made from the suite. `PTAH_WRITE_REFERENCE=1` writes it.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::path::Path;

use ptah_conformance::{Rule, all};

const HEAD: &str = "# What the conformance suite tries

`ptah-provider-conformance` tries each of these on any executable, from outside:
[Test an executable provider](executable.md) shows how. A line is a check, what it needs besides a start, and the sentence of
the contract that it holds the provider to. A check that needs a feature that is not offered is not applicable.
[The rules](rules.md) has the same boundary from the other end: each rule with all that proves it.

This page is made by `PTAH_WRITE_REFERENCE=1 cargo test -p ptah-conformance --test page`.
";

/// The page as the suite has it.
fn page(rules: &[Rule]) -> String {
    let mut page = HEAD.to_owned();
    let mut concern = "";
    for rule in rules {
        if rule.concern != concern {
            concern = rule.concern;
            let mut heading = concern.to_owned();
            heading[..1].make_ascii_uppercase();
            write!(page, "\n## {heading}\n\n| Check | Needs | Sentence |\n|---|---|---|\n").unwrap();
        }
        let database = rule.database.then(|| "a database".to_owned());
        let needs = rule.needs.iter().map(|feature| format!("`{feature}`")).chain(database);
        let needs = needs.collect::<Vec<_>>().join(", ");
        let sentence = rule.sentence.replace('|', "\\|");
        writeln!(page, "| `{}` | {needs} | {sentence} |", rule.name).unwrap();
    }
    page
}

#[test]
fn the_page_lists_every_check_of_the_suite() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/providers/suite.md");
    let made = page(&all());
    if std::env::var_os("PTAH_WRITE_REFERENCE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "docs/providers/suite.md is not what the suite has: run the test with PTAH_WRITE_REFERENCE=1"
    );
}

#[test]
fn names_of_checks_are_never_the_same() {
    let mut names: Vec<&str> = all().iter().map(|rule| rule.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

//! `xtask rules`: every rule of the provider boundary has tests that exist, or a reason why it has none.
//!
//! `crates/conformance/rules.txt` is the one place that says which test proves which rule. Here it is read, every test
//! that it names is looked for in the sources, and the page that is made from it is compared.

mod page;
mod table;
mod tests_in;

use std::path::Path;

use anyhow::{Context, Result};

use crate::report::{Problem, Report};
use crate::tree::Tree;
use crate::workspace::Workspace;

use table::{Proof, Rule};
use tests_in::Tests;

/// The rule's name in reports.
const RULE: &str = "rules";
/// The table.
const TABLE: &str = "crates/conformance/rules.txt";
/// The page that is made from it.
const PAGE: &str = "docs/providers/rules.md";
/// How many rules the boundary has.
const COUNT: usize = 130;
/// How many may be without a test.
const REASONED_LIMIT: usize = 10;

/// Checks the table, the tests that it names, and the page.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let (tree, workspace) = (Tree::read(root)?, Workspace::read(root)?);
    let mut report = Report::default();
    let text = tree.get(TABLE).map(|file| file.text.as_str()).unwrap_or_default();
    let (rules, problems) = table::read(text);
    report.rule(problems);
    report.rule(complete(&rules));
    let tests = Tests::of(&tree, &workspace);
    report.rule(rules.iter().flat_map(|rule| missing(rule, &tests)).collect());
    let page = tree.get(PAGE).map(|file| file.text.as_str());
    report.rule(stale(&rules, page));
    let reasoned = rules.iter().filter(|rule| rule.reason.is_some()).count();
    let tested = rules.iter().filter(|rule| !rule.proofs.is_empty()).count();
    report.remarks.push(format!("rules: {}  tested: {tested}  reasoned: {reasoned}", rules.len()));
    Ok(report)
}

/// Writes the page.
pub(crate) fn write(root: &Path) -> Result<()> {
    let text = std::fs::read_to_string(root.join(TABLE)).with_context(|| format!("cannot read {TABLE}"))?;
    let (rules, _) = table::read(&text);
    let path = root.join(PAGE);
    let folder = path.parent().context("the page has no folder")?;
    std::fs::create_dir_all(folder)?;
    std::fs::write(&path, page::of(&rules)).with_context(|| format!("cannot write {PAGE}"))
}

/// Each number is there once, each rule is proven or has a reason, and reasons are few.
fn complete(rules: &[Rule]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for number in 1..=COUNT {
        let found = rules.iter().filter(|rule| rule.number == number).count();
        if found != 1 {
            problems.push(Problem::whole(
                RULE,
                TABLE,
                format!("rule {number} is there {found} times, and has to be once"),
            ));
        }
    }
    for rule in rules {
        let place = |text: String| Problem::at(RULE, TABLE, rule.line, text);
        if rule.sentence.is_empty() {
            problems.push(place(format!("rule {} says nothing", rule.number)));
        }
        match (rule.proofs.is_empty(), rule.reason.is_some()) {
            (true, false) => problems.push(place(format!("rule {} has no test and no reason", rule.number))),
            (false, true) => {
                problems.push(place(format!("rule {} has tests, so that its reason is stale", rule.number)));
            }
            _ => {}
        }
    }
    let reasoned = rules.iter().filter(|rule| rule.reason.is_some()).count();
    if reasoned > REASONED_LIMIT {
        let text = format!("{reasoned} rules have no test, and {REASONED_LIMIT} may");
        problems.push(Problem::whole(RULE, TABLE, text));
    }
    problems
}

/// The tests of a rule that are not in the sources.
fn missing(rule: &Rule, tests: &Tests) -> Vec<Problem> {
    let mut problems = Vec::new();
    for proof in &rule.proofs {
        let text = match proof {
            Proof::Check(name) if !tests.has_check(name) => format!("the conformance suite has no rule {name}"),
            Proof::Test { package, name } if !tests.has(package, name) => format!("{package} has no test {name}"),
            Proof::Check(_) | Proof::Test { .. } => continue,
        };
        problems.push(Problem::at(RULE, TABLE, rule.line, text));
    }
    problems
}

/// Whether the page is what the table makes.
fn stale(rules: &[Rule], page: Option<&str>) -> Vec<Problem> {
    if page == Some(page::of(rules).as_str()) {
        return Vec::new();
    }
    vec![Problem::whole(RULE, PAGE, "is not what the table makes: run `cargo run -p xtask -- rules write`")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;
    use crate::workspace::workspace;

    const TEXT: &str = "rule 1 host\nsays A promise.\ntest a it_holds\ncheck it_is_kept\n\nrule 2 both\nsays Another.\nreason no machine\n";

    #[test]
    fn a_test_that_does_not_exist_is_found() {
        let workspace = workspace(&[("a", "crates/a", &[]), ("b", "crates/b", &[])]);
        let tree = tree(&[
            ("crates/a/src/lib.rs", "//! x\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_holds() {}\n}\n"),
            ("crates/b/src/lib.rs", "//! x\nfn it_does_not() {}\n#[test]\nfn elsewhere() {}\n"),
            ("crates/conformance/src/rules/x.rs", "//! x\nasync fn it_is_kept(lab: &Lab) -> Check {}\n"),
        ]);
        let tests = Tests::of(&tree, &workspace);
        let (rules, problems) = table::read(TEXT);
        assert_eq!(problems, []);
        assert_eq!(rules.iter().flat_map(|rule| missing(rule, &tests)).collect::<Vec<_>>(), []);
        for (right, wrong) in [
            ("test a it_holds", "test a elsewhere"),
            ("test a it_holds", "test b it_does_not"),
            ("check it_is_kept", "check it_holds"),
        ] {
            let (rules, _) = table::read(&TEXT.replace(right, wrong));
            let found: Vec<_> = rules.iter().flat_map(|rule| missing(rule, &tests)).collect();
            assert_eq!(found.len(), 1, "{wrong}: {found:?}");
        }
    }

    #[test]
    fn a_rule_without_test_and_reason_and_a_missing_number_are_found() {
        let texts = |text: &str| -> Vec<String> {
            let (rules, _) = table::read(text);
            complete(&rules)
                .into_iter()
                .map(|problem| problem.text)
                .filter(|t| !t.contains("is there 0 times"))
                .collect()
        };
        assert_eq!(texts(TEXT), Vec::<String>::new());
        assert_eq!(texts(&TEXT.replace("reason no machine\n", "")), ["rule 2 has no test and no reason"]);
        assert_eq!(texts(&TEXT.replace("rule 2", "rule 1")).len(), 1, "twice");
        let (rules, _) = table::read(TEXT);
        assert_eq!(complete(&rules).len(), COUNT - 2, "the numbers that are missing");
    }

    #[test]
    fn a_page_that_is_stale_is_found() {
        let (rules, _) = table::read(TEXT);
        assert_eq!(stale(&rules, Some(&page::of(&rules))), []);
        assert_eq!(stale(&rules, Some("something else")).len(), 1);
        assert_eq!(stale(&rules, None).len(), 1);
    }
}

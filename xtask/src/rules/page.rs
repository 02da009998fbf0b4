//! The page of the book that is made from the table.

use std::fmt::Write as _;

use super::table::{Proof, Rule};

const HEAD: &str = "# The rules of the provider boundary

Each rule that host and provider keep, with what proves it. This page is made from
[`crates/conformance/rules.txt`](../../crates/conformance/rules.txt) by `cargo run -p xtask -- rules write`; `xtask rules`
fails when a rule has no test and no reason, when a test does not exist, and when this page is stale.

*suite* is a rule of `ptah-provider-conformance`, which tries it on any executable; the others are tests of a crate.

| Rule | Side | Sentence | Proven by |
|---|---|---|---|
";

/// The page.
pub(super) fn of(rules: &[Rule]) -> String {
    let mut text = HEAD.to_owned();
    for rule in rules {
        let mut proofs: Vec<String> = rule.proofs.iter().map(proof).collect();
        proofs.extend(rule.later.as_ref().map(|later| format!("*later*: {later}")));
        proofs.extend(rule.reason.as_ref().map(|reason| format!("*no test*: {reason}")));
        let (number, side, sentence) = (rule.number, &rule.side, &rule.sentence);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {number} | {side} | {sentence} | {} |", proofs.join("<br>"));
    }
    text
}

fn proof(proof: &Proof) -> String {
    match proof {
        Proof::Check(name) => format!("suite `{name}`"),
        Proof::Test { package, name } => format!("{package} `{name}`"),
    }
}

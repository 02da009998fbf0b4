//! `xtask readme`: the README beside the SDK states the contract field by field, and is current.
//!
//! It is put together from the protos, the validators and the documentation of the sources; what no source says stands in
//! `xtask/readme/`. `xtask readme write` writes it.

mod features;
mod page;
mod promises;
mod proto;

use std::path::Path;

use anyhow::{Context, Result};

use crate::report::{Problem, Report};
use crate::tree::Tree;

/// The rule's name in reports.
const RULE: &str = "readme";
/// The page.
const PAGE: &str = "crates/provider-sdk/README.md";

/// Compares the page with its sources.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let tree = Tree::read(root)?;
    let made = page::of(&tree)?;
    let kept = tree.get(PAGE).map(|file| file.text.as_str());
    let mut report = Report::default();
    report.rule(stale(&made, kept));
    report.remarks.push(format!("readme: {} lines", made.lines().count()));
    Ok(report)
}

/// Writes the page.
pub(crate) fn write(root: &Path) -> Result<()> {
    let made = page::of(&Tree::read(root)?)?;
    std::fs::write(root.join(PAGE), made).with_context(|| format!("cannot write {PAGE}"))
}

fn stale(made: &str, kept: Option<&str>) -> Vec<Problem> {
    let problem = Problem::whole(RULE, PAGE, "is stale: run `cargo run -p xtask -- readme write`");
    if kept == Some(made) { Vec::new() } else { vec![problem] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_that_is_stale_or_missing_is_found() {
        assert_eq!(stale("a", Some("a")).len(), 0);
        assert_eq!((stale("a", Some("b")).len(), stale("a", None).len()), (1, 1));
    }
}

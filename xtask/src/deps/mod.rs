//! `xtask deps`: the rules about crates, one a file.
//!
//! They prove from the manifests what the architecture says: who may see whom, which crates are pure, that no engine's
//! name stands above the boundary and no Kubernetes crate below the command line.

mod drivers;
mod edges;
mod empty;
mod engines;
mod inherit;
mod kubernetes;
mod pure;
mod table;

use std::path::Path;

use anyhow::Result;

use crate::report::Report;
use crate::tree::Tree;
use crate::workspace::Workspace;

/// Runs every rule on the workspace at `root`.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let workspace = Workspace::read(root)?;
    let tree = Tree::read(root)?;
    let mut report = Report::default();
    let (table, problems) = table::read(&tree);
    report.rule(problems);
    report.rule(edges::check(&workspace, &table));
    report.rule(pure::check(&workspace, &table));
    report.rule(inherit::check(&workspace));
    report.rule(drivers::check(&workspace));
    report.rule(kubernetes::check(&workspace));
    report.rule(empty::check(&workspace, &tree));
    report.rule(engines::check(&tree));
    Ok(report)
}

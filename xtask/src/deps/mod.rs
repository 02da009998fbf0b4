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

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "## Crates and edges\n\n| Layer | Crate | Purpose | May depend on |\n|---|---|---|---|\n| 1 edge | `low` | x | – |\n| 2 edge | `high` | x | EDGE |\n";
    const INHERITED: &str = "license.workspace = true\nrust-version.workspace = true\nedition.workspace = true\npublish.workspace = true\n[lints]\nworkspace = true\n";

    /// What is said about a workspace of two crates, `high` on `low`, when the table lists `edge`.
    fn problems_with(edge: &str) -> Result<Vec<String>> {
        let folder = tempfile::tempdir()?;
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            std::fs::write(path, text)
        };
        let root = "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n[workspace.package]\nlicense = \"Apache-2.0\"\nrust-version = \"1.85\"\nedition = \"2024\"\npublish = false\n[workspace.lints.rust]\nunsafe_code = \"deny\"\n";
        write("Cargo.toml", root)?;
        write("ARCHITECTURE.md", &TABLE.replace("EDGE", edge))?;
        for (name, dependencies) in [("low", ""), ("high", "[dependencies]\nlow = { path = \"../low\" }\n")] {
            let manifest = format!("[package]\nname = \"{name}\"\n{INHERITED}{dependencies}");
            write(&format!("crates/{name}/Cargo.toml"), &manifest)?;
            write(&format!("crates/{name}/src/lib.rs"), "//! x\npub fn f() {}\n")?;
        }
        let report = run(folder.path())?;
        Ok(report.problems.into_iter().map(|found| found.text).collect())
    }

    #[test]
    fn a_real_workspace_that_keeps_to_its_table_passes() -> Result<()> {
        assert_eq!(problems_with("`low`")?, Vec::<String>::new());
        Ok(())
    }

    #[test]
    fn a_real_workspace_with_another_edge_is_refused() -> Result<()> {
        let texts = problems_with("–")?;
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(texts[0].starts_with("high depends on low"));
        Ok(())
    }
}

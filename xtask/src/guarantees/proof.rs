//! `xtask guarantees-check`: with each enforcing function made to let everything pass, the test that the page names fails.
//!
//! Works on a scratch copy under the target folder, so that a crash leaves nothing in the sources.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::CORE;
use super::allow::{ROWS, Row, edited};
use crate::report::{Problem, Report};
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "proof";

/// The scratch copy and where it is built.
struct Scratch {
    tree: PathBuf,
    target: PathBuf,
}

/// What one run of a test came to.
#[derive(Debug, PartialEq, Eq)]
enum Ran {
    Passed,
    Failed,
    NotBuilt,
    NotFound,
}

/// Copies the tree at `root`, then tries every row in it.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let scratch = Scratch::copy(root)?;
    let mut report = Report::default();
    for row in ROWS {
        report.rule(scratch.try_row(row)?.into_iter().collect());
        writeln!(std::io::stderr(), "{} without {}", row.test, row.function)?;
    }
    Ok(report)
}

impl Scratch {
    fn copy(root: &Path) -> Result<Self> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let folder = target.join("guarantees");
        let tree = folder.join("tree");
        let mut current = std::collections::BTreeSet::new();
        for file in Tree::read(root)?.files {
            let path = tree.join(&file.path);
            // An unchanged file keeps its time, so that nothing is built again for nothing.
            if std::fs::read_to_string(&path).ok().as_deref() != Some(&file.text) {
                write(&path, &file.text)?;
            }
            current.insert(file.path);
        }
        for file in Tree::read(&tree)?.files {
            if !current.contains(&file.path) {
                std::fs::remove_file(tree.join(&file.path))?;
            }
        }
        Ok(Self { tree, target: folder.join("build") })
    }

    /// The row's problem, if it has one.
    fn try_row(&self, row: &Row) -> Result<Option<Problem>> {
        let path = self.tree.join(CORE).join(row.file);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let Some(changed) = edited(&text, row) else { bail!("{} has no {}", row.file, row.function) };
        write(&path, &changed)?;
        let ran = self.test(row.test);
        write(&path, &text)?;
        let text = match ran? {
            Ran::Failed => return Ok(None),
            Ran::Passed => format!("{} passes although {} lets everything pass", row.test, row.function),
            Ran::NotBuilt => format!("{} cannot be built with its edit", row.function),
            Ran::NotFound => format!("{} is not run by the tests of the lifecycle", row.test),
        };
        Ok(Some(Problem::whole(RULE, &format!("{CORE}{}", row.file), text)))
    }

    fn test(&self, name: &str) -> Result<Ran> {
        let cargo = |arguments: &[&str]| {
            Command::new("cargo")
                .args(["test", "--quiet", "--locked", "--package", "ptah-reconcile", "--test", "lifecycle"])
                .args(arguments)
                .current_dir(&self.tree)
                .env("CARGO_TARGET_DIR", &self.target)
                .env("RUST_BACKTRACE", "0")
                .stderr(Stdio::null())
                .output()
                .context("cannot run cargo")
        };
        if !cargo(&["--no-run"])?.status.success() {
            return Ok(Ran::NotBuilt);
        }
        let answer = cargo(&["--", &format!("::{name}")])?;
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        Ok(match (answer.status.success(), said.contains("running 0 tests")) {
            (true, true) => Ran::NotFound,
            (true, false) => Ran::Passed,
            (false, _) => Ran::Failed,
        })
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

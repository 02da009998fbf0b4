//! Checks of the house style, as a program: `xtask deps`, `xtask tidy`, `xtask rules`, `xtask contract`,
//! `xtask readme`, `xtask guarantees`, `xtask purity`. And `xtask new-provider`.
//!
//! Everything is read first (`tree`, `workspace`), then each rule is a function from what was read to a list of
//! problems, one rule a file under `deps/` and `tidy/`. Nothing here changes a file, except `purity`, which writes the
//! `clippy.toml` of the pure crates, what ends in `write`, which writes a page, and `new-provider`, which writes a crate.

mod contract;
mod deps;
mod guarantees;
mod manifest;
mod markdown;
mod purity;
mod readme;
mod report;
mod rules;
mod rust;
mod scaffold;
mod tidy;
mod tree;
mod workspace;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use report::Report;

/// What `xtask` can do, as it is printed when nothing that it knows was asked.
const USAGE: &str =
    "usage: xtask deps | tidy | rules [write] | contract [write] | readme [write] | guarantees | guarantees-check | purity
       xtask new-provider NAME [FOLDER]
  deps      the crate graph: edges, inheritance, purity, empty crates, engine names, Kubernetes
  tidy      the house style: one rule a file in xtask/src/tidy/
  rules     every rule of the provider boundary has tests that exist, or a reason; `rules write` makes their page
  contract  what was released of the provider contract keeps its shape; `contract write` makes the shape of a new minor
  readme    the README beside the SDK states the contract as the sources do; `readme write` makes it
  new-provider      write a crate that is a whole provider, to start from
  guarantees        the page of guarantees: every name that it owes is there and exists
  guarantees-check  with each enforcing function letting everything pass, the test that the page names fails
  purity    write the clippy.toml of every pure crate from the root one and xtask/purity/clippy.toml";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = root()?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["deps"] => finish("deps", &deps::run(&root)?),
        ["tidy"] => finish("tidy", &tidy::run(&root)?),
        ["guarantees"] => finish("guarantees", &guarantees::run(&root)?),
        ["guarantees-check"] => finish("guarantees-check", &guarantees::prove(&root)?),
        ["contract"] => finish("contract", &contract::run(&root)?),
        ["contract", "write"] => {
            contract::write(&root)?;
            Ok(ExitCode::SUCCESS)
        }
        ["rules"] => finish("rules", &rules::run(&root)?),
        ["rules", "write"] => {
            rules::write(&root)?;
            Ok(ExitCode::SUCCESS)
        }
        ["readme"] => finish("readme", &readme::run(&root)?),
        ["readme", "write"] => {
            readme::write(&root)?;
            Ok(ExitCode::SUCCESS)
        }
        ["new-provider", name, folder @ ..] if folder.len() <= 1 => {
            let folder = scaffold::write(&root, name, folder.first().copied())?;
            writeln!(std::io::stdout(), "new-provider: {} is a provider of the engine {name}", folder.display())?;
            Ok(ExitCode::SUCCESS)
        }
        ["purity"] => {
            let written = purity::write(&root)?;
            writeln!(std::io::stdout(), "purity: {written} files are current")?;
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            writeln!(std::io::stderr(), "{USAGE}")?;
            Ok(ExitCode::from(2))
        }
    }
}

/// Prints a report and turns it into the exit code: 0 without a problem, 1 with one.
fn finish(name: &str, report: &Report) -> Result<ExitCode> {
    write!(std::io::stdout(), "{}", report.print(name))?;
    Ok(if report.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The folder of the workspace: the parent of this crate's, so that the current folder does not matter.
fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(Path::to_path_buf).context("xtask is not inside a workspace")
}

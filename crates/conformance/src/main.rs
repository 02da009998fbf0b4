//! `ptah-provider-conformance PATH`: proves that an executable keeps the provider contract. Exit code 0 when no rule
//! failed, 1 when one did, 2 when it could not be tried.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use ptah_conformance::{Report, Rule, Target, all, run};

/// Proves that an executable keeps the provider contract.
#[derive(Debug, Parser)]
#[command(name = "ptah-provider-conformance", version, max_term_width = 100)]
struct Arguments {
    /// The executable
    #[arg(required_unless_present = "list")]
    path: Option<PathBuf>,
    /// The engine to test, by its name or an alias; the first that the executable describes when absent
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    // clap makes a line break of the placeholder itself, so it is described.
    /// The address of a database that may be filled and emptied; the letter `n` in braces in it becomes a fresh word
    /// for each rule. Read from the variable `PTAH_CONFORMANCE_ADDRESS` when absent, so that a credential in it need not
    /// stand in the process list. Without either, rules that need a database are not applicable
    #[arg(long, value_name = "URL")]
    address: Option<String>,
    /// A unit that creates an object; `{name}` in it becomes a new name
    #[arg(long, value_name = "TEXT", default_value = "CREATE TABLE {name} (id INTEGER)")]
    create: String,
    /// A unit that the engine refuses whatever is in the database
    #[arg(long, value_name = "TEXT", default_value = "this is no statement of any language")]
    fail: String,
    /// A unit that takes three seconds or more and changes nothing; rules that need one are not applicable without
    #[arg(long, value_name = "TEXT")]
    slow: Option<String>,
    /// A shell command that takes the run lock away from its holder; it reads the address from its standard input
    #[arg(long, value_name = "COMMAND")]
    steal: Option<String>,
    /// An environment entry for the executable, as a manifest has it; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE")]
    environment: Vec<String>,
    /// Try only the rules whose name or concern contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
    /// Also write `JUnit` XML to this file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// List the rules and try none
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match start(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "ptah-provider-conformance: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn start(arguments: Arguments) -> Result<ExitCode> {
    let rules = chosen(arguments.only.as_deref());
    ensure!(!rules.is_empty(), "no rule has such a name");
    if arguments.list {
        for rule in &rules {
            writeln!(std::io::stdout(), "{:<13}  {}\n{:15}{}", rule.concern, rule.name, "", rule.sentence)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (json, junit) = (arguments.json, arguments.junit.clone());
    let target = target(arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let report = runtime.block_on(with_progress(&target, &rules));
    if let Some(file) = junit {
        std::fs::write(&file, report.to_junit()).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let text = if json { format!("{:#}", report.to_json()) } else { report.to_string() };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(only: Option<&str>) -> Vec<Rule> {
    let wanted = |rule: &Rule| only.is_none_or(|text| rule.name.contains(text) || rule.concern.contains(text));
    all().into_iter().filter(wanted).collect()
}

fn target(arguments: Arguments) -> Result<Target> {
    let path = arguments.path.context("no executable was given")?;
    let executable = path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?;
    ensure!(executable.is_file(), "{} is no file", executable.display());
    let entry = |text: &String| {
        let parts = text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        parts.with_context(|| "an environment entry is NAME=VALUE".to_owned())
    };
    Ok(Target {
        executable,
        engine: arguments.engine,
        address: arguments.address.or_else(|| std::env::var("PTAH_CONFORMANCE_ADDRESS").ok()),
        create: arguments.create,
        fail: arguments.fail,
        slow: arguments.slow,
        steal: arguments.steal,
        environment: arguments.environment.iter().map(entry).collect::<Result<_>>()?,
    })
}

/// Runs, and says on a terminal how far it is.
async fn with_progress(target: &Target, rules: &[Rule]) -> Report {
    let shown = std::io::stderr().is_terminal();
    let mut done = 0;
    let report = run(target, rules, |told| {
        done += 1;
        if shown {
            let mut out = std::io::stderr();
            let _ = write!(out, "\r\x1b[K[{done}/{}] {}", rules.len(), told.rule.name);
            let _ = out.flush();
        }
    });
    let report = report.await;
    if shown {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    report
}

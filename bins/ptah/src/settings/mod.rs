//! Flags, variables and defaults put together: one resolved struct for each command.
//!
//! A flag goes before its variable, a variable before the default. What does not fit together is refused here, before a
//! file, a provider or a database is opened.

mod approval;
mod connection;
mod engine;
mod general;
mod plan;
mod policy;
pub mod redact;
mod sources;

use std::path::PathBuf;
use std::time::Duration;

use crate::arguments::parse_duration;
use crate::environment::{Environment, RUN_LOCK_TIMEOUT, STATEMENT_TIMEOUT};
use crate::failure::Failure;

pub use approval::{Adopted, Approval};
pub use connection::{Connection, Target};
pub use engine::{EngineChoice, Places};
pub use general::General;
pub use plan::{ApplySettings, ApplyWhat, PlanSettings, SaveTo, ViewSettings};
pub use policy::{Policy, column_order, looking_only};
pub use sources::{required as required_sources, sources};

/// What the program found around itself when it started.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The environment.
    pub environment: Environment,
    /// Whether stdin is a terminal.
    pub stdin_is_terminal: bool,
    /// Whether stderr is a terminal.
    pub stderr_is_terminal: bool,
    /// The working directory, where relative paths start; absent when it has no name or one that is no text.
    pub folder: Option<String>,
    /// The manifest under its usual name in the working directory, if there is one.
    pub default_manifest: Option<PathBuf>,
    /// The user's manifest for all working directories, if there is one.
    pub user_manifest: Option<PathBuf>,
    /// Where installed providers are unless something else is said; absent without a home folder.
    pub installations: Option<PathBuf>,
}

impl Surroundings {
    /// Whether a person can be asked something.
    pub fn can_ask(&self) -> bool {
        self.stdin_is_terminal && self.stderr_is_terminal
    }
}

/// How long a run waits and may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// For another run to end. Default 60 s.
    pub run_lock: Duration,
    /// For one statement; absent means as long as it needs.
    pub statement: Option<Duration>,
}

impl Waits {
    /// How long to wait for another run unless something else is said: long enough for a run of a normal size to end,
    /// short enough that a pipeline tells what it waits for.
    pub const RUN_LOCK: Duration = Duration::from_mins(1);

    /// From flags and variables.
    pub fn resolve(flags: crate::arguments::RunFlags, environment: &Environment) -> Result<Self, Failure> {
        let run_lock = Self::for_the_lock(flags.lock, environment)?;
        let statement = time(flags.statement_timeout, environment, STATEMENT_TIMEOUT)?;
        if statement.is_some_and(|t| t.is_zero()) {
            return Err(Failure::usage("a statement timeout of 0 lets no statement run")
                .hint("leave --statement-timeout out to let statements run as long as they need"));
        }
        Ok(Self { run_lock, statement })
    }

    /// How long to wait for another run, from flags and variables.
    pub fn for_the_lock(flags: crate::arguments::LockFlags, environment: &Environment) -> Result<Duration, Failure> {
        Ok(time(flags.run_lock_timeout, environment, RUN_LOCK_TIMEOUT)?.unwrap_or(Self::RUN_LOCK))
    }
}

/// A time from its flag, else from its variable.
fn time(
    flag: Option<Duration>,
    environment: &Environment,
    variable: &'static str,
) -> Result<Option<Duration>, Failure> {
    if flag.is_some() {
        return Ok(flag);
    }
    let parsed = environment.text(variable)?.map(parse_duration).transpose();
    parsed.map_err(|error| Failure::usage(format!("{variable}: {error}")))
}

/// One of a few words from its flag, else from its variable.
fn word<T: clap::ValueEnum>(
    flag: Option<T>,
    environment: &Environment,
    variable: &'static str,
) -> Result<Option<T>, Failure> {
    if flag.is_some() {
        return Ok(flag);
    }
    let Some(text) = environment.text(variable)? else {
        return Ok(None);
    };
    T::from_str(text, false).map(Some).map_err(|_| {
        let words: Vec<String> =
            T::value_variants().iter().filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned())).collect();
        Failure::usage(format!("{variable} is none of the words that it can be"))
            .hint(format!("one of {}", words.join(", ")))
    })
}

#[cfg(test)]
mod tests;

//! What can be typed: commands and flags, and nothing about what they mean together.
//!
//! Parsing reads no environment and no file; [`crate::settings`] puts flags, variables and defaults together.

mod common;
mod completion;
mod db;
mod duration;
mod providers;
mod schema;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::environment::BOUND;

pub use common::{
    ColumnOrder, ConnectionFlags, EngineFlags, LockFlags, PlaceFlags, PolicyFlags, RunFlags, SourceFlags, TxMode,
    ViewFlags,
};
pub use completion::Shell;
pub use db::{DbCommand, DbForget, DbRead};
pub use duration::{DurationError, parse_duration};
pub use providers::{ProvidersCommand, ProvidersDescribe, ProvidersInstall, ProvidersRemove};
pub use schema::{
    DriftSeverity, SchemaApply, SchemaCommand, SchemaCompare, SchemaDiff, SchemaDrift, SchemaInspect, SchemaPlan,
    SchemaRender, SchemaValidate,
};

/// Makes a database match a declared schema
///
/// A change runs only while the decision that authorised it still stands, at most once, and its outcome is known or said
/// to be unknown.
#[derive(Clone, Debug, Parser)]
#[command(name = "ptah", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What holds for every command.
    #[command(flatten)]
    pub general: GeneralFlags,
    /// What is to be done.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done, or nothing to do
  1  the check worked, and its answer is no
  2  refused or failed, and nothing of the change is in the database
  3  something is or may be in the database: look before you try again";

/// What holds for every command.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct GeneralFlags {
    /// Write one JSON document to stdout, on failure too
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colour [default: auto]
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<Colour>,
    /// Show no progress
    #[arg(long, global = true)]
    pub no_progress: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Declare, compare and change a schema
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// Look at a database, and at what Ptah keeps in it
    #[command(subcommand)]
    Db(DbCommand),
    /// Install providers of engines, and look at them
    #[command(subcommand)]
    Providers(ProvidersCommand),
    /// Say which build this is, and what it speaks
    Version,
    /// Write a completion script for a shell
    Completion {
        /// Which shell
        shell: Shell,
    },
    /// Be the provider of a bundled engine. Started by `ptah` itself
    #[command(name = "__provider", hide = true)]
    Provider {
        /// Which engine.
        engine: String,
    },
}

/// The command line with the variables of its flags in the help.
pub fn command_line() -> clap::Command {
    with_variables(Arguments::command())
}

fn with_variables(command: clap::Command) -> clap::Command {
    let named = |argument: clap::Arg| {
        let Some(bound) = BOUND.iter().find(|b| argument.get_long() == Some(b.flag)) else {
            return argument;
        };
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        argument.help(format!("{help} [env: {}]", bound.variable))
    };
    command.mut_args(named).mut_subcommands(with_variables)
}

#[cfg(test)]
mod tests;

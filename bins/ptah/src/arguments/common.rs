//! Groups of flags that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::parse_duration;

/// Where the desired state comes from.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Sources")]
pub struct SourceFlags {
    /// A file of the desired schema, a directory of such files, or `-` for stdin. May be repeated
    #[arg(long, value_name = "PATH")]
    pub schema_file: Vec<PathBuf>,
}

/// Which engine, and whose provider.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineFlags {
    /// The engine [default: from the address, else the only bundled one]
    #[arg(long, value_name = "ENGINE")]
    pub dialect: Option<String>,
    /// Where other providers than the bundled ones are named.
    #[command(flatten)]
    pub places: PlaceFlags,
}

/// Where other providers than the bundled ones are named.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Engine")]
pub struct PlaceFlags {
    /// The manifest of providers [default: ptah-providers.yaml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub providers: Option<PathBuf>,
    /// The folder of installed providers [default: ptah/providers in the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub install_dir: Option<PathBuf>,
}

/// How to reach a database.
#[derive(Clone, Default, Args)]
#[command(next_help_heading = "Database")]
pub struct ConnectionFlags {
    /// The address of the database. Other users of the machine can see it here; a file or the variable hides it
    #[arg(long, value_name = "URL", conflicts_with = "db_url_file")]
    pub db_url: Option<String>,
    /// A file whose only line is the address of the database
    #[arg(long, value_name = "FILE")]
    pub db_url_file: Option<PathBuf>,
    /// How long to wait for the locks of other writers [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub lock_timeout: Option<Duration>,
    /// Let a reading repair what a crashed writer left. A command that changes the database always does
    #[arg(long)]
    pub recover: bool,
    /// Go on although the provider warns of this; its message names the word. May be repeated
    #[arg(long, value_name = "WORD")]
    pub accept: Vec<String>,
}

/// Without the address.
impl std::fmt::Debug for ConnectionFlags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectionFlags")
            .field("db_url", &self.db_url.as_ref().map(|_| "…"))
            .field("db_url_file", &self.db_url_file)
            .field("lock_timeout", &self.lock_timeout)
            .field("recover", &self.recover)
            .field("accept", &self.accept)
            .finish()
    }
}

/// What shapes a plan. All of it is recorded in the plan, so none of it may be given again with a saved one.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Plan")]
pub struct PolicyFlags {
    /// How units are put into transactions [default: file]
    #[arg(long, value_name = "MODE")]
    pub tx_mode: Option<TxMode>,
    /// Whether the order of columns is a difference [default: ignore]
    #[arg(long, value_name = "HOW")]
    pub column_order: Option<ColumnOrder>,
    /// Permit steps that lose something for good
    #[arg(long)]
    pub allow_destructive: bool,
    /// Permit a desired schema without any object, and one that drops every table
    #[arg(long)]
    pub allow_empty: bool,
    /// A table that is never dropped and never loses rows or columns. May be repeated
    #[arg(long, value_name = "TABLE")]
    pub protected_table: Vec<String>,
    /// Believe nothing that was proven earlier: create and read the desired schema again
    #[arg(long)]
    pub fresh: bool,
}

/// How a plan is shown.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct ViewFlags {
    /// Show everything that is known of each step
    #[arg(long)]
    pub explain: bool,
    /// Show the keys of rows that stand against a change. Never part of JSON
    #[arg(long)]
    pub show_rows: bool,
}

/// How long to wait for another run.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Run")]
pub struct LockFlags {
    /// How long to wait for another run to end [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub run_lock_timeout: Option<Duration>,
}

/// How long a run waits and may take.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Run")]
pub struct RunFlags {
    /// How long to wait.
    #[command(flatten)]
    pub lock: LockFlags,
    /// How long one step of a change may take, all its statements together [default: as long as it needs]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub statement_timeout: Option<Duration>,
}

/// How units are put into transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TxMode {
    /// As few transactions as the rules of the steps allow
    File,
    /// The same: a plan is one unit of work
    All,
    /// Each step alone and outside of a transaction, except where its rules ask for one
    None,
}

/// Whether the order of columns is a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColumnOrder {
    /// It is told and changes nothing
    Ignore,
    /// It is a difference like any other
    Exact,
}

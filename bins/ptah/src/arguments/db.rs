//! `ptah db`: what can be typed to look at a database.

use clap::{Args, Subcommand};

use super::{ConnectionFlags, EngineFlags, LockFlags};

/// The commands of `ptah db`.
#[derive(Clone, Debug, Subcommand)]
pub enum DbCommand {
    /// Write the schema of a database as SQL to stdout
    Read(DbRead),
    /// Say what is known about a database and its server
    Capabilities(DbRead),
    /// Take away everything that Ptah keeps in a database
    Forget(DbForget),
}

/// A command that only reads.
#[derive(Clone, Debug, Args)]
pub struct DbRead {
    /// The database.
    #[command(flatten)]
    pub connection: ConnectionFlags,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
}

/// `ptah db forget`.
#[derive(Clone, Debug, Args)]
pub struct DbForget {
    /// The database.
    #[command(flatten)]
    pub connection: ConnectionFlags,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
    /// How long to wait.
    #[command(flatten)]
    pub run: LockFlags,
    /// Do not ask
    #[arg(long, help_heading = "Approval")]
    pub auto_approve: bool,
}

//! `ptah schema`: what can be typed to declare, compare and change a schema.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use ptah_model::Digest;

use super::{ConnectionFlags, EngineFlags, PolicyFlags, RunFlags, SourceFlags, ViewFlags};

/// The commands of `ptah schema`.
#[derive(Clone, Debug, Subcommand)]
pub enum SchemaCommand {
    /// Write the desired schema as SQL to stdout, as the engine reads it back
    Render(SchemaRender),
    /// Check the desired schema without a database
    Validate(SchemaValidate),
    /// Show a schema, object by object
    Inspect(SchemaInspect),
    /// Write the SQL that leads from one schema to another to stdout. Needs no database
    Diff(SchemaDiff),
    /// Show how a database differs from the desired schema
    Compare(SchemaCompare),
    /// Fail when a database differs from the desired schema
    Drift(SchemaDrift),
    /// Make a plan, and save it where `--output` or `--save` says
    Plan(Box<SchemaPlan>),
    /// Change a database, after approval
    Apply(Box<SchemaApply>),
}

/// `ptah schema render`.
#[derive(Clone, Debug, Args)]
pub struct SchemaRender {
    /// The desired state.
    #[command(flatten)]
    pub sources: SourceFlags,
    /// Open nothing: go by what the sources say and what the engine declares of itself. Weaker, and said to be
    #[arg(long, help_heading = "Sources")]
    pub offline: bool,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
}

/// `ptah schema validate`.
#[derive(Clone, Debug, Args)]
pub struct SchemaValidate {
    /// The desired state.
    #[command(flatten)]
    pub sources: SourceFlags,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
}

/// `ptah schema inspect`: sources or a database, not both.
#[derive(Clone, Debug, Args)]
pub struct SchemaInspect {
    /// The desired state.
    #[command(flatten)]
    pub sources: SourceFlags,
    /// The database.
    #[command(flatten)]
    pub connection: ConnectionFlags,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
}

/// `ptah schema diff`.
#[derive(Clone, Debug, Args)]
pub struct SchemaDiff {
    /// A file or directory of the schema that is there. May be repeated
    #[arg(long, value_name = "PATH", required = true, help_heading = "Sources")]
    pub from: Vec<PathBuf>,
    /// A file or directory of the schema that is wanted. May be repeated
    #[arg(long, value_name = "PATH", required = true, help_heading = "Sources")]
    pub to: Vec<PathBuf>,
    /// Open nothing: go by what the sources say and what the engine declares of itself. Weaker, and said to be
    #[arg(long, conflicts_with = "column_order", help_heading = "Sources")]
    pub offline: bool,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
    /// Whether the order of columns is a difference [default: ignore]
    #[arg(long, value_name = "HOW", help_heading = "Plan")]
    pub column_order: Option<super::ColumnOrder>,
}

/// `ptah schema compare`.
#[derive(Clone, Debug, Args)]
pub struct SchemaCompare {
    /// The desired state.
    #[command(flatten)]
    pub sources: SourceFlags,
    /// The database.
    #[command(flatten)]
    pub connection: ConnectionFlags,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
    /// Whether the order of columns is a difference [default: ignore]
    #[arg(long, value_name = "HOW", help_heading = "Plan")]
    pub column_order: Option<super::ColumnOrder>,
    /// Exit with 1 when there is a difference
    #[arg(long, help_heading = "Output")]
    pub exit_code: bool,
}

/// `ptah schema drift`.
#[derive(Clone, Debug, Args)]
pub struct SchemaDrift {
    /// The desired state.
    #[command(flatten)]
    pub sources: SourceFlags,
    /// The database.
    #[command(flatten)]
    pub connection: ConnectionFlags,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
    /// Whether the order of columns is a difference [default: ignore]
    #[arg(long, value_name = "HOW", help_heading = "Plan")]
    pub column_order: Option<super::ColumnOrder>,
    /// Which differences fail: all, or only those whose repair would lose something
    #[arg(long, value_name = "WHICH", default_value = "all", help_heading = "Output")]
    pub severity: DriftSeverity,
}

/// Which differences make `schema drift` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DriftSeverity {
    /// Every difference
    All,
    /// Only differences whose repair would lose something for good
    Destructive,
}

/// `ptah schema plan`.
#[derive(Clone, Debug, Args)]
pub struct SchemaPlan {
    /// The desired state.
    #[command(flatten)]
    pub sources: SourceFlags,
    /// The database.
    #[command(flatten)]
    pub connection: ConnectionFlags,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
    /// The policy.
    #[command(flatten)]
    pub policy: PolicyFlags,
    /// The view.
    #[command(flatten)]
    pub view: ViewFlags,
    /// With `--save`: the plan's name, without a path [default: made from what it leads from and to]
    #[arg(long, value_name = "NAME", help_heading = "Plan", requires = "save")]
    pub name: Option<String>,
    /// Save the plan to this file. A file that holds another plan is not overwritten
    #[arg(long, value_name = "FILE", help_heading = "Plan")]
    pub output: Option<PathBuf>,
    /// Save the plan as `<name>.plan.json` in the working directory
    #[arg(long, help_heading = "Plan")]
    pub save: bool,
    /// Write the plan to stdout and save nothing
    #[arg(long, help_heading = "Plan", conflicts_with_all = ["output", "save"])]
    pub dry_run: bool,
}

/// `ptah schema apply`.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one flag that can be typed; settings make one choice of them"
)]
pub struct SchemaApply {
    /// The desired state.
    #[command(flatten)]
    pub sources: SourceFlags,
    /// The database.
    #[command(flatten)]
    pub connection: ConnectionFlags,
    /// The engine.
    #[command(flatten)]
    pub engine: EngineFlags,
    /// The policy.
    #[command(flatten)]
    pub policy: PolicyFlags,
    /// The view.
    #[command(flatten)]
    pub view: ViewFlags,
    /// How long to wait.
    #[command(flatten)]
    pub run: RunFlags,
    /// Carry out this saved plan and nothing else
    #[arg(long, value_name = "FILE", help_heading = "Approval")]
    pub plan: Option<PathBuf>,
    /// Approve the saved plan that has this digest, and no other
    #[arg(
        long,
        value_name = "sha256:…",
        help_heading = "Approval",
        requires = "plan",
        conflicts_with = "auto_approve"
    )]
    pub plan_digest: Option<Digest>,
    /// Approve whatever the plan turns out to be
    #[arg(long, help_heading = "Approval")]
    pub auto_approve: bool,
    /// End where approval would be asked for, and change nothing; what a crashed writer left is put in order first
    #[arg(long, help_heading = "Approval")]
    pub dry_run: bool,
    /// This database is the one that Ptah knows, at another place
    #[arg(long, help_heading = "Database", conflicts_with = "as_copy")]
    pub accept_moved: bool,
    /// This database is a copy of the one that Ptah knows
    #[arg(long, help_heading = "Database")]
    pub as_copy: bool,
}

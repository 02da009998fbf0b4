//! The settings of `schema plan` and `schema apply`.

use std::path::PathBuf;

use super::{Adopted, Approval, Connection, EngineChoice, Policy, Surroundings, Waits, sources};
use crate::arguments::{PolicyFlags, SchemaApply, SchemaPlan, ViewFlags};
use crate::environment::{EXPLAIN, Environment};
use crate::failure::Failure;

/// How a plan is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewSettings {
    /// Everything that is known of each step.
    pub explain: bool,
    /// The keys of rows that stand against a change.
    pub show_rows: bool,
}

impl ViewSettings {
    /// From flags and variables.
    pub fn resolve(flags: ViewFlags, environment: &Environment) -> Result<Self, Failure> {
        Ok(Self { explain: flags.explain || environment.switch(EXPLAIN)?, show_rows: flags.show_rows })
    }
}

/// Where a plan goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveTo {
    /// It is only shown.
    Nowhere,
    /// Its document goes to stdout.
    Stdout,
    /// Into this file.
    File(PathBuf),
    /// Into `<name>.plan.json` in the working directory.
    ByName,
}

/// The settings of `schema plan`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSettings {
    /// The desired state; at least one source.
    pub sources: Vec<PathBuf>,
    /// The database.
    pub connection: Connection,
    /// The engine.
    pub engine: EngineChoice,
    /// What shapes the plan.
    pub policy: Policy,
    /// How it is shown.
    pub view: ViewSettings,
    /// Its name, if it was given one.
    pub name: Option<String>,
    /// Where it goes.
    pub save: SaveTo,
}

impl PlanSettings {
    /// From flags and variables.
    pub fn resolve(flags: &SchemaPlan, around: &Surroundings) -> Result<Self, Failure> {
        let environment = &around.environment;
        environment.check()?;
        let save = match (&flags.output, flags.save, flags.dry_run) {
            (Some(_), true, _) => {
                return Err(Failure::usage("both --save and --output say where the plan goes").hint("keep one"));
            }
            (Some(file), false, _) => SaveTo::File(file.clone()),
            (None, true, _) => SaveTo::ByName,
            (None, false, true) => SaveTo::Stdout,
            (None, false, false) => SaveTo::Nowhere,
        };
        Ok(Self {
            sources: sources::required(&flags.sources, environment)?,
            connection: Connection::resolve(&flags.connection, around)?,
            engine: EngineChoice::resolve(&flags.engine, around)?,
            policy: Policy::resolve(&flags.policy, environment)?,
            view: ViewSettings::resolve(flags.view, environment)?,
            name: flags.name.as_deref().map(plan_name).transpose()?,
            save,
        })
    }
}

/// A name that can be part of a file's name on every system.
fn plan_name(name: &str) -> Result<String, Failure> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 128 || name.starts_with(['.', '-']) || !name.chars().all(allowed) {
        return Err(Failure::usage("the plan's name is malformed")
            .hint("a name has 1 to 128 letters, digits, `-`, `_` or `.`, and begins with neither `.` nor `-`"));
    }
    Ok(name.to_owned())
}

/// What `schema apply` carries out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyWhat {
    /// A plan that is made now, under the lock.
    Sources {
        /// The desired state; at least one source.
        sources: Vec<PathBuf>,
        /// What shapes the plan.
        policy: Policy,
    },
    /// A saved plan, as it is.
    Plan(PathBuf),
}

/// The settings of `schema apply`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplySettings {
    /// What is carried out.
    pub what: ApplyWhat,
    /// The database.
    pub connection: Connection,
    /// The engine.
    pub engine: EngineChoice,
    /// How the plan is shown.
    pub view: ViewSettings,
    /// How long to wait.
    pub waits: Waits,
    /// Who consents, and how.
    pub approval: Approval,
    /// What the database is, if it was moved or copied.
    pub adopted: Option<Adopted>,
}

impl ApplySettings {
    /// From flags and variables.
    pub fn resolve(flags: &SchemaApply, around: &Surroundings) -> Result<Self, Failure> {
        let environment = &around.environment;
        environment.check()?;
        let what = match &flags.plan {
            Some(file) => {
                refuse_reshaping(flags)?;
                ApplyWhat::Plan(file.clone())
            }
            None => ApplyWhat::Sources {
                sources: sources::required(&flags.sources, environment)?,
                policy: Policy::resolve(&flags.policy, environment)?,
            },
        };
        let stdin_is_source =
            matches!(&what, ApplyWhat::Sources { sources, .. } if sources.iter().any(|s| super::sources::is_stdin(s)));
        let adopted = match (flags.accept_moved, flags.as_copy) {
            (true, _) => Some(Adopted::Moved),
            (false, true) => Some(Adopted::Copy),
            (false, false) => None,
        };
        Ok(Self {
            what,
            connection: Connection::resolve(&flags.connection, around)?,
            engine: EngineChoice::resolve(&flags.engine, around)?,
            view: ViewSettings::resolve(flags.view, environment)?,
            waits: Waits::resolve(flags.run, environment)?,
            approval: approval(flags)?.check(around, stdin_is_source)?,
            adopted,
        })
    }
}

fn approval(flags: &SchemaApply) -> Result<Approval, Failure> {
    match (flags.dry_run, flags.auto_approve, flags.plan_digest) {
        (true, ..) => Ok(Approval::DryRun),
        (false, false, None) => Ok(Approval::Ask),
        (false, true, None) => Ok(Approval::Given),
        (false, false, Some(digest)) => Ok(Approval::ForDigest(digest)),
        (false, true, Some(_)) => {
            Err(Failure::usage("--auto-approve and --plan-digest approve different things").hint("keep one"))
        }
    }
}

/// Names every flag that would make another plan of a saved one. What a variable says of a plan that is made now does
/// not count for a saved one: it has its own record.
fn refuse_reshaping(flags: &SchemaApply) -> Result<(), Failure> {
    let PolicyFlags { tx_mode, column_order, allow_destructive, allow_empty, protected_table, fresh } = &flags.policy;
    let given = [
        ("--schema-file", !flags.sources.schema_file.is_empty()),
        ("--tx-mode", tx_mode.is_some()),
        ("--column-order", column_order.is_some()),
        ("--allow-destructive", *allow_destructive),
        ("--allow-empty", *allow_empty),
        ("--protected-table", !protected_table.is_empty()),
        ("--fresh", *fresh),
    ];
    let named: Vec<&str> = given.iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| *flag).collect();
    if named.is_empty() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "a saved plan is carried out as it is, and {} would make another one",
        named.join(", ")
    ))
    .hint("make a new plan with these flags: ptah schema plan"))
}

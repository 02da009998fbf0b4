//! What each command does, one file a command: settings in, work by `drive`, views out.

mod apply;
mod capabilities;
mod compare;
mod consent;
mod diff;
mod engine;
mod forget;
mod inspect;
mod offline;
mod other;
mod phases;
mod plan;
mod providers;
mod read;
mod render;
mod validate;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use ptah_drive::look::Place;
use ptah_drive::run::Target;
use ptah_model::Diagnostic;
use ptah_sources::Sources;

use crate::arguments::{Command, DbCommand, ProvidersCommand, SchemaCommand};
use crate::failure::{Exit, Failure, INTERRUPTED};
use crate::output::{Output, Page, style};
use crate::settings::{Connection, Surroundings};
use crate::signals::Signals;
use crate::view::diagnostics::{self, Texts};

/// What a command works with.
#[derive(Debug)]
pub struct Context {
    /// Where it writes.
    pub output: Output,
    /// What the program found around itself.
    pub around: Surroundings,
    /// Whether a person wants it to stop.
    pub signals: Signals,
    /// The sources that were read, for findings that point into them.
    sources: Mutex<Vec<Arc<Sources>>>,
}

/// Work that is under way. In a box, because a whole command is larger than a stack should carry around.
type Work<'a> = Pin<Box<dyn Future<Output = Result<Exit, Failure>> + 'a>>;

/// Does what was asked.
pub async fn run(context: &Context, command: &Command) -> Result<Exit, Failure> {
    match command {
        // These two may change a database, so they look themselves at whether a person wants them to stop.
        Command::Schema(SchemaCommand::Apply(flags)) => Box::pin(apply::run(context, flags)).await,
        Command::Db(DbCommand::Forget(flags)) => Box::pin(forget::run(context, flags)).await,
        Command::Schema(command) => context.until_stopped(schema(context, command)).await,
        Command::Db(command) => context.until_stopped(database(context, command)).await,
        Command::Providers(command) => context.until_stopped(providers(context, command)).await,
        Command::Version => Ok(other::version(context)),
        Command::Completion { shell } => Ok(other::completion(context, *shell)),
        Command::Provider { .. } => Err(Failure::usage("a provider is started by ptah itself")),
    }
}

fn schema<'a>(context: &'a Context, command: &'a SchemaCommand) -> Work<'a> {
    match command {
        SchemaCommand::Render(flags) => Box::pin(render::run(context, flags)),
        SchemaCommand::Validate(flags) => Box::pin(validate::run(context, flags)),
        SchemaCommand::Inspect(flags) => Box::pin(inspect::run(context, flags)),
        SchemaCommand::Diff(flags) => Box::pin(diff::run(context, flags)),
        SchemaCommand::Compare(flags) => Box::pin(compare::compare(context, flags)),
        SchemaCommand::Drift(flags) => Box::pin(compare::drift(context, flags)),
        SchemaCommand::Plan(flags) => Box::pin(plan::run(context, flags)),
        SchemaCommand::Apply(flags) => Box::pin(apply::run(context, flags)),
    }
}

fn providers<'a>(context: &'a Context, command: &'a ProvidersCommand) -> Work<'a> {
    match command {
        ProvidersCommand::Install(flags) => Box::pin(providers::install(context, flags)),
        ProvidersCommand::List(flags) => Box::pin(std::future::ready(providers::list(context, flags))),
        ProvidersCommand::Check(flags) => Box::pin(providers::check(context, flags)),
        ProvidersCommand::Describe(flags) => Box::pin(providers::describe(context, flags)),
        ProvidersCommand::Remove(flags) => Box::pin(providers::remove(context, flags)),
    }
}

fn database<'a>(context: &'a Context, command: &'a DbCommand) -> Work<'a> {
    match command {
        DbCommand::Read(flags) => Box::pin(read::run(context, flags)),
        DbCommand::Capabilities(flags) => Box::pin(capabilities::run(context, flags)),
        DbCommand::Forget(flags) => Box::pin(forget::run(context, flags)),
    }
}

impl Context {
    /// A context without sources.
    pub fn new(output: Output, around: Surroundings, signals: Signals) -> Self {
        Self { output, around, signals, sources: Mutex::default() }
    }

    /// Shows why a command ended early.
    pub fn tell_failure(&self, failure: &Failure) {
        let read = self.read_sources();
        let page = crate::view::failure::page(failure, &Texts::of(read.iter().map(AsRef::as_ref)));
        self.output.tell(&page);
        if self.output.json() {
            self.output.document(&crate::view::failure::document(failure));
        }
    }

    /// Work that changes nothing is given up when a person wants to stop.
    async fn until_stopped<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        tokio::select! {
            result = work => result,
            () = self.signals.stop().asked() => Err(Failure::new(INTERRUPTED, "it was interrupted")),
        }
    }

    /// Reads sources, and keeps them for findings.
    fn read(&self, paths: &[PathBuf]) -> Result<Arc<Sources>, Failure> {
        let sources = ptah_sources::read(paths, &mut std::io::stdin().lock()).map_err(Failure::sources)?;
        let sources = Arc::new(sources);
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&sources));
        self.tell_findings(&sources.notes);
        Ok(sources)
    }

    fn read_sources(&self) -> Vec<Arc<Sources>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Shows findings with their places.
    fn tell_findings(&self, findings: &[Diagnostic]) {
        if !findings.is_empty() {
            let read = self.read_sources();
            let mut page = diagnostics::page(findings, &Texts::of(read.iter().map(AsRef::as_ref)));
            self.output.tell(page.gap());
        }
    }

    /// Shows what opening a database took.
    fn tell_notes(&self, notes: &[String]) {
        consent::tell_notes(&self.output, notes);
    }

    /// Shows what opening a database took, and says so where there is none: it reads as empty, which a wrong path should
    /// not be mistaken for.
    fn tell_target(&self, target: &Target) {
        self.tell_notes(&target.notes);
        if !target.exists {
            self.tell_notes(&[format!("{} does not exist, and reads as empty", target.database)]);
        }
    }

    /// Says that a password could be read by others, if it could.
    fn warn_of_password(&self, connection: &Connection) {
        if connection.password_was_typed {
            let warning = "the address holds a password, and other users of this machine can see it while this runs";
            let mut page = Page::new();
            page.paint(style::WARN, "warning:").text(" ").line(warning);
            self.output.tell(page.hint(&format!("use --db-url-file or {}", crate::environment::DB_URL)));
        }
    }
}

/// Where to look.
fn place(connection: &Connection) -> Place {
    Place {
        address: connection.target.address.clone(),
        recover: connection.recover,
        accept: connection.accept.clone(),
        lock: connection.lock_timeout,
    }
}

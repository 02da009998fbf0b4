//! One in-memory database of a scratch database.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ptah_provider_api::step::Setting;
use ptah_provider_sdk::Failure;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::limits::Limit;
use rusqlite::types::Null;
use rusqlite::{Connection, OpenFlags};

use crate::fault::failed;
use crate::guard::{Guard, install};
use crate::settings;
use crate::unit::{UnitFailure, Work};

/// How much memory SQLite may take in the whole process: far above the 206 MiB that 10,000 tables took in one database.
const HEAP_LIMIT: i64 = 2 << 30;

/// The longest value: a source cannot ask for a blob that fills the memory by itself.
const VALUE_LIMIT: i32 = 64 << 20;

/// How much one statement may do, in thousands of steps of SQLite's machine: seconds, where creating a table takes
/// hundreds of steps. An endless recursive query in a source ran until it was stopped.
const BUDGET: i64 = 200_000;

/// One in-memory database.
#[derive(Debug)]
pub(super) struct Shard {
    connection: Connection,
    guard: Arc<Guard>,
    /// Objects that live elsewhere and are here only so that views and triggers find them; folded names.
    pub(super) guests: BTreeSet<String>,
    /// Objects that make it grow.
    pub(super) tables: usize,
    /// The guests when the transaction began, while it is open.
    saved: Option<BTreeSet<String>>,
}

/// Sets the limit of the process once. It is SQLite's own limit, so it holds for every connection.
pub(super) fn limit_memory() -> Result<(), Failure> {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.get().is_some() {
        return Ok(());
    }
    let connection = Connection::open_in_memory().map_err(failed)?;
    let limit = format!("PRAGMA hard_heap_limit={HEAP_LIMIT}");
    connection.query_row(&limit, [], |_| Ok(())).map_err(failed)?;
    DONE.get_or_init(|| ());
    Ok(())
}

impl Shard {
    /// An empty database.
    pub(super) fn new(stopped: Arc<AtomicBool>) -> Result<Self, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_MEMORY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_in_memory_with_flags(flags).map_err(failed)?;
        for (what, value) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false),
        ] {
            connection.set_db_config(what, value).map_err(failed)?;
        }
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_LIMIT).map_err(failed)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0).map_err(failed)?;
        connection.collation_needed(stand_in_collation).map_err(failed)?;
        // Tens of thousands of empty tables and indexes, each with a page of its own: a small page is an eighth of the memory.
        connection.execute_batch("PRAGMA page_size = 512").map_err(failed)?;
        let guard = install(&mut connection, stopped)?;
        Ok(Self { connection, guard, guests: BTreeSet::new(), tables: 0, saved: None })
    }

    /// The connection, for reading.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs a unit. A function that this build does not know gets a stand-in, once, before anything of the unit ran.
    /// `calls_functions`: whether the unit may call any.
    pub(super) fn run(
        &self,
        work: &Work<'_>,
        calls_functions: bool,
        limit: Option<Duration>,
    ) -> Result<(), UnitFailure> {
        if calls_functions {
            self.add_stand_ins(work)?;
        }
        self.guard.with_budget(BUDGET, || work.run(&self.connection, &self.guard, limit))
    }

    /// Runs a statement of our own: a stored text, or a drop.
    pub(super) fn run_own(&self, sql: &str) -> Result<(), UnitFailure> {
        self.add_stand_ins(&Work::Statement(sql))?;
        let run = || self.connection.execute_batch(sql).map_err(|error| UnitFailure::of(&error, &self.guard));
        self.guard.with_budget(BUDGET, run)
    }

    /// Only a scratch database has stand-ins: on a target an unknown function is a reason to refuse.
    fn add_stand_ins(&self, work: &Work<'_>) -> Result<(), UnitFailure> {
        let Work::Statement(text) = work else {
            return Ok(());
        };
        // Each round finds one more function; a statement with more unknown ones than this is no schema.
        for _ in 0..64 {
            let error = self.guard.as_ours(|| self.connection.prepare(text).err());
            let Some(name) = error.as_ref().and_then(unknown_function) else {
                return Ok(());
            };
            let flags =
                FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
            self.connection
                .create_scalar_function(name.as_str(), -1, flags, |_| Ok(Null))
                .map_err(|error| UnitFailure::of(&error, &self.guard))?;
        }
        Ok(())
    }

    /// Begins the shard's part of a transaction, if it has none.
    pub(super) fn begin(&mut self, wanted: &BTreeSet<Setting>) -> Result<(), String> {
        if self.saved.is_some() {
            return Ok(());
        }
        settings::make(&self.connection, wanted)?;
        let begun = self.connection.execute_batch("BEGIN");
        begun.map_err(|_| "the scratch database did not begin a transaction".to_owned())?;
        self.saved = Some(self.guests.clone());
        Ok(())
    }

    /// Whether SQLite still has the transaction that was begun.
    pub(super) fn lost_transaction(&self) -> bool {
        self.saved.is_some() && self.connection.is_autocommit()
    }

    /// Ends the shard's part. `false`: it could not be committed.
    pub(super) fn end(&mut self, commit: bool) -> bool {
        let Some(saved) = self.saved.take() else {
            return true;
        };
        let done = commit && self.connection.execute_batch("COMMIT").is_ok();
        if !done {
            if !self.connection.is_autocommit() {
                let _ = self.connection.execute_batch("ROLLBACK");
            }
            self.guests = saved;
        }
        settings::restore(&self.connection);
        done || !commit
    }
}

/// Compares bytes, which is all that an empty table needs.
fn stand_in_collation(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection.create_collation(name, Ord::cmp)
}

/// The name in "no such function: …".
fn unknown_function(error: &rusqlite::Error) -> Option<String> {
    let text = match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text,
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        _ => return None,
    };
    let name = text.strip_prefix("no such function: ")?;
    Some(name.to_owned())
}

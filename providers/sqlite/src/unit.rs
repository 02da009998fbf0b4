//! Runs one unit on one connection: a statement, or a native operation. Used for targets and for dev databases.

use std::collections::BTreeSet;
use std::time::Duration;

use ptah_provider_api::reason::Reason;
use ptah_provider_api::step::{Setting, Unit};
use rusqlite::{Connection, ffi};

use crate::fault::Fault;
use crate::guard::Guard;
use crate::rebuild::{self, RebuildTable};

/// Why a unit did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnitFailure {
    /// Our sentence.
    pub(crate) reason: Reason,
    /// The engine's stable code.
    pub(crate) engine_code: Option<String>,
    /// Whether the disk failed, so that a statement outside a transaction may or may not have taken effect.
    pub(crate) is_io: bool,
    /// Whether it is an operation of several statements, of which some may have run.
    pub(crate) is_half_done: bool,
}

impl UnitFailure {
    /// A failure that is not SQLite's.
    pub(crate) fn ours(reason: impl Into<String>) -> Self {
        Self { reason: Reason::or_malformed(reason), engine_code: None, is_io: false, is_half_done: false }
    }

    /// An object of that name is there, as SQLite itself would say it.
    pub(crate) fn exists() -> Self {
        Self { engine_code: Some("SQLITE_ERROR".to_owned()), ..Self::ours("an object of that name is there already") }
    }

    /// What SQLite answered, with what the guard knows about it.
    pub(crate) fn of(error: &rusqlite::Error, guard: &Guard) -> Self {
        let fault = Fault::of(error);
        let sentence = match fault.primary() {
            ffi::SQLITE_INTERRUPT if guard.is_over() => {
                "it was stopped: it took longer than it may, or the session ended"
            }
            ffi::SQLITE_AUTH if guard.has_refused() => {
                "a unit may not begin or end transactions, attach databases, change settings or touch Ptah's tables"
            }
            _ => fault.sentence,
        };
        Self {
            reason: Reason::or_malformed(sentence),
            engine_code: fault.engine_code(),
            is_io: fault.is_io(),
            is_half_done: false,
        }
    }
}

/// A unit that was understood.
#[derive(Debug)]
pub(crate) enum Work<'a> {
    /// One statement.
    Statement(&'a str),
    /// A rebuild of a table.
    Rebuild(RebuildTable, &'a [String]),
}

impl<'a> Work<'a> {
    /// Understands a unit, or says why nothing of it may be sent.
    pub(crate) fn of(unit: &'a Unit) -> Result<Self, String> {
        match unit {
            Unit::Sql { text } => Ok(Self::Statement(text)),
            Unit::Native(operation) => {
                let payload = RebuildTable::read(operation)?;
                Ok(Self::Rebuild(payload, &operation.statements))
            }
        }
    }

    /// The first setting that it needs and that does not hold.
    pub(crate) fn lacks(&self, settings: Option<&BTreeSet<Setting>>) -> Option<String> {
        let needs = match self {
            Self::Statement(_) => return None,
            Self::Rebuild(payload, _) => &payload.needs,
        };
        let holds = |need: &&Setting| settings.is_some_and(|s| s.contains(*need));
        needs.iter().find(|need| !holds(need)).cloned()
    }

    /// Whether it may only run inside a transaction.
    pub(crate) fn needs_transaction(&self) -> bool {
        matches!(self, Self::Rebuild(..))
    }

    /// Runs it. Never twice, and never a part of it again.
    pub(crate) fn run(
        &self,
        connection: &Connection,
        guard: &Guard,
        limit: Option<Duration>,
    ) -> Result<(), UnitFailure> {
        guard.as_unit(limit, || match self {
            Self::Statement(text) => statement(connection, guard, text),
            Self::Rebuild(payload, statements) => rebuild::run(connection, guard, payload, statements),
        })
    }
}

/// Runs exactly one statement to its end. Rows that it returns are dropped.
pub(crate) fn statement(connection: &Connection, guard: &Guard, text: &str) -> Result<(), UnitFailure> {
    let told = |error: rusqlite::Error| UnitFailure::of(&error, guard);
    let mut statement = connection.prepare(text).map_err(told)?;
    if statement.parameter_count() > 0 {
        return Err(UnitFailure::ours("the statement has a parameter, and no value was sent for it"));
    }
    let mut rows = statement.raw_query();
    while rows.next().map_err(told)?.is_some() {}
    Ok(())
}

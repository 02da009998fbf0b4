//! Transactions: begun with their settings and assertions, ended with what is known.
//!
//! SQLite ignores `foreign_keys` inside a transaction, so settings are made before `BEGIN` and read back. The guarantee
//! against applications is SQLite's own lock: `IMMEDIATE`, or `EXCLUSIVE` with a rollback journal, where a reader could
//! otherwise make the commit busy.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ptah_provider_api::execute::TransactionId;
use ptah_provider_api::reason::Reason;
use ptah_provider_api::step::Setting;
use ptah_provider_api::transaction::{BeginRequest, TransactionState};
use ptah_provider_sdk::{Began, Ended, Failure};
use rusqlite::{Connection, ffi};

use super::TargetSession;
use super::reading::schema_version;
use crate::catalogue::{self, SqliteSnapshot};
use crate::claims;
use crate::connect::Patience;
use crate::fault::{Fault, failed};
use crate::settings;

/// The open transaction, and how the latest ones ended.
#[derive(Debug, Default)]
pub(crate) struct Transactions {
    open: Option<OpenTransaction>,
    /// Newest last; an answer may be asked for again.
    ended: Vec<(TransactionId, TransactionState)>,
    made: u64,
}

#[derive(Debug)]
struct OpenTransaction {
    id: TransactionId,
    settings: BTreeSet<Setting>,
}

/// How many ended transactions a session remembers.
const ENDED_KEPT: usize = 64;

impl Transactions {
    /// Whether this one is open.
    pub(crate) fn is_open(&self, id: &TransactionId) -> bool {
        self.open.as_ref().is_some_and(|open| open.id == *id)
    }

    /// Whether any is open.
    pub(crate) fn any_open(&self) -> bool {
        self.open.is_some()
    }

    /// The settings that hold in the open transaction.
    pub(crate) fn settings(&self) -> Option<&BTreeSet<Setting>> {
        self.open.as_ref().map(|open| &open.settings)
    }

    fn begun(&mut self, settings: BTreeSet<Setting>) -> TransactionId {
        self.made += 1;
        let id = TransactionId(format!("t{}-{}", self.made, uuid::Uuid::now_v7().simple()));
        self.open = Some(OpenTransaction { id: id.clone(), settings });
        id
    }

    /// Notes that the open one ended, however it did.
    pub(crate) fn end(&mut self, state: TransactionState) {
        if let Some(open) = self.open.take() {
            self.ended.push((open.id, state));
            if self.ended.len() > ENDED_KEPT {
                self.ended.remove(0);
            }
        }
    }

    /// How an earlier one ended; `None` when the session does not know it.
    pub(crate) fn how_it_ended(&self, id: &TransactionId) -> Option<TransactionState> {
        self.ended.iter().find(|(ended, _)| ended == id).map(|(_, state)| *state)
    }
}

/// Why a transaction did not begin.
struct NotBegun {
    state: TransactionState,
    found: Option<Arc<SqliteSnapshot>>,
    reason: String,
}

impl NotBegun {
    fn of(state: TransactionState, reason: impl Into<String>) -> Self {
        Self { state, found: None, reason: reason.into() }
    }

    fn answer(self) -> Began {
        Began {
            state: self.state,
            transaction: None,
            found_state: self.found.map(|found| found.own_fingerprint()),
            diagnostic: Some(Reason::or_malformed(self.reason)),
        }
    }
}

impl TargetSession {
    /// Begins a transaction, and asserts in it what the request expects.
    pub(crate) fn begin(&mut self, request: &BeginRequest) -> Result<Began, Failure> {
        let connection = &self.writable()?.connected.connection;
        if self.transaction.any_open() || !connection.is_autocommit() {
            let reason = "the session has an open transaction";
            return Ok(NotBegun::of(TransactionState::NotStarted, reason).answer());
        }
        let wanted: BTreeSet<Setting> = request.settings.iter().cloned().collect();
        if let Err(reason) = settings::make(connection, &wanted) {
            settings::restore(connection);
            return Ok(NotBegun::of(TransactionState::NotStarted, reason).answer());
        }
        match self.begin_and_assert(request) {
            Ok(()) => Ok(Began {
                state: TransactionState::Begun,
                transaction: Some(self.transaction.begun(wanted)),
                found_state: None,
                diagnostic: None,
            }),
            Err(not_begun) => {
                let connection = &self.writable()?.connected.connection;
                if !connection.is_autocommit() {
                    connection.execute_batch("ROLLBACK").map_err(failed)?;
                }
                settings::restore(connection);
                Ok(not_begun.answer())
            }
        }
    }

    fn begin_and_assert(&mut self, request: &BeginRequest) -> Result<(), NotBegun> {
        use TransactionState as S;
        let fault = |failure: Failure| {
            let reason = failure.reason.as_ref().map_or("the database cannot be read", Reason::as_str);
            NotBegun::of(S::NotStarted, reason)
        };
        let patience = Patience::of(Duration::from_millis(request.lock_timeout_ms));
        let connection = &self.writable().map_err(fault)?.connected.connection;
        begin_to_write(connection, &patience).map_err(|error| {
            let fault = Fault::of(&error);
            let state = if fault.is_busy() { S::Busy } else { S::NotStarted };
            NotBegun::of(state, fault.sentence)
        })?;
        if let Some(expected) = request.expect_claim {
            let latest = claims::latest(connection).map_err(fault)?;
            if latest != expected {
                let reason = "another row was recorded since the decision was made";
                return Err(NotBegun::of(S::ClaimChanged, reason));
            }
        }
        let Some(expected) = request.expect_state else {
            return Ok(());
        };
        let current = self.current_reading().map_err(fault)?;
        if current.own_fingerprint() == expected {
            return Ok(());
        }
        Err(NotBegun {
            state: S::StateChanged,
            found: Some(current),
            reason: "the schema is not the one that the decision rests on".to_owned(),
        })
    }

    /// The schema as it is in the open transaction. Read again only when SQLite's number of it changed: VACUUM changes
    /// the number too, so changed means look, not refuse.
    fn current_reading(&mut self) -> Result<Arc<SqliteSnapshot>, Failure> {
        let connection = &self.writable()?.connected.connection;
        let version = schema_version(connection)?;
        if let Some((known, snapshot)) = &self.latest
            && *known == version
        {
            return Ok(Arc::clone(snapshot));
        }
        let snapshot = Arc::new(catalogue::read(connection)?);
        self.latest = Some((version, Arc::clone(&snapshot)));
        Ok(snapshot)
    }

    /// Commits, trying a busy commit again within the time.
    pub(crate) fn commit(&mut self, transaction: &TransactionId, lock_timeout: Duration) -> Result<Ended, Failure> {
        if !self.transaction.is_open(transaction) {
            return Ok(self.ended_before(transaction));
        }
        let open = self.writable()?;
        let (connection, stopped) = (&open.connected.connection, &open.connected.guard.stopped);
        let (state, fault) = if connection.is_autocommit() {
            (TransactionState::RolledBack, None)
        } else {
            commit_within(connection, &Patience::of(lock_timeout), stopped)
        };
        settings::restore(connection);
        if state != TransactionState::Committed {
            self.latest = None;
        }
        self.transaction.end(state);
        let diagnostic = match (state, fault) {
            (TransactionState::Committed, _) => None,
            (_, Some(fault)) => Some(fault.reason()),
            (_, None) => Some(Reason::or_malformed("SQLite had rolled it back after a failure")),
        };
        Ok(Ended { state, diagnostic })
    }

    /// Rolls back.
    pub(crate) fn rollback(&mut self, transaction: &TransactionId) -> Result<Ended, Failure> {
        if !self.transaction.is_open(transaction) {
            return Ok(self.ended_before(transaction));
        }
        let connection = &self.writable()?.connected.connection;
        let done = connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok();
        let state = if done || connection.is_autocommit() {
            TransactionState::RolledBack
        } else {
            // An open transaction ends with its connection and is rolled back then, but that is not yet.
            TransactionState::Unknown
        };
        settings::restore(connection);
        self.latest = None;
        self.transaction.end(state);
        let confirmed = state == TransactionState::RolledBack;
        let diagnostic = (!confirmed).then(|| Reason::or_malformed("SQLite did not confirm that it rolled back"));
        Ok(Ended { state, diagnostic })
    }

    fn ended_before(&self, transaction: &TransactionId) -> Ended {
        let state = self.transaction.how_it_ended(transaction);
        let state = state.unwrap_or(TransactionState::Unknown);
        let diagnostic = match state {
            TransactionState::Committed => None,
            TransactionState::RolledBack => Some(Reason::or_malformed("it had been rolled back before")),
            _ => Some(Reason::or_malformed("the session does not know that transaction")),
        };
        Ended { state, diagnostic }
    }
}

/// Begins to write, waiting for others within the time.
pub(super) fn begin_to_write(connection: &Connection, patience: &Patience) -> rusqlite::Result<()> {
    connection.busy_timeout(patience.left())?;
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    let begin = if mode.eq_ignore_ascii_case("wal") { "BEGIN IMMEDIATE" } else { "BEGIN EXCLUSIVE" };
    connection.execute_batch(begin)
}

/// Commits and says what is known.
///
/// A busy commit leaves the transaction open: it is tried again within the time, then rolled back. After any other
/// failure the transaction is either still open, and rolled back for certain, or SQLite ended it by itself; then only
/// a full disk and a broken constraint say for certain that nothing of it is there.
pub(super) fn commit_within(
    connection: &Connection,
    patience: &Patience,
    stopped: &AtomicBool,
) -> (TransactionState, Option<Fault>) {
    loop {
        // SQLite's own wait counts into the time.
        let _ = connection.busy_timeout(patience.left());
        let Err(error) = connection.execute_batch("COMMIT") else {
            return (TransactionState::Committed, None);
        };
        let fault = Fault::of(&error);
        if !connection.is_autocommit() {
            if fault.is_busy() && patience.wait(stopped) {
                continue;
            }
            let rolled_back = connection.execute_batch("ROLLBACK").is_ok() || connection.is_autocommit();
            let state = if rolled_back { TransactionState::RolledBack } else { TransactionState::Unknown };
            return (state, Some(fault));
        }
        let state = after_sqlite_ended_it(fault);
        return (state, Some(fault));
    }
}

/// What is known when SQLite ended the transaction by itself while committing: a full disk and a broken constraint stop
/// it before anything counts, while after an error of the disk the journal may or may not be gone.
fn after_sqlite_ended_it(fault: Fault) -> TransactionState {
    match fault.primary() {
        ffi::SQLITE_FULL | ffi::SQLITE_CONSTRAINT | ffi::SQLITE_BUSY => TransactionState::RolledBack,
        _ => TransactionState::Unknown,
    }
}

#[cfg(test)]
mod tests;

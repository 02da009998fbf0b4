//! A consistent view for one call.
//!
//! A file in WAL mode without a log is read as an immutable file, because every other way makes files beside it. That
//! is sound only if nobody wrote meanwhile, so what `stat` says before and after has to be the same, and no journal may
//! have appeared; otherwise the reading is made again until the time is over.

use std::sync::Arc;
use std::time::Duration;

use ptah_provider_api::session::Purpose;
use ptah_provider_sdk::{Failure, FailureCode, error_with_reason};
use rusqlite::{Connection, ffi};

use super::open::{is_writable, open_failure};
use super::{OpenFile, TargetSession};
use crate::catalogue::{self, SqliteSnapshot};
use crate::connect::{self, Header, NEEDS_RECOVERY, Patience, Reading};
use crate::fault::{Fault, failed, precondition};
use crate::file::{self, FileFacts};
use crate::presence::{Access, Presence};

/// What may not change during a reading of an immutable file.
#[derive(Debug, PartialEq)]
struct Still {
    facts: FileFacts,
    beside: [Option<u64>; 2],
}

impl TargetSession {
    /// Reads the whole catalogue.
    pub(crate) fn inspect(&mut self, lock_timeout: Duration) -> Result<Arc<SqliteSnapshot>, Failure> {
        if self.open.is_none() {
            if self.is_there() {
                return Err(precondition("a database appeared at the path since the session was opened"));
            }
            return Ok(Arc::new(SqliteSnapshot::empty()));
        }
        let (version, snapshot) = self.read(lock_timeout, |connection| {
            let version = schema_version(connection)?;
            Ok((version, Arc::new(catalogue::read(connection)?)))
        })?;
        self.latest = Some((version, Arc::clone(&snapshot)));
        Ok(snapshot)
    }

    /// Runs something that only reads, on one state of the database.
    pub(super) fn read<T>(
        &mut self,
        timeout: Duration,
        mut read: impl FnMut(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let patience = Patience::of(timeout);
        loop {
            let open = self.open.as_ref().ok_or_else(|| precondition("the database does not exist"))?;
            let connection = &open.connected.connection;
            connection.busy_timeout(patience.left()).map_err(failed)?;
            if open.connected.reading == Reading::Locked && self.is_as_opened(open) {
                return consistently(connection, &mut read);
            }
            let before = self.still();
            self.reopen_to_read()?;
            let open = self.open.as_ref().ok_or_else(|| precondition("the database does not exist"))?;
            if open.connected.reading == Reading::Locked {
                return consistently(&open.connected.connection, &mut read);
            }
            let result = consistently(&open.connected.connection, &mut read);
            if before.is_some() && before == self.still() {
                return result;
            }
            if !patience.wait(&open.connected.guard.stopped) {
                return Err(error_with_reason(FailureCode::Unavailable, "the database changed while it was read"));
            }
        }
    }

    /// Whether the file still is one that the connection reads without a change: an application can turn the journal
    /// into a write-ahead log while a session is open.
    fn is_as_opened(&self, open: &OpenFile) -> bool {
        if self.purpose == Purpose::Apply {
            return true;
        }
        let logged = || file::beside(&self.path, "-wal").is_some() && file::beside(&self.path, "-shm").is_some();
        Self::check_header(&open.presence).is_ok_and(|now| now == open.header && (now != Header::Wal || logged()))
    }

    fn still(&self) -> Option<Still> {
        let beside = |suffix| file::beside(&self.path, suffix);
        Some(Still { facts: file::facts_now(&self.path)?, beside: [beside("-wal"), beside("-journal")] })
    }

    /// Opens the file for a session that reads, after what another writer left was finished where that is allowed.
    pub(super) fn open_to_read(&mut self, notes: &mut Vec<String>) -> Result<(), Failure> {
        match self.reopen_to_read() {
            Err(failure) if self.recover && needs_recovery(&failure) => {
                // SQLite takes its own locks for it, so two recoveries never meet.
                let _presence = Presence::open(&self.path, Access::Read).map_err(|error| open_failure(&error))?;
                connect::recover(&self.path, &self.opening())?;
                notes.push("what another writer left unfinished was recovered, which changed files".to_owned());
                self.reopen_to_read()
            }
            Err(failure) if needs_recovery(&failure) && !self.can_recover() => Err(precondition(
                "another writer ended in the middle of its work, and the folder cannot be written by this user, so \
                 the recovery that reading needs has to be made by somebody who may write there",
            )),
            other => other,
        }
    }

    fn can_recover(&self) -> bool {
        self.path.parent().is_some_and(is_writable) && is_writable(&self.path)
    }

    fn reopen_to_read(&mut self) -> Result<(), Failure> {
        if self.purpose == Purpose::Apply {
            return Ok(());
        }
        let presence = Presence::open(&self.path, Access::Read).map_err(|error| open_failure(&error))?;
        // The earlier connection ends before the earlier presence does, and both after the new presence began.
        self.open = None;
        let header = Self::check_header(&presence)?;
        let connected = connect::open_for_reading(&self.path, header, &self.opening())?;
        probe(&connected.connection)?;
        self.open = Some(OpenFile { connected, presence, header });
        Ok(())
    }
}

/// The number that SQLite gives the schema; it grows with every change of it, and with VACUUM.
pub(super) fn schema_version(connection: &Connection) -> Result<i64, Failure> {
    connection.query_row("PRAGMA schema_version", [], |row| row.get(0)).map_err(failed)
}

/// Touches the file for the first time: here SQLite says what is wrong with it.
fn probe(connection: &Connection) -> Result<(), Failure> {
    let probed = connection.query_row("PRAGMA schema_version", [], |_| Ok(()));
    probed.map_err(|error| {
        let fault = Fault::of(&error);
        let recovery = matches!(
            fault.extended,
            ffi::SQLITE_READONLY_ROLLBACK
                | ffi::SQLITE_READONLY_RECOVERY
                | ffi::SQLITE_READONLY_CANTINIT
                | ffi::SQLITE_READONLY_CANTLOCK
        );
        if recovery { precondition(NEEDS_RECOVERY) } else { fault.failure() }
    })
}

fn needs_recovery(failure: &Failure) -> bool {
    failure.reason.as_ref().is_some_and(|reason| reason.as_str() == NEEDS_RECOVERY)
}

/// Runs a reading in one transaction, so that all its queries see one state.
fn consistently<T>(
    connection: &Connection,
    read: &mut impl FnMut(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if !connection.is_autocommit() {
        return read(connection);
    }
    connection.execute_batch("BEGIN").map_err(failed)?;
    let result = read(connection);
    connection.execute_batch("ROLLBACK").map_err(failed)?;
    result
}

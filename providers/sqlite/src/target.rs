//! A session on a database file.
//!
//! ```text
//! open       look, presence, connection; what the session states
//! reading    a consistent view for one call, and the proof that nothing moved under an immutable one
//! lock       the run lock, and the check that it still is the file at the path that is locked
//! records    claims, adoption and forgetting, each in a transaction that commits alone
//! transaction, execute    the units
//! ```

mod execute;
mod lock;
mod open;
mod reading;
mod records;
mod transaction;

pub(crate) use open::{capabilities, identifier_rules, open, settings_digest};

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ptah_model::Scope;
use ptah_provider_api::key::RequestId;
use ptah_provider_api::session::{DatabaseIdentity, Purpose};
use ptah_provider_sdk::{Failure, Interrupt};
use rusqlite::Connection;

use crate::catalogue::SqliteSnapshot;
use crate::claims;
use crate::connect::{Connected, Header, Opening};
use crate::fault::precondition;
use crate::file;
use crate::presence::Presence;

/// A session on a database file, or on the place where one may be made.
#[derive(Debug)]
pub(crate) struct TargetSession {
    /// The real path.
    path: PathBuf,
    purpose: Purpose,
    /// Whether recovery may change files.
    recover: bool,
    /// How long to wait for others where the request does not say.
    patience: Duration,
    /// Stops every connection of the session.
    stopped: Arc<AtomicBool>,
    /// The open file; `None` when there was none.
    open: Option<OpenFile>,
    /// The lock that is held, by its scope and ID.
    held: Option<(Scope, RequestId)>,
    transaction: transaction::Transactions,
    /// The latest reading, and the number that SQLite gave the schema then.
    latest: Option<(i64, Arc<SqliteSnapshot>)>,
}

/// The fields are dropped in this order: SQLite's connection before our descriptor.
#[derive(Debug)]
struct OpenFile {
    connected: Connected,
    presence: Presence,
    /// What the header said when the connection was opened: it decides how a file is read.
    header: Header,
}

/// What the file says of itself.
enum Known {
    /// Its records do.
    Recorded(claims::Meta),
    /// It has none, and its schema was changed so often. SQLite counts that and never counts back, so a plan that was made
    /// before there were records does not fit once they were made and forgotten.
    Changes(i64),
    /// There is no file.
    Absent,
}

impl Known {
    fn read(connection: &Connection) -> Result<Self, Failure> {
        Ok(match claims::meta(connection)? {
            Some(meta) => Self::Recorded(meta),
            None => Self::Changes(reading::schema_version(connection)?),
        })
    }
}

impl TargetSession {
    /// How another thread stops what runs. It ends the statement that runs and every one after it.
    pub(crate) fn interrupt(&self) -> Interrupt {
        // A connection that is opened later looks at the flag too; the handle wakes the one that is there sooner.
        let handle = self.open.as_ref().map(|open| open.connected.connection.get_interrupt_handle());
        let stopped = Arc::clone(&self.stopped);
        Arc::new(move || {
            stopped.store(true, Ordering::Relaxed);
            if let Some(handle) = &handle {
                handle.interrupt();
            }
        })
    }

    /// How its connections are opened.
    fn opening(&self) -> Opening {
        Opening { timeout: self.patience, stopped: Arc::clone(&self.stopped) }
    }

    /// The open file, of a session that may write.
    fn writable(&self) -> Result<&OpenFile, Failure> {
        match &self.open {
            _ if self.purpose != Purpose::Apply => Err(precondition("the session was opened to read only")),
            None => Err(precondition("the database does not exist, and the session was not asked to make it")),
            Some(open) => Ok(open),
        }
    }

    /// The physical identity now; empty when there is no file.
    fn physical(&self) -> String {
        let facts = self.open.as_ref().and_then(|open| open.presence.facts());
        facts.map(|facts| facts.physical()).unwrap_or_default()
    }

    /// Which database this is, by its records and its place.
    fn identity(&self, known: Known) -> DatabaseIdentity {
        let path = self.path.to_string_lossy();
        let (meta, route) = match known {
            Known::Recorded(meta) => (Some(meta), path.into_owned()),
            Known::Changes(changes) => (None, format!("{path}, schema version {changes}")),
            Known::Absent => (None, path.into_owned()),
        };
        let (uuid, recorded_physical) = meta.map(|meta| (meta.uuid, meta.physical)).unzip();
        DatabaseIdentity { uuid, recorded_physical, physical: self.physical(), route }
    }

    /// Rolls back what is open, gives the lock back and closes the connection before the descriptor.
    pub(crate) fn close(mut self) {
        if let Some(open) = self.open.take() {
            let OpenFile { connected, presence, header: _ } = open;
            if !connected.connection.is_autocommit() {
                // Closing would roll back as well; asked for by hand so that the lock outlives the transaction.
                let _ = connected.connection.execute_batch("ROLLBACK");
            }
            drop(connected);
            drop(presence);
        }
    }

    /// What people call the database: the name of the file.
    fn shown_name(&self) -> String {
        match self.path.file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => "database".to_owned(),
        }
    }

    /// Whether there is a file at the path now.
    fn is_there(&self) -> bool {
        file::facts_now(&self.path).is_some()
    }
}

#[cfg(test)]
mod tests;

//! Opens a session on a file, or on the place where one may be made, and says what the session states.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ptah_model::{Comparison, Digest, DigestBuilder, IdentifierRules};
use ptah_provider_api::session::{IdentityState, OpenRequest, Purpose};
use ptah_provider_sdk::{Failure, FailureCode, Opened, SessionFacts, error_with_reason};
use rustix::fs::Access as Permission;

use super::{Known, OpenFile, TargetSession, transaction};
use crate::catalogue;
use crate::connect::{self, Header};
use crate::fault::{failed, precondition};
use crate::file::{self, Accepted, Found};
use crate::presence::{Access, Presence};
use crate::trace;

/// The words that accept what is refused otherwise: a network file system, a file that is mounted by itself.
const ACCEPT: [&str; 2] = ["network-file-system", "mounted-file"];

/// Opens a session on the file at a path.
pub(crate) fn open(request: &OpenRequest, path: &Path) -> Result<Opened<TargetSession>, Failure> {
    if let Some(word) = request.accept.iter().find(|word| !ACCEPT.contains(&word.as_str())) {
        return Err(error_with_reason(
            FailureCode::InvalidArgument,
            format!("there is nothing called `{word}` to accept here; only `{}` and `{}` are", ACCEPT[0], ACCEPT[1]),
        ));
    }
    let refused = |error: file::FileError| precondition(error.to_string());
    let real = file::real_path(path).map_err(refused)?;
    let mut session = TargetSession {
        path: real,
        purpose: request.purpose,
        recover: request.recover || request.purpose == Purpose::Apply,
        patience: Duration::from_millis(request.lock_timeout_ms),
        stopped: Arc::default(),
        open: None,
        held: None,
        transaction: transaction::Transactions::default(),
        latest: None,
    };
    let [network, mounted] = ACCEPT.map(|word| request.accept.contains(word));
    let found = file::look(&session.path, Accepted { network, mounted }).map_err(refused)?;
    let mut notes = Vec::new();
    match (request.purpose, found) {
        (Purpose::Apply, Found::Absent) if request.create => session.create()?,
        (Purpose::Apply, Found::File(_)) => session.open_to_write(&mut notes)?,
        (_, Found::Absent) => {}
        (_, Found::File(_)) => session.open_to_read(&mut notes)?,
    }
    let facts = session.facts(notes)?;
    Ok(Opened { session, facts })
}

/// The rules of SQLite: every name folds its ASCII letters, and no schema can be named.
pub(crate) fn identifier_rules() -> IdentifierRules {
    IdentifierRules {
        table: Comparison::AsciiFold,
        column: Comparison::AsciiFold,
        index: Comparison::AsciiFold,
        default_schema: None,
        max_bytes: None,
    }
}

/// What holds of every SQLite database.
pub(crate) fn capabilities() -> BTreeMap<String, bool> {
    let facts = [
        ("ddl_inside_transaction", true),
        ("transactional_ddl", true),
        ("deferrable_foreign_keys", true),
        ("schemas", false),
        ("column_order_matters", true),
    ];
    facts.into_iter().map(|(name, holds)| (name.to_owned(), holds)).collect()
}

/// Everything that can change how a source reads: SQLite's version and how it was built, and this reader's own version.
pub(crate) fn settings_digest() -> Digest {
    DigestBuilder::new("ptah.sqlite.settings.v1").text(rusqlite::version()).number(catalogue::READER_VERSION).finish()
}

impl TargetSession {
    fn create(&mut self) -> Result<(), Failure> {
        self.check_folder()?;
        let presence = Presence::open(&self.path, Access::Create).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                error_with_reason(FailureCode::AlreadyExists, "somebody else made the database file in the meantime")
            }
            _ => open_failure(&error),
        })?;
        self.connect(presence, Header::Empty)
    }

    fn open_to_write(&mut self, notes: &mut Vec<String>) -> Result<(), Failure> {
        self.check_folder()?;
        let presence = Presence::open(&self.path, Access::Write).map_err(|error| open_failure(&error))?;
        let header = Self::check_header(&presence)?;
        let had_journal = file::beside(&self.path, "-journal").is_some_and(|size| size > 0);
        if file::beside(&self.path, "-wal").is_some_and(|size| size > 0) {
            notes.push(
                "a log of writes (-wal) is beside the file; the last connection to the database puts it into the file"
                    .to_owned(),
            );
        }
        self.connect(presence, header)?;
        if had_journal && file::beside(&self.path, "-journal").is_none() {
            notes.push("an unfinished transaction of another writer was rolled back".to_owned());
        }
        Ok(())
    }

    fn connect(&mut self, presence: Presence, header: Header) -> Result<(), Failure> {
        let mut connected = connect::open_for_writing(&self.path, &self.opening())?;
        trace::beside(&mut connected.connection, &connected.guard, &self.path);
        // The first read takes in what another writer left.
        connected.connection.query_row("PRAGMA schema_version", [], |_| Ok(())).map_err(failed)?;
        if !presence.is_at(&self.path) {
            return Err(precondition("the file at the path was replaced while it was opened"));
        }
        self.open = Some(OpenFile { connected, presence, header });
        Ok(())
    }

    /// Journals are made beside the file, so the folder has to be writable as well.
    fn check_folder(&self) -> Result<(), Failure> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        if is_writable(folder) {
            return Ok(());
        }
        Err(error_with_reason(
            FailureCode::PermissionDenied,
            "the folder of the database cannot be written by this user, so SQLite can make no journal there",
        ))
    }

    pub(super) fn check_header(presence: &Presence) -> Result<Header, Failure> {
        let header = presence.header().map_err(|error| open_failure(&error))?;
        let size = presence.facts().map_or(0, |facts| facts.size);
        Header::of(&header, size)
    }

    fn facts(&mut self, mut notes: Vec<String>) -> Result<SessionFacts, Failure> {
        let exists = self.open.is_some();
        let known = if exists { self.read(self.patience, Known::read)? } else { Known::Absent };
        let identity = self.identity(known);
        let facts = self.open.as_ref().and_then(|open| open.presence.facts());
        // The device is not compared, because it changes with a reboot, but it can explain a file that moved.
        if let (IdentityState::MovedOrCopied, Some(facts)) = (identity.state(), facts) {
            notes.push(format!("the file is on {}", facts.device_shown()));
        }
        Ok(SessionFacts {
            database: self.shown_name(),
            default_schema: None,
            server_version: rusqlite::version().to_owned(),
            identifier_rules: identifier_rules(),
            features: crate::describe::features(),
            capabilities: capabilities(),
            settings_digest: settings_digest(),
            identity,
            exists,
            notes,
        })
    }
}

/// Whether this process may write at a path, by the rights of its user and the file system's own.
pub(super) fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, Permission::WRITE_OK).is_ok()
}

/// Why a file that is there cannot be opened.
pub(super) fn open_failure(error: &io::Error) -> Failure {
    let (code, reason) = match error.kind() {
        io::ErrorKind::PermissionDenied => (
            FailureCode::PermissionDenied,
            "the database file cannot be opened by this user for what the session is for",
        ),
        io::ErrorKind::ReadOnlyFilesystem => {
            (FailureCode::PermissionDenied, "the database file is on a file system that cannot be written")
        }
        io::ErrorKind::NotFound => (FailureCode::Unavailable, "the database file went away while it was opened"),
        _ => (FailureCode::FailedPrecondition, "the database file cannot be opened"),
    };
    error_with_reason(code, reason)
}

//! Opens SQLite connections: for reading, so that no byte at or beside the database changes, and for writing.
//!
//! How a file can be read without a change depends on what lies beside it:
//!
//! ```text
//! rollback journal, none beside it          read-only, with SQLite's own locks
//! a journal beside it                       the same; SQLite says whether it has to be rolled back first
//! WAL, no log beside it                     as an immutable file, and nothing may have changed until the end
//! WAL, a log and its index beside it        read-only, index too: SQLite recovers into memory where it has to
//! WAL, a log without its index              recovery is needed, which changes files: refused, with what to do
//! ```

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ptah_provider_sdk::{Failure, FailureCode, error_with_reason};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::fault::{failed, precondition};
use crate::file;
use crate::guard::{Guard, install};

/// What is said where another writer left work that has to be finished first.
pub(crate) const NEEDS_RECOVERY: &str = "another writer ended in the middle of its work, and reading needs a recovery \
     that changes files; open the database once with the program that wrote it, or repeat with `--recover`";

/// How a connection reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Under SQLite's own locks; the connection can be kept.
    Locked,
    /// As a file that does not change; good for one reading, after which that has to be proven.
    Immutable,
}

/// What the header of a database file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Header {
    /// The file has no byte: an empty database.
    Empty,
    /// A database with a rollback journal.
    Rollback,
    /// A database with a write-ahead log.
    Wal,
}

/// How a connection of a session is opened.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// How long to wait for others.
    pub(crate) timeout: Duration,
    /// What stops every connection of the session.
    pub(crate) stopped: Arc<AtomicBool>,
}

/// A connection with what guards it.
#[derive(Debug)]
pub(crate) struct Connected {
    /// The connection.
    pub(crate) connection: Connection,
    /// What stops it and what it may do.
    pub(crate) guard: Arc<Guard>,
    /// How it reads.
    pub(crate) reading: Reading,
}

impl Header {
    /// Reads a header; the size is that of the file.
    pub(crate) fn of(header: &[u8], size: u64) -> Result<Self, Failure> {
        if header.is_empty() {
            return Ok(Self::Empty);
        }
        let magic = b"SQLite format 3\0";
        if header.len() < 100 {
            let cut = magic.starts_with(&header[..header.len().min(16)]) || header.starts_with(magic);
            return Err(precondition(if cut {
                "the file is a SQLite database that was cut off within its header"
            } else {
                "the file is not a SQLite database, or it is encrypted"
            }));
        }
        if !header.starts_with(magic) {
            return Err(precondition("the file is not a SQLite database, or it is encrypted"));
        }
        let page = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65_536,
            size => u64::from(size),
        };
        if page < 512 || !page.is_power_of_two() {
            return Err(precondition("the header of the database file is damaged"));
        }
        if size < page {
            return Err(precondition("the database file is cut off within its first page"));
        }
        // A header that declares newer formats is SQLite's to refuse.
        Ok(if header[18] == 2 || header[19] == 2 { Self::Wal } else { Self::Rollback })
    }
}

/// Opens a file for reading. `header` was read through a presence that outlives the connection.
pub(crate) fn open_for_reading(path: &Path, header: Header, opening: &Opening) -> Result<Connected, Failure> {
    let beside = |suffix| file::beside(path, suffix);
    let (parameters, reading) = match header {
        Header::Empty | Header::Rollback => ("mode=ro", Reading::Locked),
        Header::Wal => match (beside("-wal"), beside("-shm")) {
            (None | Some(0), None) => ("mode=ro&immutable=1", Reading::Immutable),
            (Some(_), None) => return Err(precondition(NEEDS_RECOVERY)),
            (None, Some(_)) => ("mode=ro&immutable=1", Reading::Immutable),
            (Some(_), Some(_)) => ("mode=ro&readonly_shm=1", Reading::Locked),
        },
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(path, parameters), flags).map_err(failed)?;
    prepare(connection, opening, reading)
}

/// Opens a file that is there for writing, which also recovers what another writer left.
pub(crate) fn open_for_writing(path: &Path, opening: &Opening) -> Result<Connected, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(path, "mode=rw"), flags).map_err(failed)?;
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(failed)? {
        return Err(error_with_reason(
            FailureCode::PermissionDenied,
            "the database file cannot be written by this user",
        ));
    }
    let connected = prepare(connection, opening, Reading::Locked)?;
    let connection = &connected.connection;
    // `EXTRA` also waits for the folder of a deleted journal, so that a commit that was reported is on the disk.
    connection.execute_batch("PRAGMA synchronous=EXTRA; PRAGMA recursive_triggers=OFF").map_err(failed)?;
    // Off unless a unit asks for it: nothing that a unit does to one table reaches rows of another by itself.
    set(connection, DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false)?;
    set(connection, DbConfig::SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, false)?;
    Ok(connected)
}

/// Finishes what another writer left, and closes again.
pub(crate) fn recover(path: &Path, opening: &Opening) -> Result<(), Failure> {
    let connected = open_for_writing(path, opening)?;
    let read = "SELECT count(*) FROM sqlite_schema";
    connected.connection.query_row(read, [], |_| Ok(())).map_err(failed)
}

/// What every connection gets: its guard, no schema tricks, and the wait for others.
fn prepare(mut connection: Connection, opening: &Opening, reading: Reading) -> Result<Connected, Failure> {
    connection.busy_timeout(opening.timeout).map_err(failed)?;
    // Neither the schema table nor a shadow table can be written, whatever a unit says.
    set(&connection, DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    set(&connection, DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    if reading == Reading::Immutable || connection.is_readonly(rusqlite::MAIN_DB).map_err(failed)? {
        // A reader that is the last to leave must not take the log in.
        set(&connection, DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    }
    let guard = install(&mut connection, Arc::clone(&opening.stopped))?;
    Ok(Connected { connection, guard, reading })
}

fn set(connection: &Connection, what: DbConfig, value: bool) -> Result<(), Failure> {
    let now = connection.set_db_config(what, value).map_err(failed)?;
    if now == value { Ok(()) } else { Err(precondition("SQLite did not take a setting that is needed")) }
}

/// A path as a URI: every byte that could mean something is written in hexadecimal.
fn uri(path: &Path, parameters: &str) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    let mut text = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
        if plain {
            text.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02x}");
        }
    }
    text.push('?');
    text.push_str(parameters);
    text
}

/// Waits between attempts at something that another connection holds, until a time is over.
#[derive(Debug)]
pub(crate) struct Patience {
    until: Instant,
}

impl Patience {
    /// For so long from now.
    pub(crate) fn of(timeout: Duration) -> Self {
        Self { until: Instant::now() + timeout }
    }

    /// How long is left.
    pub(crate) fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Waits a little. `false`: the time is over, or the session was told to stop.
    pub(crate) fn wait(&self, stopped: &AtomicBool) -> bool {
        let left = self.left();
        if left.is_zero() || stopped.load(Ordering::Relaxed) {
            return false;
        }
        std::thread::sleep(left.min(Duration::from_millis(5)));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(size: usize) -> Vec<u8> {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (a)").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        connection.execute("VACUUM INTO ?1", [path.to_str().unwrap()]).unwrap();
        std::fs::read(path).unwrap()[..size].to_vec()
    }

    fn refused(bytes: &[u8], size: u64) -> String {
        Header::of(bytes, size).unwrap_err().reason.unwrap().as_str().to_owned()
    }

    #[test]
    fn each_kind_of_broken_file_has_its_own_reason() {
        assert_eq!(Header::of(&[], 0), Ok(Header::Empty));
        assert_eq!(Header::of(&header(100), 8_192), Ok(Header::Rollback));
        assert!(refused(&header(60), 60).contains("cut off within its header"));
        assert!(refused(&header(100), 200).contains("cut off within its first page"));
        assert!(refused(&[0x5a; 100], 8_192).contains("not a SQLite database, or it is encrypted"));
        assert!(refused(b"hello", 5).contains("not a SQLite database"));
        let mut damaged = header(100);
        damaged[16] = 3;
        assert!(refused(&damaged, 8_192).contains("damaged"));
    }

    #[test]
    fn a_path_never_becomes_a_parameter() {
        assert_eq!(uri(Path::new("/a b?c#d%e"), "mode=ro"), "file:/a%20b%3fc%23d%25e?mode=ro");
    }
}

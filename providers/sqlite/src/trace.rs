//! What SQLite itself says that it runs, told apart by whose statement it is: a unit's, or one of our own.
//!
//! Debug builds follow a writing connection when a file of the database's name and [`SUFFIX`] lies beside the database,
//! so that a test can hold a real run against the plan that was printed. Release builds contain none of this, and it
//! says nothing about what a statement did.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};

use crate::guard::Guard;

/// What the name of the file ends with.
const SUFFIX: &str = "-ptah-trace";

/// One statement that SQLite began to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traced {
    /// Whether a unit was being executed, and not one of our own statements around or between those of units.
    pub(crate) is_unit: bool,
    /// Its text as it was sent, without values.
    pub(crate) text: String,
}

/// Tells every statement of a connection as it begins. The programs of triggers are parts of statements and left out.
pub(crate) fn follow(
    connection: &mut Connection,
    guard: &Arc<Guard>,
    mut tell: impl FnMut(Traced) + Send + 'static,
) -> rusqlite::Result<()> {
    let guard = Arc::clone(guard);
    let note = move |event: TraceEvent<'_>| {
        if let TraceEvent::Stmt(statement, text) = event
            && statement.sql() == text
        {
            tell(Traced { is_unit: guard.is_in_unit(), text: text.to_owned() });
        }
    };
    connection.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note))
}

/// In debug builds: appends what a connection runs to the file beside the database, when there is one.
pub(crate) fn beside(connection: &mut Connection, guard: &Arc<Guard>, path: &Path) {
    if !cfg!(debug_assertions) {
        return;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    let Ok(mut file) = std::fs::OpenOptions::new().append(true).open(name) else { return };
    let line = move |traced: Traced| {
        let by = if traced.is_unit { "unit" } else { "ptah" };
        // A line that is missing fails the test that reads the file.
        let _ = writeln!(file, "{}", serde_json::json!({ "by": by, "sql": traced.text }));
    };
    let _ = follow(connection, guard, line);
}

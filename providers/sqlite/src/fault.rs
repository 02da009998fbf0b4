//! What SQLite answered, in our own words: a stable code, one sentence, and what may follow from it.
//!
//! The driver's text is read here for its class and never leaves: it may quote a statement or a value.

use ptah_provider_api::reason::Reason;
use ptah_provider_sdk::{Failure, FailureCode, error_with_reason};
use rusqlite::ffi;

/// What SQLite answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The extended result code; 0 for an answer that is the driver's own.
    pub(crate) extended: i32,
    /// Our sentence.
    pub(crate) sentence: &'static str,
}

impl Fault {
    /// Reads an error of the driver.
    pub(crate) fn of(error: &rusqlite::Error) -> Self {
        use rusqlite::Error as E;
        match error {
            E::SqliteFailure(error, text) => Self::new(error.extended_code, text.as_deref()),
            E::SqlInputError { error, msg, .. } => Self::new(error.extended_code, Some(msg)),
            E::MultipleStatement => Self::driver("a unit holds more than one statement"),
            E::NulError(_) => Self::driver("the statement has a zero byte"),
            E::InvalidParameterCount(..) => Self::driver("the statement has a parameter without a value"),
            // `prepare` answers this for white space and comments alone.
            E::Empty | E::InvalidQuery | E::QueryReturnedNoRows => Self::driver("the statement does nothing"),
            _ => Self::driver("SQLite gave an answer that cannot be read"),
        }
    }

    fn driver(sentence: &'static str) -> Self {
        Self { extended: 0, sentence }
    }

    fn new(extended: i32, text: Option<&str>) -> Self {
        let sentence =
            if extended == ffi::SQLITE_ERROR { general_sentence(text.unwrap_or_default()) } else { sentence(extended) };
        Self { extended, sentence }
    }

    /// The primary result code.
    pub(crate) fn primary(self) -> i32 {
        self.extended & 0xff
    }

    /// Whether somebody else had the database, so that the same call may succeed later.
    pub(crate) fn is_busy(self) -> bool {
        matches!(self.primary(), ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED)
    }

    /// Whether what reached the disk cannot be known from this answer.
    pub(crate) fn is_io(self) -> bool {
        matches!(self.primary(), ffi::SQLITE_IOERR | ffi::SQLITE_CORRUPT | ffi::SQLITE_PROTOCOL)
    }

    /// The stable code of the engine, for example `SQLITE_CONSTRAINT_NOTNULL`.
    pub(crate) fn engine_code(self) -> Option<String> {
        code_name(self.extended).or_else(|| code_name(self.primary())).map(str::to_owned)
    }

    /// The sentence as a reason.
    pub(crate) fn reason(self) -> Reason {
        Reason::or_malformed(self.sentence)
    }

    /// The answer as a failed call.
    pub(crate) fn failure(self) -> Failure {
        let code = match self.primary() {
            ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_INTERRUPT => FailureCode::Unavailable,
            ffi::SQLITE_PERM | ffi::SQLITE_AUTH => FailureCode::PermissionDenied,
            ffi::SQLITE_FULL | ffi::SQLITE_NOMEM | ffi::SQLITE_TOOBIG => FailureCode::ResourceExhausted,
            0 => FailureCode::Internal,
            _ => FailureCode::FailedPrecondition,
        };
        error_with_reason(code, self.sentence)
    }
}

/// An error of the driver as a failed call.
pub(crate) fn failed(error: rusqlite::Error) -> Failure {
    Fault::of(&error).failure()
}

/// A state in which the request cannot be served.
pub(crate) fn precondition(reason: impl Into<String>) -> Failure {
    error_with_reason(FailureCode::FailedPrecondition, reason)
}

/// `SQLITE_ERROR` has no extended codes worth the name; the start of its text tells the classes apart.
fn general_sentence(text: &str) -> &'static str {
    let classes = [
        ("no such table", "a table that it names does not exist"),
        ("no such column", "a column that it names does not exist"),
        ("no such function", "a function that it names is not known to SQLite here"),
        ("no such collation", "a collation that it names is not known to SQLite here"),
        ("no such module", "a virtual table module that it names is not known to SQLite here"),
        ("no such index", "an index that it names does not exist"),
        ("no such view", "a view that it names does not exist"),
        ("no such trigger", "a trigger that it names does not exist"),
        ("no such constraint", "a constraint that it names does not exist"),
        ("duplicate column name", "a column of that name is there already"),
        ("foreign key mismatch", "a foreign key refers to columns that are no key of its parent"),
        ("error in ", "another object of the schema would not be valid afterwards, or is not valid now"),
        ("cannot add", "SQLite cannot add this to an existing table"),
        ("Cannot add", "SQLite cannot add this to an existing table"),
        ("cannot drop", "SQLite cannot drop this"),
        ("incomplete input", "the statement is incomplete"),
    ];
    let known = classes.iter().find(|(start, _)| text.starts_with(start));
    match known {
        Some((_, sentence)) => sentence,
        None if text.contains("already exists") => "an object of that name is there already",
        None if text.contains("syntax error") => "SQLite cannot parse the statement",
        None => "SQLite refused the statement",
    }
}

/// Codes with a name and a sentence. A code that is not here falls back to its primary code.
const CODES: &[(i32, &str, &str)] = &[
    (ffi::SQLITE_ERROR, "SQLITE_ERROR", "SQLite refused the statement"),
    (ffi::SQLITE_INTERNAL, "SQLITE_INTERNAL", "SQLite met a fault of its own"),
    (ffi::SQLITE_PERM, "SQLITE_PERM", "access to the database file was denied"),
    (ffi::SQLITE_ABORT, "SQLITE_ABORT", "the statement was abandoned because its transaction was rolled back"),
    (ffi::SQLITE_BUSY, "SQLITE_BUSY", "another connection holds the database"),
    (ffi::SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT", "another connection wrote after this one began to read"),
    (ffi::SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY", "another connection is recovering the database"),
    (ffi::SQLITE_LOCKED, "SQLITE_LOCKED", "a statement of the same connection holds the table"),
    (ffi::SQLITE_NOMEM, "SQLITE_NOMEM", "the memory that is allowed ran out"),
    (ffi::SQLITE_READONLY, "SQLITE_READONLY", "the database cannot be written"),
    (
        ffi::SQLITE_READONLY_DBMOVED,
        "SQLITE_READONLY_DBMOVED",
        "the database file was moved or replaced while it was open",
    ),
    (
        ffi::SQLITE_READONLY_DIRECTORY,
        "SQLITE_READONLY_DIRECTORY",
        "the folder of the database cannot be written, so no journal can be made",
    ),
    (
        ffi::SQLITE_READONLY_ROLLBACK,
        "SQLITE_READONLY_ROLLBACK",
        "an unfinished transaction of another writer has to be rolled back first",
    ),
    (ffi::SQLITE_READONLY_RECOVERY, "SQLITE_READONLY_RECOVERY", "the write-ahead log has to be recovered first"),
    (ffi::SQLITE_READONLY_CANTINIT, "SQLITE_READONLY_CANTINIT", "the write-ahead log has to be recovered first"),
    (
        ffi::SQLITE_READONLY_CANTLOCK,
        "SQLITE_READONLY_CANTLOCK",
        "the write-ahead log cannot be read without changing its index",
    ),
    (ffi::SQLITE_INTERRUPT, "SQLITE_INTERRUPT", "it was stopped before it was done"),
    (ffi::SQLITE_IOERR, "SQLITE_IOERR", "the disk reported an error"),
    (ffi::SQLITE_IOERR_READ, "SQLITE_IOERR_READ", "the disk reported an error while reading"),
    (ffi::SQLITE_IOERR_SHORT_READ, "SQLITE_IOERR_SHORT_READ", "the database file is shorter than it says"),
    (ffi::SQLITE_IOERR_WRITE, "SQLITE_IOERR_WRITE", "the disk reported an error while writing"),
    (ffi::SQLITE_IOERR_FSYNC, "SQLITE_IOERR_FSYNC", "the disk could not confirm that it wrote"),
    (ffi::SQLITE_IOERR_DIR_FSYNC, "SQLITE_IOERR_DIR_FSYNC", "the disk could not confirm that the folder was written"),
    (ffi::SQLITE_CORRUPT, "SQLITE_CORRUPT", "the database file is damaged"),
    (ffi::SQLITE_NOTFOUND, "SQLITE_NOTFOUND", "SQLite does not know the operation"),
    (ffi::SQLITE_FULL, "SQLITE_FULL", "there is no space left for the database"),
    (ffi::SQLITE_CANTOPEN, "SQLITE_CANTOPEN", "the database file or its journal cannot be opened"),
    (ffi::SQLITE_PROTOCOL, "SQLITE_PROTOCOL", "the locks of the write-ahead log could not be taken"),
    (ffi::SQLITE_SCHEMA, "SQLITE_SCHEMA", "the schema changed while the statement was prepared"),
    (ffi::SQLITE_TOOBIG, "SQLITE_TOOBIG", "a value or the statement is too large"),
    (ffi::SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT", "existing rows break a constraint"),
    (ffi::SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK", "rows break a check"),
    (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY", "rows break a foreign key"),
    (ffi::SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL", "a row has no value where one is required"),
    (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY", "two rows have the same primary key"),
    (ffi::SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID", "two rows have the same row ID"),
    (ffi::SQLITE_CONSTRAINT_TRIGGER, "SQLITE_CONSTRAINT_TRIGGER", "a trigger refused the statement"),
    (ffi::SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE", "two rows have the same unique key"),
    (
        ffi::SQLITE_CONSTRAINT_DATATYPE,
        "SQLITE_CONSTRAINT_DATATYPE",
        "a value has another type than its column in a strict table",
    ),
    (ffi::SQLITE_MISMATCH, "SQLITE_MISMATCH", "a value has a type that its place does not take"),
    (ffi::SQLITE_MISUSE, "SQLITE_MISUSE", "SQLite was called in a way that it does not allow"),
    (ffi::SQLITE_AUTH, "SQLITE_AUTH", "the statement does something that is not allowed here"),
    (ffi::SQLITE_RANGE, "SQLITE_RANGE", "a parameter is out of range"),
    (ffi::SQLITE_NOTADB, "SQLITE_NOTADB", "the file is not an SQLite database, or it is encrypted"),
];

fn code_name(code: i32) -> Option<&'static str> {
    CODES.iter().find(|(known, ..)| *known == code).map(|(_, name, _)| *name)
}

fn sentence(extended: i32) -> &'static str {
    let find = |code: i32| CODES.iter().find(|(known, ..)| *known == code).map(|(.., text)| *text);
    find(extended).or_else(|| find(extended & 0xff)).unwrap_or("SQLite reported an error that has no name here")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn a_failure_is_told_in_our_words_and_never_in_the_drivers() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (secret_name NOT NULL)").unwrap();
        let told = |sql: &str| Fault::of(&connection.execute(sql, []).unwrap_err());
        let null = told("INSERT INTO t VALUES (NULL)");
        assert_eq!(null.sentence, "a row has no value where one is required");
        assert_eq!(null.engine_code().as_deref(), Some("SQLITE_CONSTRAINT_NOTNULL"));
        assert_eq!(told("SELECT * FROM missing").sentence, "a table that it names does not exist");
        assert_eq!(told("CREATE TABLE t (a)").sentence, "an object of that name is there already");
        assert_eq!(told("SELEC 1").sentence, "SQLite cannot parse the statement");
    }

    #[test]
    fn every_code_has_the_form_of_an_engine_code_and_every_sentence_that_of_a_reason() {
        for (_, name, text) in CODES {
            assert!(name.len() <= 32 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'), "{name}");
            assert!(Reason::new(*text).is_ok(), "{text}");
        }
    }
}

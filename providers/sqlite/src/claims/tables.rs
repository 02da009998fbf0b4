//! The tables themselves: their making, their version, and the one row that says which database this is.

use ptah_provider_sdk::Failure;
use rusqlite::{Connection, OptionalExtension as _};

use crate::fault::{failed, precondition};

/// The version of the tables. A later one is refused by name, because its rows may mean something else.
pub(crate) const VERSION: i64 = 1;

/// The statements that make the tables. No `IF NOT EXISTS`: they are made once, when `_ptah_meta` is absent.
const CREATE: &str = "
CREATE TABLE _ptah_meta (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  uuid TEXT NOT NULL,
  physical TEXT NOT NULL,
  at_us INTEGER NOT NULL
);
CREATE TABLE _ptah_runs (
  sequence INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL,
  operation TEXT NOT NULL,
  plan TEXT NOT NULL,
  phase TEXT NOT NULL,
  segment INTEGER,
  segments INTEGER,
  transactional INTEGER,
  state_before TEXT,
  state_after TEXT,
  outcome TEXT,
  applied INTEGER,
  at_us INTEGER NOT NULL
);
CREATE INDEX _ptah_runs_operation ON _ptah_runs (operation);
CREATE TABLE _ptah_proofs (
  sequence INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL,
  sources TEXT NOT NULL,
  settings TEXT NOT NULL,
  state TEXT NOT NULL
);
CREATE TABLE _ptah_renames (
  id INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  owner TEXT,
  from_name TEXT NOT NULL,
  to_name TEXT NOT NULL
);
";

/// All tables, in the order in which they are taken away.
pub(super) const TABLES: [&str; 4] = ["_ptah_renames", "_ptah_proofs", "_ptah_runs", "_ptah_meta"];

/// Which database it says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    /// Its UUID.
    pub(crate) uuid: String,
    /// The physical identity that was written beside it.
    pub(crate) physical: String,
}

/// Reads which database this says it is; `None` when Ptah never changed it.
pub(crate) fn meta(connection: &Connection) -> Result<Option<Meta>, Failure> {
    let there = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_ptah_meta'";
    let there = connection.query_row(there, [], |_| Ok(())).optional().map_err(failed)?;
    if there.is_none() {
        return Ok(None);
    }
    let row = connection
        .query_row("SELECT version, uuid, physical FROM _ptah_meta WHERE id = 1", [], |row| {
            let meta = Meta { uuid: row.get(1)?, physical: row.get(2)? };
            Ok((row.get::<_, i64>(0)?, meta))
        })
        .optional()
        .map_err(|_| unreadable())?;
    match row {
        Some((VERSION, meta)) => Ok(Some(meta)),
        Some((version, _)) => Err(precondition(format!(
            "the records in `_ptah_meta` have version {version}, and this Ptah knows version {VERSION}: use a newer one"
        ))),
        None => Err(unreadable()),
    }
}

/// The sequence of the latest row; 0 when there is none.
pub(crate) fn latest(connection: &Connection) -> Result<u64, Failure> {
    if meta(connection)?.is_none() {
        return Ok(0);
    }
    let latest: Option<i64> =
        connection.query_row("SELECT max(sequence) FROM _ptah_runs", [], |row| row.get(0)).map_err(failed)?;
    Ok(latest.and_then(|n| u64::try_from(n).ok()).unwrap_or(0))
}

/// Makes the tables and mints the UUID. Runs inside the caller's transaction.
pub(super) fn make(connection: &Connection, physical: &str, at_us: i64) -> rusqlite::Result<Meta> {
    connection.execute_batch(CREATE)?;
    let meta = Meta { uuid: uuid::Uuid::now_v7().to_string(), physical: physical.to_owned() };
    connection.execute(
        "INSERT INTO _ptah_meta (id, version, uuid, physical, at_us) VALUES (1, ?1, ?2, ?3, ?4)",
        (VERSION, &meta.uuid, &meta.physical, at_us),
    )?;
    Ok(meta)
}

pub(super) fn unreadable() -> Failure {
    precondition("the records of Ptah in this database are damaged: the table `_ptah_meta` does not say which it is")
}

/// A table of ours has a row that no release writes.
pub(super) fn damaged(table: &str) -> Failure {
    precondition(format!(
        "the records of Ptah in this database are damaged: a row of the table `{table}` cannot be read"
    ))
}

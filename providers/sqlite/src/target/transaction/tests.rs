//! What is known after a commit that did not go well, on a raw connection.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ptah_provider_api::transaction::TransactionState;
use rusqlite::{Connection, ffi};

use super::{after_sqlite_ended_it, commit_within};
use crate::connect::Patience;
use crate::fault::Fault;

/// A writer in a transaction, and a reader that keeps it from committing.
fn held_up() -> (tempfile::TempDir, Connection, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT * FROM t").unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)").unwrap();
    (folder, writer, reader)
}

fn commit(writer: &Connection, wait: Duration) -> (TransactionState, Option<Fault>) {
    commit_within(writer, &Patience::of(wait), &AtomicBool::new(false))
}

#[test]
fn a_commit_that_stays_busy_is_rolled_back_and_nothing_of_it_is_there() {
    let (_folder, writer, reader) = held_up();
    let (state, fault) = commit(&writer, Duration::from_millis(20));
    assert_eq!(state, TransactionState::RolledBack);
    assert!(fault.unwrap().is_busy() && writer.is_autocommit());
    drop(reader);
    let rows: i64 = writer.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}

#[test]
fn a_busy_commit_is_tried_again_within_the_time() {
    let (_folder, writer, reader) = held_up();
    let (go, gone) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        gone.recv().unwrap();
        drop(reader);
    });
    // The reader leaves once the commit has been refused for the first time.
    let mut go = Some(go);
    writer.busy_timeout(Duration::ZERO).unwrap();
    assert!(writer.execute_batch("COMMIT").is_err());
    go.take().unwrap().send(()).unwrap();
    let (state, _) = commit(&writer, Duration::from_secs(20));
    assert_eq!(state, TransactionState::Committed);
    other.join().unwrap();
}

#[test]
fn a_deferred_reference_without_its_row_is_rolled_back() {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "PRAGMA foreign_keys=ON; CREATE TABLE p (id INTEGER PRIMARY KEY);
             CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED); BEGIN; INSERT INTO c VALUES (7)",
        )
        .unwrap();
    let (state, fault) = commit(&connection, Duration::ZERO);
    assert_eq!(state, TransactionState::RolledBack);
    assert_eq!(fault.unwrap().engine_code().as_deref(), Some("SQLITE_CONSTRAINT_FOREIGNKEY"));
}

#[test]
fn after_an_error_of_the_disk_nobody_knows_and_after_a_full_one_it_is_rolled_back() {
    let known = |code: i32| {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        after_sqlite_ended_it(Fault::of(&error))
    };
    assert_eq!(known(ffi::SQLITE_IOERR_FSYNC), TransactionState::Unknown);
    assert_eq!(known(ffi::SQLITE_IOERR_DIR_FSYNC), TransactionState::Unknown);
    assert_eq!(known(ffi::SQLITE_CORRUPT), TransactionState::Unknown);
    assert_eq!(known(ffi::SQLITE_FULL), TransactionState::RolledBack);
}

//! Reading changes no byte, and says where it cannot do without.

use ptah_provider_api::session::Purpose;
use ptah_provider_sdk::{EngineSession as _, Snapshot as _};

use crate::support::{Place, WAIT, fingerprint, open, reader, refused, request, second_process};

/// A database in WAL mode whose writer ended without closing it.
fn crashed_wal() -> Place {
    let place = Place::empty();
    let sql = "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t (a); INSERT INTO t VALUES (1);";
    second_process(&place.path, sql, true);
    assert!(place.bytes().iter().any(|(name, bytes)| name == "shop.db-wal" && !bytes.is_empty()));
    place
}

/// A database whose writer ended in the middle of a transaction that had reached the file.
fn hot_journal() -> Place {
    let place = Place::with("CREATE TABLE t (a); CREATE TABLE keep (a); INSERT INTO keep VALUES (1)");
    let sql = "PRAGMA cache_size=2; BEGIN IMMEDIATE;
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO t SELECT hex(zeroblob(100)) FROM n;";
    second_process(&place.path, sql, true);
    assert!(place.bytes().iter().any(|(name, bytes)| name == "shop.db-journal" && !bytes.is_empty()));
    place
}

#[test]
fn reading_a_wal_file_after_a_crash_changes_no_byte_and_sees_what_was_committed() {
    let place = crashed_wal();
    let before = place.bytes();
    let mut session = reader(&place.path);
    assert_eq!(session.inspect(WAIT).unwrap().schema().objects().len(), 1);
    session.close();
    assert_eq!(place.bytes(), before);
}

#[test]
fn a_wal_file_without_its_index_says_that_it_needs_recovery_and_only_recovery_recovers() {
    let place = crashed_wal();
    std::fs::remove_file(place.folder().join("shop.db-shm")).unwrap();
    let before = place.bytes();
    let told = refused(open(&request(&place.path, Purpose::Read)));
    assert!(told.contains("needs a recovery") && told.contains("--recover"), "{told}");
    assert_eq!(place.bytes(), before);
    let mut recover = request(&place.path, Purpose::Read);
    recover.recover = true;
    let opened = open(&recover).unwrap();
    assert!(opened.facts.notes.iter().any(|note| note.contains("recovered")));
    let mut session = opened.session;
    assert_eq!(session.inspect(WAIT).unwrap().schema().objects().len(), 1);
}

#[test]
fn a_hot_journal_says_that_it_needs_recovery_and_only_recovery_recovers() {
    let place = hot_journal();
    let before = place.bytes();
    let told = refused(open(&request(&place.path, Purpose::Read)));
    assert!(told.contains("needs a recovery"), "{told}");
    assert_eq!(place.bytes(), before);
    let mut recover = request(&place.path, Purpose::Read);
    recover.recover = true;
    open(&recover).unwrap().session.close();
    assert_eq!(place.number("SELECT count(*) FROM t"), 0);
    assert_eq!(place.number("SELECT count(*) FROM keep"), 1);
}

#[test]
fn apply_rolls_a_hot_journal_back_and_says_so() {
    let place = hot_journal();
    let opened = open(&request(&place.path, Purpose::Apply)).unwrap();
    assert!(opened.facts.notes.iter().any(|note| note.contains("rolled back")), "{:?}", opened.facts.notes);
}

#[test]
fn reading_a_wal_file_that_was_closed_makes_no_file_beside_it() {
    let place = Place::with("PRAGMA journal_mode=WAL; CREATE TABLE t (a)");
    let before = place.bytes();
    assert_eq!(before.len(), 1);
    let mut session = reader(&place.path);
    assert_eq!(session.inspect(WAIT).unwrap().schema().objects().len(), 1);
    assert_eq!(place.bytes(), before, "also while the session is open");
    session.close();
    assert_eq!(place.bytes(), before);
}

#[test]
fn reading_a_wal_file_that_an_application_has_open_sees_its_commits() {
    let place = Place::with("PRAGMA journal_mode=WAL; CREATE TABLE t (a)");
    let mut session = reader(&place.path);
    let first = fingerprint(&mut session);
    let application = rusqlite::Connection::open(&place.path).unwrap();
    application.execute_batch("CREATE TABLE u (a)").unwrap();
    assert_ne!(fingerprint(&mut session), first);
    application.execute_batch("BEGIN IMMEDIATE; CREATE TABLE v (a)").unwrap();
    assert_eq!(session.inspect(WAIT).unwrap().schema().objects().len(), 2, "what is not committed is not there");
}

#[test]
fn an_empty_file_reads_as_an_empty_database() {
    let place = Place::empty();
    std::fs::write(&place.path, b"").unwrap();
    let opened = open(&request(&place.path, Purpose::Read)).unwrap();
    assert!(opened.facts.exists);
    let mut session = opened.session;
    assert!(session.inspect(WAIT).unwrap().schema().is_empty());
    session.close();
    assert_eq!(place.bytes(), [("shop.db".to_owned(), Vec::new())]);
}

#[test]
fn a_database_that_appears_under_a_session_is_not_taken_for_the_empty_one() {
    let place = Place::empty();
    let mut session = reader(&place.path);
    assert!(session.inspect(WAIT).unwrap().schema().is_empty());
    place.sql("CREATE TABLE t (a)");
    assert!(session.inspect(WAIT).is_err());
}

#[test]
fn reading_waits_for_a_busy_writer_only_as_long_as_it_is_told() {
    let place = Place::with("CREATE TABLE t (a)");
    let other = rusqlite::Connection::open(&place.path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let told = refused(open(&request(&place.path, Purpose::Read)));
    assert!(told.contains("another connection holds the database"), "{told}");
    drop(other);
    assert!(open(&request(&place.path, Purpose::Read)).is_ok());
}

#[test]
fn a_hot_journal_in_a_folder_that_cannot_be_written_says_who_has_to_recover() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = hot_journal();
    std::fs::set_permissions(place.folder(), std::fs::Permissions::from_mode(0o555)).unwrap();
    let told = crate::opening::as_nobody(&place.path);
    assert!(told[0].contains("folder cannot be written by this user"), "{told:?}");
    std::fs::set_permissions(place.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
}

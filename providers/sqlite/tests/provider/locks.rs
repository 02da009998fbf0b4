//! The run lock, against second sessions and second processes.

use ptah_provider_api::session::Purpose;
use ptah_provider_sdk::{EngineSession as _, LockAttempt};

use crate::support::{
    LockAnswer, Place, applied, id, lock, open, other_process_can, other_process_locks, request, scope, writer,
};

#[test]
fn a_second_session_and_a_second_process_find_the_lock_busy() {
    let place = Place::with("CREATE TABLE t (a)");
    let first = writer(&place.path);
    let mut second = open(&request(&place.path, Purpose::Apply)).unwrap().session;
    assert!(matches!(lock(&mut second, "l2"), LockAttempt::Busy(Some(_))));
    assert_eq!(other_process_locks(&place.path), LockAnswer::Busy);
    first.close();
    assert_eq!(lock(&mut second, "l3"), LockAttempt::Acquired);
}

#[test]
fn the_lock_goes_with_the_file_when_it_is_renamed() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    let moved = place.folder().join("moved.db");
    std::fs::rename(&place.path, &moved).unwrap();
    assert_eq!(other_process_locks(&moved), LockAnswer::Busy);
    assert!(!session.check_lock(&scope(), &id("l1")).unwrap(), "the path leads elsewhere now");
}

#[test]
fn a_lock_on_a_file_that_was_replaced_is_lost() {
    let place = Place::with("PRAGMA journal_mode=WAL; CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    assert!(session.check_lock(&scope(), &id("l1")).unwrap());
    let other = Place::with("CREATE TABLE t (a)");
    std::fs::rename(&other.path, &place.path).unwrap();
    assert!(!session.check_lock(&scope(), &id("l1")).unwrap());
}

#[test]
fn a_lock_on_a_file_that_was_deleted_is_lost() {
    let place = Place::with("PRAGMA journal_mode=WAL; CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    std::fs::remove_file(&place.path).unwrap();
    assert!(!session.check_lock(&scope(), &id("l1")).unwrap());
}

#[test]
fn a_released_lock_can_be_taken_by_another_process_and_a_wrong_id_releases_nothing() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    assert!(!session.release_lock(&scope(), &id("other")).unwrap());
    assert_eq!(other_process_locks(&place.path), LockAnswer::Busy);
    assert!(session.release_lock(&scope(), &id("l1")).unwrap());
    assert_eq!(other_process_locks(&place.path), LockAnswer::Acquired);
    assert!(!session.check_lock(&scope(), &id("l1")).unwrap());
}

#[test]
fn the_lock_coexists_with_sqlites_own_locks() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = writer(&place.path);
    assert!(other_process_can(&place.path, "INSERT INTO t VALUES (1)"), "applications are not kept out by it");
    applied(&mut session, None, &["INSERT INTO t VALUES (2)"]);
    assert!(session.check_lock(&scope(), &id("l1")).unwrap());
    assert_eq!(place.number("SELECT count(*) FROM t"), 2);
}

#[test]
fn a_session_that_ends_leaves_the_locks_of_another_session_alone() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut first = writer(&place.path);
    let transaction = crate::support::begin(&mut first, &[]);
    applied(&mut first, Some(&transaction), &["INSERT INTO t VALUES (1)"]);
    open(&request(&place.path, Purpose::Apply)).map(|opened| opened.session.close()).ok();
    crate::support::open(&request(&place.path, Purpose::Read)).map(|opened| opened.session.close()).ok();
    assert_ne!(other_process_locks(&place.path), LockAnswer::Acquired);
    assert!(!other_process_can(&place.path, "INSERT INTO t VALUES (9)"), "SQLite's lock was lost");
    assert!(first.check_lock(&scope(), &id("l1")).unwrap());
}

#[test]
fn the_lock_makes_no_file_beside_the_database() {
    let place = Place::with("CREATE TABLE t (a)");
    let session = writer(&place.path);
    let names: Vec<String> = place.bytes().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["shop.db"], "a file beside it could be removed, and then two would hold it");
    session.close();
}

//! The lock and the descriptors, within one process and against another.

use super::*;

fn made() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    std::fs::write(&path, b"").unwrap();
    (folder, path)
}

#[test]
fn two_descriptors_of_one_process_never_hold_the_lock_together() {
    let (_folder, path) = made();
    let first = Presence::open(&path, Access::Write).unwrap();
    let second = Presence::open(&path, Access::Write).unwrap();
    assert_eq!(first.try_lock(), Attempt::Acquired);
    assert!(first.holds_lock() && !second.holds_lock());
    assert_eq!(second.try_lock(), Attempt::Busy);
    assert!(first.unlock() && !first.holds_lock());
    assert_eq!(second.try_lock(), Attempt::Acquired);
}

#[test]
fn the_lock_is_met_through_a_hard_link_and_after_a_rename() {
    let (folder, path) = made();
    let first = Presence::open(&path, Access::Write).unwrap();
    assert_eq!(first.try_lock(), Attempt::Acquired);
    let link = folder.path().join("link.db");
    std::fs::hard_link(&path, &link).unwrap();
    assert_eq!(Presence::open(&link, Access::Write).unwrap().try_lock(), Attempt::Busy);
    let moved = folder.path().join("moved.db");
    std::fs::rename(&path, &moved).unwrap();
    assert_eq!(Presence::open(&moved, Access::Write).unwrap().try_lock(), Attempt::Busy);
    assert!(!first.is_at(&path) && first.is_at(&moved));
}

#[test]
fn a_presence_that_ends_leaves_the_locks_of_sqlite_alone() {
    let (_folder, path) = made();
    let kept = Presence::open(&path, Access::Write).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE t (a); BEGIN IMMEDIATE").unwrap();
    drop(Presence::open(&path, Access::Write).unwrap());
    // Within this process SQLite keeps its own account, so only another one shows what the kernel still holds.
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "presence::tests::child_that_writes", "--nocapture"])
        .env("PTAH_TEST_CHILD_DATABASE", &path)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(told.contains("child: kept out"), "{told}");
    drop(connection);
    drop(kept);
}

/// Not a promise of its own: what the second process of the test above does.
#[test]
fn child_that_writes() {
    let Some(path) = std::env::var_os("PTAH_TEST_CHILD_DATABASE") else {
        return;
    };
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.busy_timeout(std::time::Duration::ZERO).unwrap();
    let kept_out = connection.execute("INSERT INTO t VALUES (1)", []).is_err();
    println!("child: {}", if kept_out { "kept out" } else { "wrote" });
}

#[test]
fn creating_a_file_that_is_there_is_refused() {
    let (_folder, path) = made();
    let error = Presence::open(&path, Access::Create).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
}

#[cfg(target_os = "linux")]
#[test]
fn no_child_process_inherits_the_descriptor() {
    let (_folder, path) = made();
    let presence = Presence::open(&path, Access::Write).unwrap();
    assert_eq!(presence.try_lock(), Attempt::Acquired);
    let list = std::process::Command::new("ls").args(["-l", "/proc/self/fd"]).output().unwrap();
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(list.contains("->") && !list.contains("a.db"), "{list}");
}

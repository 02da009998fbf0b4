//! Files that are mounted by themselves, and disks that refuse: in mount namespaces that nobody else sees.
//!
//! Where the machine permits no such namespace the tests that need one try nothing, and say so on standard error.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use ptah_provider_api::execute::Outcome;
use ptah_provider_api::session::Purpose;
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_sdk::{EngineSession as _, LockAttempt};

use crate::support::{Place, applied, begin, lock, open, refused, request, writer};

/// Runs a shell command and then one of the children below in a namespace of its own, and answers the child's lines.
/// `None`: the machine permits none.
fn apart(mount: &str, places: [&Path; 2], child: &str) -> Option<Vec<String>> {
    run("unshare", &["--user", "--map-root-user", "--mount", "sh"], mount, places, child)
}

/// What a test says that could try nothing.
const NOT_RUN: &str = "NOT RUN: this machine permits no mount namespace of one's own";

/// Runs a shell command and then one of the children below; `None` when the child did not begin.
fn run(program: &str, first: &[&str], shell: &str, places: [&Path; 2], child: &str) -> Option<Vec<String>> {
    let script = format!("{shell} && exec \"$3\" --exact mounts::{child} --nocapture");
    let mut command = Command::new(program);
    command.args(first).args(["-c", &script, "sh"]).args(places).arg(std::env::current_exe().unwrap());
    let output = command.env("PTAH_TEST_MOUNT", places[1]).output().ok()?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    if !told.contains("child: begins") {
        return None;
    }
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    let lines = told.lines().filter_map(|line| line.strip_prefix("child: ")).skip(1);
    Some(lines.map(str::to_owned).collect())
}

/// Where a child works; `None` in the run of the tests themselves.
fn place_of_child() -> Option<std::path::PathBuf> {
    std::env::var_os("PTAH_TEST_MOUNT").map(Into::into)
}

#[test]
fn a_file_that_is_mounted_by_itself_is_refused_and_meets_the_lock_when_accepted() {
    let place = Place::with("CREATE TABLE t (a)");
    let other = place.folder().join("other.db");
    std::fs::write(&other, b"").unwrap();
    let session = writer(&place.path);
    let told = apart("mount --bind \"$1\" \"$2\"", [&place.path, &other], "child_that_opens_a_mounted_file");
    let Some(told) = told else {
        eprintln!("{NOT_RUN}");
        return;
    };
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("mounted here by itself") && told[0].contains("accept `mounted-file`"), "{told:?}");
    assert_eq!(told[1], "busy", "the lock is the file's, whatever name leads to it");
    session.close();
}

/// Not a promise of its own: what the test above runs.
#[test]
fn child_that_opens_a_mounted_file() {
    let Some(path) = place_of_child() else { return };
    println!("\nchild: begins");
    let mut request = request(&path, Purpose::Apply);
    println!("child: {}", refused(open(&request)));
    request.accept.insert("mounted-file".to_owned());
    println!("child: {}", attempt(open(&request).unwrap().session));
}

fn attempt(mut session: ptah_provider_sqlite::SqliteSession) -> &'static str {
    if matches!(lock(&mut session, "child"), LockAttempt::Busy(_)) { "busy" } else { "not busy" }
}

#[test]
fn a_mounted_folder_is_no_mounted_file_and_meets_the_lock() {
    let place = Place::with("CREATE TABLE t (a)");
    let other = tempfile::tempdir().unwrap();
    let session = writer(&place.path);
    let mount = "mount --bind \"$1\" \"$2\"";
    let Some(told) = apart(mount, [place.folder(), other.path()], "child_that_opens_in_a_mounted_folder") else {
        eprintln!("{NOT_RUN}");
        return;
    };
    assert_eq!(told, ["busy"]);
    session.close();
}

/// Not a promise of its own: what the test above runs.
#[test]
fn child_that_opens_in_a_mounted_folder() {
    let Some(folder) = place_of_child() else { return };
    println!("\nchild: begins");
    println!("child: {}", attempt(open(&request(&folder.join("shop.db"), Purpose::Apply)).unwrap().session));
}

#[test]
fn a_commit_on_a_full_disk_is_rolled_back_for_certain() {
    let folder = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o size=256k none \"$2\"";
    let Some(told) = apart(mount, [folder.path(), folder.path()], "child_that_fills_its_disk") else {
        eprintln!("{NOT_RUN}");
        return;
    };
    assert_eq!(
        told,
        ["delete", "there is no space left for the database", "wal", "there is no space left for the database"]
    );
}

/// Not a promise of its own: what the test above runs.
#[test]
fn child_that_fills_its_disk() {
    let Some(folder) = place_of_child() else { return };
    println!("\nchild: begins");
    for mode in ["delete", "wal"] {
        println!("child: {mode}");
        let path = folder.join(format!("{mode}.db"));
        let sql = format!("PRAGMA journal_mode={mode}; CREATE TABLE t (a)");
        rusqlite::Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
        let mut session = writer(&path);
        let transaction = begin(&mut session, &[]);
        // Less than SQLite keeps in memory, more than the disk takes.
        applied(&mut session, Some(&transaction), &["INSERT INTO t VALUES (zeroblob(400000))"]);
        let ended = session.commit(&transaction, Duration::ZERO).unwrap();
        assert_eq!(ended.state, TransactionState::RolledBack);
        println!("child: {}", ended.diagnostic.unwrap().as_str());
        // Nothing of it is there, and the session works on.
        let transaction = begin(&mut session, &[]);
        applied(&mut session, Some(&transaction), &["INSERT INTO t VALUES (1)"]);
        assert_eq!(session.commit(&transaction, Duration::ZERO).unwrap().state, TransactionState::Committed);
        session.close();
        let read = rusqlite::Connection::open(&path).unwrap();
        assert_eq!(read.query_row("SELECT sum(a) FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 1);
        drop(read);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_commit_that_the_disk_refuses_is_unknown_and_the_next_reading_knows() {
    let folder = tempfile::tempdir().unwrap();
    // No file of the child may become longer than this, and it is told so as an error of the call: EFBIG.
    let limit = "trap '' XFSZ; ulimit -f 64";
    let places = [folder.path(), folder.path()];
    let told = run("sh", &[], limit, places, "child_whose_files_may_not_grow").unwrap();
    assert_eq!(told, ["SQLITE_IOERR_WRITE", "Unknown", "rows: 0"]);
}

/// Not a promise of its own: what the test above runs.
#[test]
fn child_whose_files_may_not_grow() {
    let Some(folder) = place_of_child() else { return };
    println!("\nchild: begins");
    let path = folder.join("small.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    let mut session = writer(&path);
    let executed = crate::support::run(&mut session, None, &["INSERT INTO t VALUES (zeroblob(400000))"]);
    println!("child: {}", executed.engine_code.unwrap());
    assert_eq!(executed.outcome, Outcome::Unknown, "alone, it committed by itself or did not");
    let transaction = begin(&mut session, &[]);
    applied(&mut session, Some(&transaction), &["INSERT INTO t VALUES (zeroblob(400000))"]);
    println!("child: {:?}", session.commit(&transaction, Duration::ZERO).unwrap().state);
    session.close();
    let rows = rusqlite::Connection::open(&path).unwrap();
    println!("child: rows: {}", rows.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap());
}

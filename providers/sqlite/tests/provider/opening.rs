//! What may be opened, and what is refused with which reason.

use ptah_provider_api::session::{Address, OpenTarget, Purpose};
use ptah_provider_sdk::{EngineSession as _, FailureCode, LockAttempt, Snapshot as _};

use crate::support::{Place, WAIT, applied, id, lock, open, reason, refused, request, scope};

#[test]
fn a_missing_target_reads_as_empty_without_a_lock_and_creates_nothing() {
    let place = Place::empty();
    for purpose in [Purpose::Read, Purpose::Apply] {
        let opened = open(&request(&place.path, purpose)).unwrap();
        assert!(!opened.facts.exists && opened.facts.identity.physical.is_empty());
        let mut session = opened.session;
        assert!(session.inspect(WAIT).unwrap().schema().is_empty());
        assert_eq!(session.read_claims(10).unwrap().latest, 0);
        assert!(session.try_lock(&scope(), &id("l")).is_err());
        session.close();
    }
    assert!(place.bytes().is_empty());
}

#[test]
fn after_approval_apply_creates_the_file_and_never_one_that_is_there() {
    let place = Place::empty();
    let mut create = request(&place.path, Purpose::Apply);
    create.create = true;
    let opened = open(&create).unwrap();
    assert!(opened.facts.exists);
    let mut session = opened.session;
    assert_eq!(lock(&mut session, "l"), LockAttempt::Acquired);
    assert!(session.inspect(WAIT).unwrap().schema().is_empty());
    applied(&mut session, None, &["CREATE TABLE t (a)"]);
    session.close();
    assert_eq!(place.number("SELECT count(*) FROM t"), 0);
    // With `create`, a file that is there is opened as it is.
    let mut again = open(&create).unwrap().session;
    assert!(!again.inspect(WAIT).unwrap().schema().is_empty());
}

#[test]
fn memory_is_refused_for_a_target_with_the_reason() {
    for address in ["sqlite://:memory:", "sqlite://x?mode=memory"] {
        let mut request = request(&Place::empty().path, Purpose::Read);
        request.target = OpenTarget::Address(Address::new(address));
        assert!(refused(open(&request)).contains("ends with the connection"));
        request.purpose = Purpose::Dev;
        assert!(open(&request).is_ok());
    }
}

#[test]
fn each_thing_that_cannot_be_opened_has_its_own_reason() {
    let place = Place::with("CREATE TABLE t (a)");
    let told = |path: &std::path::Path| refused(open(&request(path, Purpose::Read)));
    assert!(told(place.folder()).contains("is a folder"));
    assert!(told(&place.folder().join("none/a.db")).contains("folder of the database does not exist"));
    let garbage = place.folder().join("garbage.db");
    std::fs::write(&garbage, [0x5a; 8_192]).unwrap();
    assert!(told(&garbage).contains("not a SQLite database, or it is encrypted"));
    let cut = place.folder().join("cut.db");
    std::fs::write(&cut, &std::fs::read(&place.path).unwrap()[..150]).unwrap();
    assert!(told(&cut).contains("cut off"));
}

#[test]
fn a_file_with_a_second_name_is_refused_for_reading_and_writing() {
    let place = Place::with("CREATE TABLE t (a)");
    std::fs::hard_link(&place.path, place.folder().join("other.db")).unwrap();
    for purpose in [Purpose::Read, Purpose::Apply] {
        assert!(refused(open(&request(&place.path, purpose))).contains("2 names (hard links)"));
    }
}

#[test]
fn an_unknown_word_to_accept_is_refused_by_name() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut request = request(&place.path, Purpose::Read);
    request.accept.insert("everything".to_owned());
    let failure = open(&request).err().unwrap();
    assert_eq!(failure.code, FailureCode::InvalidArgument);
    assert!(reason(&failure).contains("`everything`"));
    request.accept = ["network-file-system".to_owned(), "mounted-file".to_owned()].into();
    assert!(open(&request).is_ok());
}

#[test]
fn a_reading_session_changes_nothing_whatever_it_is_asked() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut session = open(&request(&place.path, Purpose::Read)).unwrap().session;
    let before = place.bytes();
    let failure = session.try_lock(&scope(), &id("l")).unwrap_err();
    assert!(reason(&failure).contains("read only"));
    assert!(session.begin(&crate::support::begin_request()).is_err());
    assert!(session.forget().is_err());
    assert_eq!(place.bytes(), before);
}

#[test]
fn the_physical_identity_has_no_device_and_follows_the_file() {
    let place = Place::with("CREATE TABLE t (a)");
    let physical = |path: &std::path::Path| open(&request(path, Purpose::Read)).unwrap().facts.identity.physical;
    let first = physical(&place.path);
    assert!(first.starts_with("inode ") && !first.contains("device"));
    let moved = place.folder().join("moved.db");
    std::fs::rename(&place.path, &moved).unwrap();
    assert_eq!(physical(&moved), first);
    let copy = place.folder().join("copy.db");
    std::fs::copy(&moved, &copy).unwrap();
    assert_ne!(physical(&copy), first);
}

/// Runs a look at a database as a user who owns nothing there; the superuser may write everywhere.
pub(crate) fn as_nobody(path: &std::path::Path) -> Vec<String> {
    use std::os::unix::process::CommandExt as _;
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "opening::child_that_looks", "--nocapture"]).env("PTAH_TEST_LOOK", path);
    if rustix::process::geteuid().is_root() {
        command.uid(65_534).gid(65_534);
    }
    let told = command.output().unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    told.lines().filter_map(|line| line.strip_prefix("look: ").map(str::to_owned)).collect()
}

/// Not a promise of its own: what the second process does.
#[test]
fn child_that_looks() {
    let Some(path) = std::env::var_os("PTAH_TEST_LOOK") else {
        return;
    };
    for purpose in [Purpose::Read, Purpose::Apply] {
        let told = match open(&request(std::path::Path::new(&path), purpose)) {
            Ok(_) => "opened".to_owned(),
            Err(failure) => reason(&failure).to_owned(),
        };
        println!("look: {told}");
    }
}

#[test]
fn a_file_or_folder_that_cannot_be_written_has_its_own_reason_and_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::with("CREATE TABLE t (a)");
    let allow = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(place.folder(), 0o777);
    allow(&place.path, 0o444);
    assert_eq!(
        as_nobody(&place.path),
        ["opened", "the database file cannot be opened by this user for what the session is for"]
    );
    allow(&place.path, 0o666);
    allow(place.folder(), 0o555);
    let told = as_nobody(&place.path);
    assert_eq!(told[0], "opened");
    assert!(told[1].contains("folder of the database cannot be written"), "{told:?}");
    allow(&place.path, 0o000);
    assert!(as_nobody(&place.path)[0].contains("cannot be opened by this user"));
    allow(place.folder(), 0o755);
}

#[test]
fn a_relative_path_starts_in_the_folder_that_the_host_states_and_is_refused_without_one() {
    let place = Place::with("CREATE TABLE t (a)");
    let mut request = request(&place.path, Purpose::Read);
    let name = place.path.file_name().unwrap().to_str().unwrap();
    let relative = Address::new(format!("sqlite://{name}"));
    request.target = OpenTarget::Address(relative.clone().relative_to(place.folder().to_str().unwrap()));
    assert!(open(&request).unwrap().facts.exists);
    request.target = OpenTarget::Address(relative);
    let refused = open(&request).unwrap_err();
    assert!(reason(&refused).contains("the host did not say where it starts"), "{}", reason(&refused));
}

#[test]
fn nothing_but_a_presence_and_sqlite_opens_a_database_file() {
    // A descriptor that is closed takes SQLite's locks with it, so that nobody else here may have one.
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut opens = std::collections::BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.extend((name != "tests").then_some(path));
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let words =
                ["File::open", "File::create", "OpenOptions", "fs::read(", "fs::write(", "fs::copy(", "fs::open("];
            if name != "tests.rs" && words.iter().any(|word| code.contains(word)) {
                opens.insert(name);
            }
        }
    }
    // The second opens a file beside the database, in debug builds.
    assert_eq!(opens.into_iter().collect::<Vec<_>>(), ["presence.rs", "trace.rs"]);
}

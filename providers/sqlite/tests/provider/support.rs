//! Requests, sessions and second processes for the tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use ptah_model::{Digest, EngineName, Fingerprint, OperationId, Scope};
use ptah_provider_api::claim::{ClaimPhase, ClaimRequest, ClaimState};
use ptah_provider_api::execute::{ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::key::{Key, RequestId, SessionId};
use ptah_provider_api::session::{Address, OpenRequest, OpenTarget, Purpose};
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::{BeginRequest, TransactionState};
use ptah_provider_sdk::{Began, Engine as _, EngineSession as _, Executed, Failure, LockAttempt, Opened};
use ptah_provider_sqlite::{SqliteEngine, SqliteSession, SqliteSnapshot};

pub(crate) const WAIT: Duration = Duration::from_secs(5);

/// A folder with a database file in it.
pub(crate) struct Place {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl Place {
    /// Without a file.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        Self { _folder: folder, path }
    }

    /// With a database in which this SQL ran, in another connection that is closed again.
    pub(crate) fn with(sql: &str) -> Self {
        let place = Self::empty();
        place.sql(sql);
        place
    }

    /// Runs SQL in a connection of its own.
    pub(crate) fn sql(&self, sql: &str) {
        rusqlite::Connection::open(&self.path).unwrap().execute_batch(sql).unwrap();
    }

    /// One number.
    pub(crate) fn number(&self, query: &str) -> i64 {
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        connection.query_row(query, [], |row| row.get(0)).unwrap()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap()
    }

    /// Names and contents of everything in the folder.
    pub(crate) fn bytes(&self) -> Vec<(String, Vec<u8>)> {
        let mut all: Vec<_> = std::fs::read_dir(self.folder())
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, std::fs::read(entry.path()).unwrap())
            })
            .collect();
        all.sort();
        all
    }
}

pub(crate) fn request(path: &Path, purpose: Purpose) -> OpenRequest {
    OpenRequest {
        request: RequestId::new("open").unwrap(),
        engine: EngineName::new("sqlite").unwrap(),
        target: OpenTarget::Address(Address::new(format!("sqlite://{}", path.display()))),
        purpose,
        create: false,
        recover: false,
        accept: BTreeSet::new(),
        lock_timeout_ms: 0,
    }
}

pub(crate) fn open(request: &OpenRequest) -> Result<Opened<SqliteSession>, Failure> {
    SqliteEngine::new().open(request)
}

pub(crate) fn reader(path: &Path) -> SqliteSession {
    open(&request(path, Purpose::Read)).unwrap().session
}

/// A session that may write and holds the lock.
pub(crate) fn writer(path: &Path) -> SqliteSession {
    let mut session = open(&request(path, Purpose::Apply)).unwrap().session;
    assert_eq!(lock(&mut session, "l1"), LockAttempt::Acquired);
    session
}

pub(crate) fn scope() -> Scope {
    Scope::new("ptah").unwrap()
}

pub(crate) fn id(text: &str) -> RequestId {
    RequestId::new(text).unwrap()
}

pub(crate) fn lock(session: &mut SqliteSession, name: &str) -> LockAttempt {
    session.try_lock(&scope(), &id(name)).unwrap()
}

pub(crate) fn key() -> Key {
    Key { session: SessionId::new("session-with-enough-bits").unwrap(), scope: scope(), request: id("r") }
}

pub(crate) fn reason(failure: &Failure) -> &str {
    failure.reason.as_ref().unwrap().as_str()
}

pub(crate) fn refused(result: Result<Opened<SqliteSession>, Failure>) -> String {
    reason(&result.err().unwrap()).to_owned()
}

pub(crate) fn begin_request() -> BeginRequest {
    BeginRequest { key: key(), settings: Vec::new(), expect_state: None, expect_claim: None, lock_timeout_ms: 0 }
}

pub(crate) fn begin(session: &mut SqliteSession, settings: &[&str]) -> TransactionId {
    let request = BeginRequest { settings: settings.iter().map(|s| (*s).to_owned()).collect(), ..begin_request() };
    let began: Began = session.begin(&request).unwrap();
    assert_eq!(began.state, TransactionState::Begun, "{:?}", began.diagnostic);
    began.transaction.unwrap()
}

pub(crate) fn run(session: &mut SqliteSession, transaction: Option<&TransactionId>, units: &[&str]) -> Executed {
    let units = units.iter().map(|text| Unit::Sql { text: (*text).to_owned() }).collect();
    run_units(session, transaction, units)
}

pub(crate) fn run_units(
    session: &mut SqliteSession,
    transaction: Option<&TransactionId>,
    units: Vec<Unit>,
) -> Executed {
    let request = ExecuteRequest { key: key(), units, transaction: transaction.cloned(), statement_timeout_ms: None };
    session.execute(&request).unwrap()
}

/// Runs units that have to succeed.
pub(crate) fn applied(session: &mut SqliteSession, transaction: Option<&TransactionId>, units: &[&str]) {
    let executed = run(session, transaction, units);
    assert_eq!(executed.outcome, Outcome::Applied, "{:?}", executed.diagnostic);
}

pub(crate) fn fingerprint(session: &mut SqliteSession) -> Fingerprint {
    use ptah_provider_sdk::Snapshot as _;
    session.inspect(WAIT).unwrap().fingerprint()
}

pub(crate) fn snapshot(session: &mut SqliteSession) -> std::sync::Arc<SqliteSnapshot> {
    session.inspect(WAIT).unwrap()
}

pub(crate) fn some_fingerprint(text: &str) -> Fingerprint {
    Digest::of(text.as_bytes()).to_string().parse().unwrap()
}

pub(crate) fn claim(operation: &str, phase: ClaimPhase) -> ClaimRequest {
    ClaimRequest {
        key: key(),
        operation: OperationId::new(operation).unwrap(),
        plan: Digest::of(b"plan"),
        phase,
        transaction: None,
        at_us: 1_000,
    }
}

pub(crate) fn intend(segment: u32, segments: u32) -> ClaimPhase {
    ClaimPhase::Intend {
        segment,
        segments,
        transactional: true,
        before: some_fingerprint("before"),
        after: some_fingerprint("after"),
    }
}

/// Records an intent that has to succeed, and answers its sequence.
pub(crate) fn intended(session: &mut SqliteSession, operation: &str) -> u64 {
    let (state, sequence, why) = session.claim(&claim(operation, intend(0, 1))).unwrap();
    assert_eq!(state, ClaimState::Intended, "{why:?}");
    sequence
}

/// Runs SQL in another process. With `crash` the process ends without closing anything.
pub(crate) fn second_process(path: &Path, sql: &str, crash: bool) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "support::the_second_process_of_a_test", "--nocapture"])
        .env("PTAH_TEST_CHILD_DATABASE", path)
        .env("PTAH_TEST_CHILD_SQL", sql)
        .env("PTAH_TEST_CHILD_CRASH", if crash { "1" } else { "" })
        .output()
        .unwrap()
}

/// Whether another process could run SQL, without waiting.
pub(crate) fn other_process_can(path: &Path, sql: &str) -> bool {
    let output = second_process(path, sql, false);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("child: "), "{told}");
    told.contains("child: done")
}

/// Whether another process could open a session and take the lock.
pub(crate) fn other_process_locks(path: &Path) -> LockAnswer {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "support::the_second_process_of_a_test", "--nocapture"])
        .env("PTAH_TEST_CHILD_DATABASE", path)
        .env("PTAH_TEST_CHILD_SQL", "lock")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    match () {
        () if told.contains("child: acquired") => LockAnswer::Acquired,
        () if told.contains("child: busy") => LockAnswer::Busy,
        () => LockAnswer::Other(told),
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LockAnswer {
    Acquired,
    Busy,
    Other(String),
}

/// Not a promise of its own: what the second process does.
#[test]
fn the_second_process_of_a_test() {
    let (Some(path), Ok(sql)) = (std::env::var_os("PTAH_TEST_CHILD_DATABASE"), std::env::var("PTAH_TEST_CHILD_SQL"))
    else {
        return;
    };
    if sql == "lock" {
        let mut session = open(&request(Path::new(&path), Purpose::Apply)).unwrap().session;
        let told = match lock(&mut session, "child") {
            LockAttempt::Acquired => "acquired",
            LockAttempt::Busy(_) => "busy",
            LockAttempt::Lost(_) => "lost",
        };
        println!("child: {told}");
        return;
    }
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    let done = connection.execute_batch(&sql);
    println!("child: {}", if done.is_ok() { "done" } else { "refused" });
    if std::env::var("PTAH_TEST_CHILD_CRASH").is_ok_and(|crash| crash == "1") {
        std::process::abort();
    }
}

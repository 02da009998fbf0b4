//! A session: executing, transactions, and the run lock. The SDK asks one thing after another, checks every lock before it
//! does, and never asks what the description does not list.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ptah_model::{Digest, Scope};
use ptah_provider_api::claim::{AdoptRequest, ClaimRequest, ClaimState, ClaimsReading};
use ptah_provider_api::execute::{ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::key::RequestId;
use ptah_provider_api::reason::Reason;
use ptah_provider_api::session::DatabaseIdentity;
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::{BeginRequest, TransactionState};
use ptah_provider_sdk::{Began, Ended, EngineSession, Executed, Failure, FailureCode, Interrupt, LockAttempt};
use ptah_provider_sdk::{Opened, SessionFacts, Snapshot as _, error_with_reason};

use crate::language::{self, Fault};
use crate::reading::Reading;
use crate::records;
use crate::store::{Content, HeldLock, Store, Writing};

/// How long to wait between two attempts to be the writer.
const PAUSE: Duration = Duration::from_millis(10);

/// One connection.
pub(crate) struct StoreSession {
    store: Store,
    transaction: Option<Transaction>,
    locks: BTreeMap<RequestId, HeldLock>,
    interrupted: Arc<AtomicBool>,
}

/// What is only in memory until it is committed.
struct Transaction {
    id: TransactionId,
    content: Content,
    _writing: Writing,
}

fn reason(text: &str) -> Option<Reason> {
    Some(Reason::or_malformed(text))
}

/// A failure of the system, without its text: that could quote a path.
fn failed(error: io::Error) -> Failure {
    let (code, why) = match error.kind() {
        ErrorKind::WouldBlock => (FailureCode::Unavailable, "another writer is at work"),
        ErrorKind::NotFound => (FailureCode::NotFound, "the folder of the database does not exist"),
        ErrorKind::PermissionDenied => (FailureCode::PermissionDenied, "the file may not be used"),
        ErrorKind::InvalidData => (FailureCode::FailedPrecondition, "the file is no database of this engine"),
        _ => (FailureCode::Unavailable, "the system failed to read or write the file"),
    };
    error_with_reason(code, why)
}

impl StoreSession {
    pub(crate) fn open(store: Store, create: bool) -> Result<Opened<Self>, Failure> {
        if create {
            store.create().map_err(failed)?;
        }
        let content = store.read().map_err(failed)?;
        let facts = SessionFacts {
            database: store.name(),
            default_schema: None,
            server_version: env!("CARGO_PKG_VERSION").to_owned(),
            identifier_rules: crate::rules(),
            features: crate::features().collect(),
            capabilities: crate::capabilities(),
            settings_digest: Digest::of(env!("CARGO_PKG_VERSION").as_bytes()),
            identity: records::identity(&store, content.ptah.as_ref()),
            exists: store.exists(),
            notes: Vec::new(),
        };
        let (locks, interrupted) = (BTreeMap::new(), Arc::default());
        Ok(Opened { session: Self { store, transaction: None, locks, interrupted }, facts })
    }

    fn run(&mut self, unit: &Unit, inside: bool) -> Result<(), Refused> {
        let Unit::Sql { text } = unit else {
            return Err(Refused("NATIVE", "this engine plans no native operation, so this is none of its own"));
        };
        let statement = language::one(text)?;
        if let (true, Some(open)) = (inside, &mut self.transaction) {
            return Ok(language::run(statement, &mut open.content.tables)?);
        }
        self.alone(|content| Ok(language::run(statement, &mut content.tables)?))
    }

    /// A change that commits by itself. Nothing is written when `work` refuses.
    fn alone<T, E: From<io::Error>>(&self, work: impl FnOnce(&mut Content) -> Result<T, E>) -> Result<T, E> {
        let _writing = self.store.start_writing()?;
        let mut content = self.store.read()?;
        let done = work(&mut content)?;
        self.store.write(&content)?;
        Ok(done)
    }

    fn start_writing(&self, wait: Duration) -> io::Result<Writing> {
        let deadline = Instant::now() + wait;
        loop {
            let attempt = self.store.start_writing();
            let busy = attempt.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
            if !busy || Instant::now() >= deadline || self.interrupted.load(Ordering::Acquire) {
                return attempt;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Why a transaction does not begin with this content.
    fn objection(asked: &BeginRequest, content: &Content) -> Option<Began> {
        let found = Reading::of(&content.tables).fingerprint();
        let stopped = |state, why| Began { state, transaction: None, found_state: None, diagnostic: reason(why) };
        if asked.expect_state.is_some_and(|expected| expected != found) {
            let began = stopped(TransactionState::StateChanged, "the schema is not the one that was expected");
            return Some(Began { found_state: Some(found), ..began });
        }
        let latest = records::latest(content.ptah.as_ref());
        let other = asked.expect_claim.is_some_and(|expected| expected != latest);
        other.then(|| stopped(TransactionState::ClaimChanged, "another claim is the latest"))
    }
}

/// Why a unit was refused: a code of the engine, and a sentence of ours.
struct Refused(&'static str, &'static str);

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self(fault.code, fault.sentence)
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock => Self("BUSY", "another writer is at work"),
            _ => Self("SYSTEM", "the system failed to read or write the file"),
        }
    }
}

impl EngineSession for StoreSession {
    type Snapshot = Reading;

    fn interrupt(&self) -> Interrupt {
        let interrupted = Arc::clone(&self.interrupted);
        Arc::new(move || interrupted.store(true, Ordering::Release))
    }

    fn inspect(&mut self, _: Duration) -> Result<Arc<Reading>, Failure> {
        // Inside a transaction it is that state which counts.
        let reading = match &self.transaction {
            Some(open) => Reading::of(&open.content.tables),
            None => Reading::of(&self.store.read().map_err(failed)?.tables),
        };
        Ok(Arc::new(reading))
    }

    fn execute(&mut self, request: &ExecuteRequest) -> Result<Executed, Failure> {
        let mut done = Executed { outcome: Outcome::Applied, applied: 0, diagnostic: None, engine_code: None };
        let inside = request.transaction.is_some();
        let refusal = match (&self.transaction, inside) {
            (Some(_), false) => Some("a transaction is open on the session"),
            _ if !self.store.exists() => Some("the database does not exist"),
            _ => None,
        };
        if let Some(why) = refusal {
            return Ok(Executed { outcome: Outcome::NotStarted, diagnostic: reason(why), ..done });
        }
        for unit in &request.units {
            if let Err(Refused(code, why)) = self.run(unit, inside) {
                // A refused unit leaves everything as it was. A file that the system failed to replace may be either.
                done.outcome = match (code, done.applied) {
                    ("SYSTEM", _) => Outcome::Unknown,
                    (_, 0) => Outcome::NotApplied,
                    _ => Outcome::Partial,
                };
                return Ok(Executed { diagnostic: reason(why), engine_code: Some(code.to_owned()), ..done });
            }
            done.applied += 1;
        }
        Ok(done)
    }

    fn begin(&mut self, asked: &BeginRequest) -> Result<Began, Failure> {
        let stopped =
            |state, why| Ok(Began { state, transaction: None, found_state: None, diagnostic: reason(why) });
        if !asked.settings.is_empty() {
            return stopped(TransactionState::NotStarted, "this engine has no setting that a transaction could need");
        }
        if !self.store.exists() {
            return stopped(TransactionState::NotStarted, "the database does not exist");
        }
        let writing = match self.start_writing(Duration::from_millis(asked.lock_timeout_ms)) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                return stopped(TransactionState::Busy, "another writer was at work for the whole wait");
            }
            attempt => attempt.map_err(failed)?,
        };
        let content = self.store.read().map_err(failed)?;
        if let Some(objection) = Self::objection(asked, &content) {
            return Ok(objection);
        }
        let id = TransactionId(uuid::Uuid::new_v4().to_string());
        self.transaction = Some(Transaction { id: id.clone(), content, _writing: writing });
        Ok(Began { state: TransactionState::Begun, transaction: Some(id), found_state: None, diagnostic: None })
    }

    fn commit(&mut self, transaction: &TransactionId, _: Duration) -> Result<Ended, Failure> {
        let Some(open) = self.transaction.take_if(|open| open.id == *transaction) else {
            return Ok(Ended { state: TransactionState::Unknown, diagnostic: reason("the transaction is not open") });
        };
        // Once the file may have been replaced and its folder not written, nobody knows what a crash would leave.
        Ok(match self.store.write(&open.content) {
            Ok(()) => Ended { state: TransactionState::Committed, diagnostic: None },
            Err(_) => {
                let why = "the system failed while the file was replaced";
                Ended { state: TransactionState::Unknown, diagnostic: reason(why) }
            }
        })
    }

    fn rollback(&mut self, _: &TransactionId) -> Result<Ended, Failure> {
        self.transaction = None;
        Ok(Ended { state: TransactionState::RolledBack, diagnostic: None })
    }

    fn try_lock(&mut self, scope: &Scope, lock: &RequestId) -> Result<LockAttempt, Failure> {
        if !self.store.exists() {
            return Ok(LockAttempt::Lost(reason("the database does not exist")));
        }
        match self.store.try_lock(scope.as_str()) {
            Ok(held) => {
                self.locks.insert(lock.clone(), held);
                Ok(LockAttempt::Acquired)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                Ok(LockAttempt::Busy(reason("another process or session holds the lock")))
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn check_lock(&mut self, _: &Scope, lock: &RequestId) -> Result<bool, Failure> {
        Ok(self.locks.get(lock).is_some_and(HeldLock::holds))
    }

    fn release_lock(&mut self, _: &Scope, lock: &RequestId) -> Result<bool, Failure> {
        Ok(self.locks.remove(lock).is_some_and(|held| held.holds()))
    }

    fn claim(&mut self, request: &ClaimRequest) -> Result<(ClaimState, u64, Option<Reason>), Failure> {
        if !self.store.exists() {
            return Ok((ClaimState::NotWritten, 0, reason("the database does not exist")));
        }
        let store = self.store.clone();
        if let (Some(open), Some(_)) = (&mut self.transaction, &request.transaction) {
            return Ok(records::record(&store, &mut open.content, request));
        }
        let made = self.alone(|content| Ok::<_, io::Error>(records::record(&store, content, request)));
        Ok(made.unwrap_or_else(|error| match error.kind() {
            ErrorKind::WouldBlock => (ClaimState::NotWritten, 0, reason("another writer is at work")),
            _ => (ClaimState::Unknown, 0, reason("the system failed while the file was replaced")),
        }))
    }

    fn read_claims(&mut self, limit: u32) -> Result<ClaimsReading, Failure> {
        let content = self.store.read().map_err(failed)?;
        let identity = records::identity(&self.store, content.ptah.as_ref());
        records::read(identity, content.ptah.as_ref(), limit)
            .ok_or_else(|| error_with_reason(FailureCode::FailedPrecondition, "the records in the file are damaged"))
    }

    fn adopt(&mut self, request: &AdoptRequest) -> Result<DatabaseIdentity, Failure> {
        let store = self.store.clone();
        let adopted = self.alone(|content| {
            let adopted = content.ptah.as_mut().map(|ours| records::adopt(&store, ours, request.adoption));
            Ok::<_, io::Error>(adopted.map(|()| records::identity(&store, content.ptah.as_ref())))
        });
        let nothing = "the database has no identity yet, so there is nothing to adopt";
        adopted.map_err(failed)?.ok_or_else(|| error_with_reason(FailureCode::FailedPrecondition, nothing))
    }

    fn forget(&mut self) -> Result<(), Failure> {
        let forgotten = self.alone(|content| {
            let open = content.ptah.as_ref().is_some_and(|ours| ours.unfinished().is_some());
            if !open {
                content.ptah = None;
            }
            Ok::<_, io::Error>(!open)
        });
        if forgotten.map_err(failed)? {
            return Ok(());
        }
        let why = "an operation is unfinished, and forgetting it would lose its outcome";
        Err(error_with_reason(FailureCode::FailedPrecondition, why))
    }

    fn close(self) {
        // Dropping what is open rolls it back, and dropping the locks gives them back.
    }
}

//! A session as the host has one. What looks, or works in a dev database, is done; what would change a target is refused.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ptah_model::{SchemaModel, Scope, SnapshotId};
use ptah_outside::{Answer, Begin, Call, Executed, HostError};
use ptah_provider_api::claim::ClaimsReading;
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest, TransactionId};
use ptah_provider_api::key::Key;
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reading::Reading;
use ptah_provider_api::session::Session as Facts;
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::{BeginRequest, TransactionReceipt};
use ptah_provider_sdk::{Began, Ended, EngineSession as _, Failure, Snapshot as _};
use ptah_provider_sqlite::SqliteSession;

use crate::provider::{Shelf, apart, new_id, readings};

/// A session that is called directly.
#[derive(Debug)]
pub struct Session {
    called: Arc<Mutex<SqliteSession>>,
    facts: Facts,
    shelf: Shelf,
}

impl Session {
    pub(crate) fn new(session: SqliteSession, facts: Facts, shelf: Shelf) -> Self {
        Self { called: Arc::new(Mutex::new(session)), facts, shelf }
    }

    /// What the session states.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether the session offers a feature.
    pub fn offers(&self, feature: &str) -> bool {
        self.facts.features.contains(feature)
    }

    /// Everything that is needed to look is offered.
    pub fn require(&self, _calls: &[Call]) -> Result<(), HostError> {
        Ok(())
    }

    async fn work<T: Send + 'static>(
        &self,
        call: Call,
        work: impl FnOnce(&mut SqliteSession) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, HostError> {
        let session = Arc::clone(&self.called);
        apart(call, move || work(&mut session.lock().unwrap_or_else(PoisonError::into_inner))).await
    }

    fn key(&self, scope: &Scope) -> Key {
        Key { session: self.facts.session.clone(), scope: scope.clone(), request: new_id() }
    }

    /// Reads the catalogue. The objects are shared and not copied.
    pub async fn inspect(&self, lock_timeout: Duration, fingerprint_only: bool) -> Result<Reading, HostError> {
        let snapshot = self.work(Call::Inspect, move |session| session.inspect(lock_timeout)).await?;
        let id = new_snapshot_id();
        readings(&self.shelf).insert((self.facts.session.clone(), id.clone()), Arc::clone(&snapshot));
        let count = snapshot.schema().objects().len() as u64;
        let fingerprint = snapshot.fingerprint();
        let schema = if fingerprint_only { SchemaModel::default() } else { snapshot.schema().clone() };
        Ok(Reading { schema, count, fingerprint, snapshot: id })
    }

    /// Asks the rows.
    pub async fn query_rows(
        &self,
        query: impl Into<String>,
        transaction: Option<&TransactionId>,
        limit: u32,
    ) -> Result<QueryRowsReply, HostError> {
        let (session, transaction) = (self.facts.session.clone(), transaction.cloned());
        let request = QueryRowsRequest { session, query: query.into(), transaction, limit };
        self.work(Call::QueryRows, move |session| session.query_rows(&request)).await
    }

    /// Reads what the database remembers.
    pub async fn read_claims(&self, limit: u32) -> Result<ClaimsReading, HostError> {
        self.work(Call::ReadClaims, move |session| session.read_claims(limit)).await
    }

    /// Executes units in a dev database.
    pub async fn execute(
        &self,
        scope: &Scope,
        units: Vec<Unit>,
        transaction: Option<&TransactionId>,
        _statement_timeout: Option<Duration>,
    ) -> Executed {
        let key = self.key(scope);
        let transaction = transaction.cloned();
        let request = ExecuteRequest { key: key.clone(), units, transaction, statement_timeout_ms: None };
        match self.work(Call::Execute, move |session| session.execute(&request)).await {
            Ok(done) => {
                let diagnostic = done.diagnostic.map(|reason| reason.as_str().to_owned());
                let (outcome, applied_count, engine_code) = (done.outcome, done.applied, done.engine_code);
                let reply = ExecuteReply { key, outcome, applied_count, diagnostic, engine_code };
                Executed { reply, cause: None }
            }
            Err(cause) => Executed { reply: ExecuteReply::unknown(key), cause: Some(cause) },
        }
    }

    /// Begins a transaction in a dev database.
    pub async fn begin(&self, scope: &Scope, begin: Begin) -> Answer<TransactionReceipt> {
        let key = self.key(scope);
        let lock_timeout_ms = u64::try_from(begin.lock_timeout.as_millis()).unwrap_or(u64::MAX);
        let Begin { settings, expect_state, expect_claim, .. } = begin;
        let request = BeginRequest { key: key.clone(), settings, expect_state, expect_claim, lock_timeout_ms };
        let began = self.work(Call::Begin, move |session| session.begin(&request)).await;
        answer(began.map(|began| {
            let Began { state, transaction, found_state, diagnostic } = began;
            let transaction = transaction.unwrap_or_else(|| TransactionId(String::new()));
            let diagnostic = diagnostic.map(|reason| reason.as_str().to_owned());
            TransactionReceipt { key, transaction, state, found_state, diagnostic }
        }))
    }

    /// Commits a transaction in a dev database.
    pub async fn commit(
        &self,
        scope: &Scope,
        transaction: &TransactionId,
        lock_timeout: Duration,
    ) -> Answer<TransactionReceipt> {
        let id = transaction.clone();
        let ended = self.work(Call::Commit, move |session| session.commit(&id, lock_timeout)).await;
        answer(ended.map(|ended| self.ended(scope, transaction, ended)))
    }

    /// Rolls a transaction back in a dev database.
    pub async fn rollback(&self, scope: &Scope, transaction: &TransactionId) -> Answer<TransactionReceipt> {
        let id = transaction.clone();
        let ended = self.work(Call::Rollback, move |session| session.rollback(&id)).await;
        answer(ended.map(|ended| self.ended(scope, transaction, ended)))
    }

    fn ended(&self, scope: &Scope, transaction: &TransactionId, ended: Ended) -> TransactionReceipt {
        let Ended { state, diagnostic } = ended;
        let diagnostic = diagnostic.map(|reason| reason.as_str().to_owned());
        TransactionReceipt {
            key: self.key(scope),
            transaction: transaction.clone(),
            state,
            found_state: None,
            diagnostic,
        }
    }
}

fn new_snapshot_id() -> SnapshotId {
    #[expect(clippy::expect_used, reason = "the text of a UUID has only what an ID may have")]
    SnapshotId::new(uuid::Uuid::new_v4().to_string()).expect("a UUID is an ID")
}

fn answer<T>(made: Result<T, HostError>) -> Answer<T> {
    made.map_or_else(Answer::Lost, Answer::Reply)
}

//! A provider as the host has one, without the provider's process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptah_model::{EngineName, KindCatalog, SnapshotId};
use ptah_outside::{Call, CallCode, HostError, Opening};
use ptah_provider_api::describe::{Description, Engine as Described};
use ptah_provider_api::dev::{DevContent, ProvisionDevRequest};
use ptah_provider_api::key::{RequestId, SessionId};
use ptah_provider_api::plan::{PlanReply, PlanRequest, SnapshotRef};
use ptah_provider_api::render::{RenderReply, RenderRequest};
use ptah_provider_api::session::{DevId, OpenRequest, Session as Facts};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_sdk::{Engine as _, Failure, FailureCode, Opened, SessionFacts};
use ptah_provider_sqlite::{SqliteEngine, SqliteSnapshot};
use tonic::Code;

use crate::session::Session;

/// The readings of all sessions.
pub(crate) type Shelf = Arc<Mutex<BTreeMap<(SessionId, SnapshotId), Arc<SqliteSnapshot>>>>;

/// An engine that is called directly.
#[derive(Debug)]
pub struct Provider {
    engine: Arc<SqliteEngine>,
    description: Description,
    kinds: BTreeMap<EngineName, KindCatalog>,
    shelf: Shelf,
}

impl Default for Provider {
    fn default() -> Self {
        let engine = SqliteEngine::new();
        let description = engine.description();
        let kinds = |engine: &Described| (engine.name.clone(), KindCatalog::new(engine.models.iter().cloned()));
        let kinds = description.engines.iter().map(kinds).collect();
        Self { engine: Arc::new(engine), description, kinds, shelf: Shelf::default() }
    }
}

impl Provider {
    /// The engine that a name selects.
    pub fn engine(&self, name: &str) -> Option<&Described> {
        self.description.engine(name)
    }

    /// The kinds of objects of an engine.
    pub fn kinds(&self, engine: &EngineName) -> Option<&KindCatalog> {
        self.kinds.get(engine)
    }

    /// The process that does the provider's work: this one.
    pub fn pid(&self) -> u32 {
        std::process::id()
    }

    /// Analyses one source.
    pub async fn analyze_sql(&self, request: AnalyzeSqlRequest) -> Result<SourceAnalysis, HostError> {
        self.offline(Call::AnalyzeSql, move |engine| engine.analyze_sql(&request)).await
    }

    /// Turns changes into steps.
    pub async fn plan(&self, request: PlanRequest) -> Result<PlanReply, HostError> {
        let (current, desired) = (self.kept(Call::Plan, &request.current)?, self.kept(Call::Plan, &request.desired)?);
        self.offline(Call::Plan, move |engine| engine.plan(&request, &current, &desired)).await
    }

    /// Writes a reading as source text.
    pub async fn render(&self, request: RenderRequest) -> Result<RenderReply, HostError> {
        let snapshot = self.kept(Call::Render, &request.snapshot)?;
        self.offline(Call::Render, move |engine| engine.render(&snapshot)).await
    }

    /// Makes a dev database.
    pub async fn provision_dev(
        &self,
        engine: EngineName,
        session: Option<&Session>,
        content: DevContent,
    ) -> Result<DevId, HostError> {
        let copy_of = match &content {
            DevContent::Empty => None,
            DevContent::CopyOf(snapshot) => Some(self.kept(Call::ProvisionDev, snapshot)?),
        };
        let session = session.map(|session| session.facts().session.clone());
        let request = ProvisionDevRequest { request: new_id(), engine, session, content };
        self.offline(Call::ProvisionDev, move |engine| engine.provision_dev(&request, copy_of)).await
    }

    /// Opens a session.
    pub async fn open(&self, opening: Opening) -> Result<Session, HostError> {
        let Opening { engine, target, purpose, create, recover, accept, lock_timeout } = opening;
        let lock_timeout_ms = u64::try_from(lock_timeout.as_millis()).unwrap_or(u64::MAX);
        let request =
            OpenRequest { request: new_id(), engine, target, purpose, create, recover, accept, lock_timeout_ms };
        let (asked, engine) = (request.request.clone(), request.engine.clone());
        let Opened { session, facts } = self.offline(Call::Open, move |engine| engine.open(&request)).await?;
        Ok(Session::new(session, stated(asked, engine, facts), Arc::clone(&self.shelf)))
    }

    fn kept(&self, call: Call, wanted: &SnapshotRef) -> Result<Arc<SqliteSnapshot>, HostError> {
        let key = (wanted.session.clone(), wanted.snapshot.clone());
        let kept = readings(&self.shelf).get(&key).cloned();
        kept.ok_or_else(|| failed(call, Failure { code: FailureCode::NotFound, reason: None }))
    }

    async fn offline<T: Send + 'static>(
        &self,
        call: Call,
        work: impl FnOnce(&SqliteEngine) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, HostError> {
        let engine = Arc::clone(&self.engine);
        apart(call, move || work(&engine)).await
    }
}

/// Does what blocks on a thread that may block, as any program would: two sessions do not wait for each other.
pub(crate) async fn apart<T: Send + 'static>(
    call: Call,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, HostError> {
    let panicked = |_| Err(Failure { code: FailureCode::Internal, reason: None });
    tokio::task::spawn_blocking(work).await.unwrap_or_else(panicked).map_err(|failure| failed(call, failure))
}

/// A failure as the loop knows it. Only the codes that it tells apart are kept.
pub(crate) fn failed(call: Call, failure: Failure) -> HostError {
    let code = match failure.code {
        FailureCode::Unavailable => Code::Unavailable,
        FailureCode::AlreadyExists => Code::AlreadyExists,
        FailureCode::Unknown => Code::Unknown,
        _ => Code::Internal,
    };
    HostError::CallFailed { call, code: CallCode::new(code), reason: failure.reason }
}

pub(crate) fn readings(shelf: &Shelf) -> MutexGuard<'_, BTreeMap<(SessionId, SnapshotId), Arc<SqliteSnapshot>>> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An ID that was never used.
pub(crate) fn new_id() -> RequestId {
    #[expect(clippy::expect_used, reason = "the text of a UUID has only what an ID may have")]
    RequestId::new(uuid::Uuid::now_v7().to_string()).expect("a UUID is a request ID")
}

fn stated(request: RequestId, engine: EngineName, facts: SessionFacts) -> Facts {
    #[expect(clippy::expect_used, reason = "the text of a UUID has only what an ID may have")]
    let session = SessionId::new(uuid::Uuid::new_v4().to_string()).expect("a UUID is a handle");
    Facts {
        request,
        session,
        engine,
        database: facts.database,
        default_schema: facts.default_schema,
        server_version: facts.server_version,
        identifier_rules: facts.identifier_rules,
        features: facts.features,
        capabilities: facts.capabilities,
        settings_digest: facts.settings_digest,
        identity: facts.identity,
        exists: facts.exists,
        notes: facts.notes,
    }
}

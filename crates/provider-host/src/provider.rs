//! A provider that runs: its offline calls, its sessions, its end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use go_plugin::host::{DEFAULT_GRACE, Ended, Plugin};
use ptah_model::{EngineName, KindCatalog};
use ptah_provider_api::Violation;
use ptah_provider_api::contract::LOCK_WAIT_LIMIT;
use ptah_provider_api::describe::{Description, Engine};
use ptah_provider_api::dev::{DevContent, DevDatabase, ProvisionDevRequest};
use ptah_provider_api::key::{RequestId, SessionId};
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::render::{RenderReply, RenderRequest};
use ptah_provider_api::session::{self as api, CloseReply, CloseRequest, DevId, OpenRequest, OpenTarget, Purpose};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_wire::OnWire as _;
use ptah_provider_wire::stream::{AnalysisCollector, RenderingCollector};
use tokio::time::timeout;

use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Asked, HostError, lacks_identifier_rules};
use crate::link::{Broken, Client, Link, Offer};
use crate::session::Session;
use crate::shown;
use crate::start::StartReport;

/// A running provider. Dropping it kills the process; [`Provider::end`] is the polite way.
#[derive(Debug)]
pub struct Provider {
    plugin: Plugin,
    link: Arc<Link>,
    description: Arc<Description>,
    kinds: BTreeMap<EngineName, KindCatalog>,
    report: StartReport,
}

/// What the caller decides about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The engine, by its own name.
    pub engine: EngineName,
    /// What to connect to.
    pub target: OpenTarget,
    /// What for.
    pub purpose: Purpose,
    /// Whether an absent database may be created. Only with [`Purpose::Apply`], and only after approval.
    pub create: bool,
    /// Whether recovery after a crash of another writer may change files.
    pub recover: bool,
    /// What cannot be made safe and may be tried all the same.
    pub accept: BTreeSet<String>,
    /// How long to wait for a busy engine, at most 20 s.
    pub lock_timeout: Duration,
}

impl Opening {
    /// To open a target for a purpose: nothing is created, recovered or accepted, and nothing is waited for.
    pub fn new(engine: EngineName, target: OpenTarget, purpose: Purpose) -> Self {
        let (create, recover, accept, lock_timeout) = (false, false, BTreeSet::new(), Duration::ZERO);
        Self { engine, target, purpose, create, recover, accept, lock_timeout }
    }
}

/// How a provider ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndReport {
    /// How many sessions were still open.
    pub sessions: usize,
    /// How many of them said in time that they are closed.
    pub closed: usize,
    /// How the process ended.
    pub process: Ended,
}

impl Provider {
    pub(crate) fn new(plugin: Plugin, link: Link, description: Description, report: StartReport) -> Self {
        let kinds = |engine: &Engine| (engine.name.clone(), KindCatalog::new(engine.models.iter().cloned()));
        let kinds = description.engines.iter().map(kinds).collect();
        Self { plugin, link: Arc::new(link), description: Arc::new(description), kinds, report }
    }

    /// What the provider is.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The engine that a name, an alias or a scheme selects.
    pub fn engine(&self, name: &str) -> Option<&Engine> {
        self.description.engine(name)
    }

    /// The kinds of objects of an engine, by its own name.
    pub fn kinds(&self, engine: &EngineName) -> Option<&KindCatalog> {
        self.kinds.get(engine)
    }

    /// What the start took.
    pub fn report(&self) -> &StartReport {
        &self.report
    }

    /// The process ID, for showing only.
    pub fn pid(&self) -> u32 {
        self.plugin.pid()
    }

    /// Whether an engine offers a feature of calls that need no session.
    pub fn offers(&self, engine: &EngineName, feature: &str) -> bool {
        self.offer(engine).is_ok_and(|offer| offer.offers(feature))
    }

    /// Analyses one source. Needs no session.
    pub async fn analyze_sql(&self, request: AnalyzeSqlRequest) -> Result<SourceAnalysis, HostError> {
        let call = Call::AnalyzeSql;
        self.offer(&request.engine)?.allow(call)?;
        let collector = AnalysisCollector::new(request.source.clone());
        let send = |mut client: Client, request| async move {
            let mut parts = client.analyze_sql(request).await?.into_inner();
            let mut collector = collector;
            while let Some(part) = parts.message().await? {
                collector.push(part)?;
            }
            Ok(collector.finish()?)
        };
        let limit = self.link.deadlines.of(call);
        let answer = self.link.make(call, limit, request.clone().to_wire(), send).await;
        let mut analysis: SourceAnalysis = answer.into_result()?;
        analysis.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
        shown::clean_analysis(&mut analysis);
        Ok(analysis)
    }

    /// Turns changes into steps. Runs until the caller stops waiting.
    pub async fn plan(&self, request: PlanRequest) -> Result<PlanReply, HostError> {
        let call = Call::Plan;
        self.offer(&request.engine)?.allow(call)?;
        let send = |mut client: Client, request| async move { client.plan(request).await };
        let mut reply: PlanReply = self.link.ask(call, request.clone(), send).await.into_result()?;
        reply.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
        shown::clean_plan(&mut reply);
        Ok(reply)
    }

    /// Writes a reading as source text. Runs until the caller stops waiting.
    pub async fn render(&self, request: RenderRequest) -> Result<RenderReply, HostError> {
        let call = Call::Render;
        self.offer(&request.engine)?.allow(call)?;
        let send = |mut client: Client, request| async move {
            let mut parts = client.render(request).await?.into_inner();
            let mut collector = RenderingCollector::default();
            while let Some(part) = parts.message().await? {
                collector.push(part)?;
            }
            Ok::<_, Broken>(collector.finish()?)
        };
        let limit = self.link.deadlines.of(call);
        let reply: RenderReply = self.link.make(call, limit, request.to_wire(), send).await.into_result()?;
        reply.validate().map_err(|broken| HostError::broken_reply(call, broken))?;
        Ok(reply)
    }

    /// Makes a dev database that [`Provider::open`] accepts as its target. `session` is one on whose server it is made,
    /// for engines that need a server. It ends with that session, or with the process.
    pub async fn provision_dev(
        &self,
        engine: EngineName,
        session: Option<&Session>,
        content: DevContent,
    ) -> Result<DevId, HostError> {
        let call = Call::ProvisionDev;
        self.offer(&engine)?.allow(call)?;
        let session = session.map(|session| session.facts().session.clone());
        let request = ProvisionDevRequest { request: new_request_id(), engine, session, content };
        let send = |mut client: Client, request| async move { client.provision_dev(request).await };
        let reply: DevDatabase = self.link.ask(call, request.clone(), send).await.into_result()?;
        reply.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
        Ok(reply.dev)
    }

    /// Opens a session. The only call that carries an address.
    ///
    /// **Errors.** Also [`HostError::IdentifierRule`] when the session does not say how names compare.
    pub async fn open(&self, opening: Opening) -> Result<Session, HostError> {
        let call = Call::Open;
        let offer = self.offer(&opening.engine)?;
        let Opening { engine, target, purpose, create, recover, accept, lock_timeout } = opening;
        let apply = purpose == Purpose::Apply;
        let allowed =
            Violation::unless(apply || !create, "OpenRequest", "create", "comes only with the purpose to apply");
        allowed.map_err(|source| HostError::RequestInvalid { call, source })?;
        let lock_timeout_ms = lock_timeout_ms(call, lock_timeout)?;
        let request = OpenRequest {
            request: new_request_id(),
            engine,
            target,
            purpose,
            create,
            recover,
            accept,
            lock_timeout_ms,
        };
        let send = |mut client: Client, request| async move { client.open(request).await };
        let answer: Answer<api::Session> = self.link.ask(call, request.clone(), send).await;
        let mut session = answer.into_result().map_err(|error| match error {
            HostError::ReplyInvalid { source, .. } if lacks_identifier_rules(&source) => {
                HostError::IdentifierRule { engine: request.engine.clone() }
            }
            other => other,
        })?;
        // Even a session that is not believed is closed at the end.
        self.link.opened(session.session.clone());
        let within = self.engine(request.engine.as_str()).is_some_and(|e| session.features.is_subset(&e.features));
        session
            .validate_for(&request)
            .and_then(|()| Violation::unless(within, "Session", "features", "are within those of the engine"))
            .map_err(|broken| HostError::broken_reply(call, broken))?;
        session.notes.iter_mut().for_each(shown::clean);
        let offer = offer.of_session(&session.features);
        Ok(Session::new(Arc::clone(&self.link), session, offer))
    }

    /// Ends the provider: closes every session that is open, at the same time and within 10 s all together, then asks
    /// the process to end, and kills it when it does not within 2 s. Later calls on a session are refused.
    pub async fn end(self) -> EndReport {
        let open = self.link.open_sessions();
        let closing = open.iter().map(|session| async {
            let closed = close(&self.link, session).await;
            closed.is_ok()
        });
        // Counted one by one, so that one that hangs does not hide those that are closed.
        let within = self.link.deadlines.close_all;
        let closed = join_all(closing.map(|one| async move { timeout(within, one).await.unwrap_or(false) })).await;
        self.link.end();
        let process = self.plugin.end(DEFAULT_GRACE).await;
        EndReport { sessions: open.len(), closed: closed.into_iter().filter(|closed| *closed).count(), process }
    }

    fn offer(&self, engine: &EngineName) -> Result<Offer, HostError> {
        let found = self.description.engines.iter().find(|described| described.name == *engine);
        found.map(|found| Offer::of_engine(&self.description, found)).ok_or_else(|| HostError::NotFound {
            asked: Asked::Engine(engine.as_str().to_owned()),
            known: self.description.engines.iter().map(|e| e.name.clone()).collect(),
        })
    }
}

/// Closes a session.
pub(crate) async fn close(link: &Link, session: &SessionId) -> Result<(), HostError> {
    let call = Call::Close;
    link.closing(session);
    let request = CloseRequest { session: session.clone(), request: new_request_id() };
    let send = |mut client: Client, request| async move { client.close(request).await };
    let reply: CloseReply = link.ask(call, request.clone(), send).await.into_result()?;
    reply.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))
}

/// A request ID that was never used: a `UUIDv7`.
pub(crate) fn new_request_id() -> RequestId {
    #[expect(
        clippy::expect_used,
        reason = "the text of a UUID is 36 hexadecimal digits and hyphens, which an ID may have"
    )]
    RequestId::new(uuid::Uuid::now_v7().to_string()).expect("a UUID is a request ID")
}

/// A lock wait as the contract has it.
pub(crate) fn lock_timeout_ms(call: Call, wait: Duration) -> Result<u64, HostError> {
    if wait > LOCK_WAIT_LIMIT {
        let source = Violation::new(call.name(), "lock_timeout_ms", "is at most 20 s");
        return Err(HostError::RequestInvalid { call, source });
    }
    Ok(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}

//! The host's side: a client on a socket, with the values of the contract in and out.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hyper_util::rt::TokioIo;
use ptah_model::{Digest, EngineName, Fingerprint, OperationId, SchemaModel, Scope, SourceName};
use ptah_provider_api::claim::{ClaimPhase, ClaimReceipt, ClaimRequest};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{DescribeRequest, Description};
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest, TransactionId};
use ptah_provider_api::feature;
use ptah_provider_api::key::{Key, RequestId, SessionId};
use ptah_provider_api::lock::{LockReceipt, LockRequest};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reading::{InspectRequest, Reading};
use ptah_provider_api::session::{Address, CloseReply, CloseRequest, OpenRequest, OpenTarget, Purpose, Session};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt};
use ptah_provider_sdk::service;
use ptah_provider_wire::pb::provider_client::ProviderClient;
use ptah_provider_wire::stream::{AnalysisCollector, ReadingCollector};
use ptah_provider_wire::{OnWire, reason_from_status};
use tokio::net::{UnixListener, UnixStream};
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Response, Status};

use crate::zorp::{World, Zorp, all_features, description};

/// A provider that runs, and a host that is connected to it.
pub(crate) struct Host {
    pub(crate) world: Arc<World>,
    client: ProviderClient<Channel>,
    next: AtomicU32,
    _directory: tempfile::TempDir,
}

/// What a failed call says: its code by name, and its reason.
pub(crate) fn said(status: &Status) -> (tonic::Code, String) {
    assert_eq!(status.message(), "", "a status message is never sent");
    (status.code(), reason_from_status(status).map(|r| r.as_str().to_owned()).unwrap_or_default())
}

fn read<T: OnWire>(reply: Result<Response<T::Message>, Status>) -> Result<T, Status> {
    reply.map(|reply| T::from_wire(reply.into_inner()).unwrap())
}

impl Host {
    /// A host and a provider that both list everything.
    pub(crate) async fn start() -> Self {
        let host = Self::connect(description()).await;
        host.describe(all_features()).await.unwrap();
        host
    }

    /// A host and a provider before Describe.
    pub(crate) async fn connect(description: Description) -> Self {
        let world = Arc::new(World::default());
        let zorp = Zorp { world: Arc::clone(&world), description };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zorp.sock");
        let listener = UnixListenerStream::new(UnixListener::bind(&path).unwrap());
        let server = Server::builder().add_service(service(zorp).unwrap());
        tokio::spawn(server.serve_with_incoming(listener));
        let client = ProviderClient::new(dial(path).await)
            .max_decoding_message_size(usize::MAX)
            .max_encoding_message_size(usize::MAX);
        Self { world, client, next: AtomicU32::new(0), _directory: directory }
    }

    pub(crate) fn client(&self) -> ProviderClient<Channel> {
        self.client.clone()
    }

    /// A request ID that was not used before.
    pub(crate) fn id(&self) -> RequestId {
        RequestId::new(format!("r{}", self.next.fetch_add(1, Ordering::Relaxed))).unwrap()
    }

    pub(crate) fn key(&self, session: &SessionId) -> Key {
        Key { session: session.clone(), scope: Scope::new("ptah").unwrap(), request: self.id() }
    }

    pub(crate) async fn describe(&self, host_features: BTreeSet<String>) -> Result<Description, Status> {
        let request = DescribeRequest {
            contract: ContractVersion::CURRENT,
            host_features,
            required_features: feature::REQUIRED.map(str::to_owned).into(),
            host: "ptah test".to_owned(),
        };
        read(self.client().describe(request.to_wire()).await)
    }

    pub(crate) fn open_request(&self, purpose: Purpose, accept: &[&str]) -> OpenRequest {
        OpenRequest {
            request: self.id(),
            engine: EngineName::new("zorp").unwrap(),
            target: OpenTarget::Address(Address::new("zorp://main")),
            purpose,
            create: false,
            recover: false,
            accept: accept.iter().map(|w| (*w).to_owned()).collect(),
            lock_timeout_ms: 0,
        }
    }

    pub(crate) async fn try_open(&self, request: OpenRequest) -> Result<Session, Status> {
        read(self.client().open(request.to_wire()).await)
    }

    /// A session for an apply.
    pub(crate) async fn open(&self) -> SessionId {
        self.try_open(self.open_request(Purpose::Apply, &[])).await.unwrap().session
    }

    pub(crate) async fn close(&self, session: &SessionId) -> Result<CloseReply, Status> {
        let request = CloseRequest { session: session.clone(), request: self.id() };
        read(self.client().close(request.to_wire()).await)
    }

    pub(crate) fn execute_request(&self, session: &SessionId, texts: &[&str]) -> ExecuteRequest {
        let unit = |text: &&str| Unit::Sql { text: (*text).to_owned() };
        ExecuteRequest {
            key: self.key(session),
            units: texts.iter().map(unit).collect(),
            transaction: None,
            statement_timeout_ms: None,
        }
    }

    pub(crate) async fn send(&self, request: ExecuteRequest) -> Result<ExecuteReply, Status> {
        read(self.client().execute(request.to_wire()).await)
    }

    pub(crate) async fn execute(&self, session: &SessionId, texts: &[&str]) -> Result<ExecuteReply, Status> {
        self.send(self.execute_request(session, texts)).await
    }

    pub(crate) async fn begin(&self, session: &SessionId) -> Result<TransactionReceipt, Status> {
        let request = BeginRequest {
            key: self.key(session),
            settings: Vec::new(),
            expect_state: None,
            expect_claim: None,
            lock_timeout_ms: 0,
        };
        read(self.client().begin_transaction(request.to_wire()).await)
    }

    fn end(&self, session: &SessionId, transaction: &TransactionId) -> EndRequest {
        EndRequest { key: self.key(session), transaction: transaction.clone(), lock_timeout_ms: 0 }
    }

    pub(crate) async fn commit(&self, session: &SessionId, id: &TransactionId) -> Result<TransactionReceipt, Status> {
        read(self.client().commit_transaction(self.end(session, id).to_wire()).await)
    }

    pub(crate) async fn rollback(&self, session: &SessionId, id: &TransactionId) -> Result<TransactionReceipt, Status> {
        read(self.client().rollback_transaction(self.end(session, id).to_wire()).await)
    }

    /// A lock request under an ID of the test's own.
    pub(crate) fn lock(session: &SessionId, id: &str, scope: &str) -> LockRequest {
        let (scope, request) = (Scope::new(scope).unwrap(), RequestId::new(id).unwrap());
        LockRequest { key: Key { session: session.clone(), scope, request } }
    }

    pub(crate) async fn try_lock(&self, request: &LockRequest) -> Result<LockReceipt, Status> {
        read(self.client().try_lock(request.clone().to_wire()).await)
    }

    pub(crate) async fn check_lock(&self, request: &LockRequest) -> Result<LockReceipt, Status> {
        read(self.client().check_lock(request.clone().to_wire()).await)
    }

    pub(crate) async fn release_lock(&self, request: &LockRequest) -> Result<LockReceipt, Status> {
        read(self.client().release_lock(request.clone().to_wire()).await)
    }

    pub(crate) async fn intend(&self, session: &SessionId) -> Result<ClaimReceipt, Status> {
        let state = Fingerprint::of(&SchemaModel::default());
        let request = ClaimRequest {
            key: self.key(session),
            operation: OperationId::new("o1").unwrap(),
            plan: Digest::of(b"plan"),
            phase: ClaimPhase::Intend { segment: 0, segments: 1, transactional: true, before: state, after: state },
            transaction: None,
            at_us: 0,
        };
        read(self.client().claim(request.to_wire()).await)
    }

    pub(crate) async fn inspect(&self, session: &SessionId, only: bool) -> Result<Reading, Status> {
        let request = InspectRequest { session: session.clone(), lock_timeout_ms: 0, fingerprint_only: only };
        let mut parts = self.client().inspect(request.clone().to_wire()).await?.into_inner();
        let mut collector = ReadingCollector::default();
        while let Some(part) = parts.message().await? {
            collector.push(part).unwrap();
        }
        let reading = collector.finish().unwrap();
        reading.validate_for(&request).unwrap();
        Ok(reading)
    }

    pub(crate) async fn analyze(&self, text: &str) -> Result<SourceAnalysis, Status> {
        let source = SourceName::new("a.zorp");
        let request =
            AnalyzeSqlRequest { engine: EngineName::new("zorp").unwrap(), source: source.clone(), text: text.into() };
        let mut parts = self.client().analyze_sql(request.to_wire()).await?.into_inner();
        let mut collector = AnalysisCollector::new(source);
        while let Some(part) = parts.message().await? {
            collector.push(part).unwrap();
        }
        Ok(collector.finish().unwrap())
    }

    pub(crate) async fn query(&self, session: &SessionId, query: &str) -> Result<QueryRowsReply, Status> {
        let request =
            QueryRowsRequest { session: session.clone(), query: query.to_owned(), transaction: None, limit: 1 };
        read(self.client().query_rows(request.to_wire()).await)
    }
}

async fn dial(path: PathBuf) -> Channel {
    let connector = tower::service_fn(move |_| {
        let path = path.clone();
        async move { UnixStream::connect(path).await.map(TokioIo::new) }
    });
    Endpoint::from_static("http://zorp").connect_with_connector(connector).await.unwrap()
}

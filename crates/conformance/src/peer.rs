//! A running executable with a connection to it, and a session on it.

use std::io;
use std::path::Path;

use hyper_util::rt::TokioIo;
use prost::Message;
use ptah_model::{Fingerprint, SnapshotId};
use ptah_provider_api::reading::Reading;
use ptah_provider_wire::pb;
use ptah_provider_wire::pb::provider_client::ProviderClient;
use ptah_provider_wire::stream::ReadingCollector;
use rustls_pki_types::CertificateDer;
use tonic::client::Grpc;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::message::{fresh, units};
use crate::process::{Process, Spawn};
use crate::rule::{Stop, broken, reply};
use crate::tls::{Identity, Manner, connect};

/// HTTP/2 windows as the host has them, so that a large message is not a matter of round trips.
const WINDOW: u32 = 8 * 1024 * 1024;

/// More than any message may have: sizes are judged by the rules, not by this client.
const OPEN_LIMIT: usize = 256 * 1024 * 1024;

/// The client of the contract.
pub(crate) type Client = ProviderClient<Channel>;

/// A running executable that is connected.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) process: Process,
    pub(crate) channel: Channel,
}

impl Peer {
    /// Starts it and connects, and says nothing yet.
    pub(crate) async fn start(spawn: &Spawn) -> Result<Self, Stop> {
        Self::over(Process::start(spawn)?).await
    }

    /// Connects to a process that was started.
    pub(crate) async fn over(mut process: Process) -> Result<Self, Stop> {
        let line = process.line().await?;
        let channel = dial(&line.socket, &line.certificate, &process.identity).await;
        let channel = channel.map_err(|error| broken("the connection with mutual TLS", error.to_string()))?;
        Ok(Self { process, channel })
    }

    pub(crate) fn client(&self) -> Client {
        ProviderClient::new(self.channel.clone()).max_decoding_message_size(OPEN_LIMIT)
    }

    /// Negotiates.
    pub(crate) async fn describe(&self, request: pb::DescribeRequest) -> Result<pb::Description, Stop> {
        reply("Describe", self.client().describe(request).await)
    }

    /// Opens a session.
    pub(crate) async fn open(&self, request: pb::OpenRequest) -> Result<Session<'_>, Stop> {
        let facts = reply("Open", self.client().open(request).await)?;
        Ok(Session { peer: self, facts })
    }
}

async fn dial(socket: &Path, server: &CertificateDer<'static>, identity: &Identity) -> io::Result<Channel> {
    let mut once = Some(TokioIo::new(connect(socket, server, Manner::Host(identity)).await?));
    let connector = tower::service_fn(move |_| {
        let io = once.take();
        async move { io.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)) }
    });
    let endpoint = Endpoint::from_static("http://localhost")
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    endpoint.connect_with_connector(connector).await.map_err(io::Error::other)
}

/// An open session.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) peer: &'a Peer,
    pub(crate) facts: pb::Session,
}

impl Session<'_> {
    pub(crate) fn id(&self) -> String {
        self.facts.session_id.clone()
    }

    pub(crate) fn client(&self) -> Client {
        self.peer.client()
    }

    /// A key of a new request.
    pub(crate) fn key(&self, scope: &str) -> pb::Key {
        pb::Key { session_id: self.id(), scope: scope.to_owned(), request_id: fresh() }
    }

    /// Whether a named fact is established.
    pub(crate) fn states(&self, name: &str) -> bool {
        self.facts.capabilities.iter().any(|fact| fact.name == name && fact.established)
    }

    /// A request to execute texts.
    pub(crate) fn execution(&self, texts: &[&str], transaction: Option<&str>) -> pb::ExecuteRequest {
        pb::ExecuteRequest {
            key: Some(self.key("conformance")),
            units: units(texts),
            transaction_id: transaction.map(str::to_owned),
            statement_timeout_ms: None,
        }
    }

    /// Executes texts.
    pub(crate) async fn execute(&self, texts: &[&str], transaction: Option<&str>) -> Result<pb::ExecuteReply, Stop> {
        reply("Execute", self.client().execute(self.execution(texts, transaction)).await)
    }

    /// Executes texts, all of which have to apply.
    pub(crate) async fn apply(&self, texts: &[&str], transaction: Option<&str>) -> Result<(), Stop> {
        let executed = self.execute(texts, transaction).await?;
        if executed.outcome() == pb::Outcome::Applied {
            return Ok(());
        }
        Err(broken(format!("Execute of units that create an object ({})", texts.join("; ")), outcome(&executed)))
    }

    pub(crate) fn inspection(&self, fingerprint_only: bool) -> pb::InspectRequest {
        pb::InspectRequest { session_id: self.id(), lock_timeout_ms: 5_000, fingerprint_only }
    }

    /// Reads the catalogue.
    pub(crate) async fn read(&self) -> Result<Reading, Stop> {
        self.read_as(self.inspection(false)).await
    }

    /// Reads the catalogue as a request says.
    pub(crate) async fn read_as(&self, request: pb::InspectRequest) -> Result<Reading, Stop> {
        let stream = reply("Inspect", self.client().inspect(request).await)?;
        let parts = all("Inspect", stream).await?;
        let mut collector = ReadingCollector::default();
        let taken = parts.into_iter().try_for_each(|part| collector.push(part));
        taken
            .and_then(|()| collector.finish())
            .map_err(|rule| broken("Inspect", format!("a stream that breaks a rule: {rule}")))
    }

    /// The fingerprint of the whole schema.
    pub(crate) async fn fingerprint(&self) -> Result<Fingerprint, Stop> {
        self.read().await.map(|reading| reading.fingerprint)
    }

    pub(crate) fn reference(&self, snapshot: &SnapshotId) -> pb::SnapshotRef {
        pb::SnapshotRef { session_id: self.id(), snapshot_id: snapshot.as_str().to_owned() }
    }

    /// Begins a transaction without any wish.
    pub(crate) fn beginning(&self) -> pb::BeginRequest {
        pb::BeginRequest { key: Some(self.key("conformance")), lock_timeout_ms: 1_000, ..Default::default() }
    }

    /// Begins a transaction, which has to work; its ID.
    pub(crate) async fn begin(&self) -> Result<String, Stop> {
        let receipt = reply("BeginTransaction", self.client().begin_transaction(self.beginning()).await)?;
        if receipt.state() == pb::TransactionState::Begun && !receipt.transaction_id.is_empty() {
            return Ok(receipt.transaction_id);
        }
        Err(broken("BeginTransaction without any expectation", format!("state {:?}", receipt.state())))
    }

    pub(crate) fn ending(&self, transaction: &str) -> pb::EndRequest {
        pb::EndRequest {
            key: Some(self.key("conformance")),
            transaction_id: transaction.to_owned(),
            lock_timeout_ms: 1_000,
        }
    }

    pub(crate) async fn commit(&self, transaction: &str) -> Result<pb::TransactionReceipt, Stop> {
        reply("CommitTransaction", self.client().commit_transaction(self.ending(transaction)).await)
    }

    pub(crate) async fn roll_back(&self, transaction: &str) -> Result<pb::TransactionReceipt, Stop> {
        reply("RollbackTransaction", self.client().rollback_transaction(self.ending(transaction)).await)
    }

    /// A request about one lock.
    pub(crate) fn lock(&self, scope: &str, lock: &str) -> pb::LockRequest {
        let key = pb::Key { request_id: lock.to_owned(), ..self.key(scope) };
        pb::LockRequest { key: Some(key) }
    }

    pub(crate) async fn try_lock(&self, scope: &str, lock: &str) -> Result<pb::LockReceipt, Stop> {
        reply("TryLock", self.client().try_lock(self.lock(scope, lock)).await)
    }

    pub(crate) async fn check_lock(&self, scope: &str, lock: &str) -> Result<pb::LockReceipt, Stop> {
        reply("CheckLock", self.client().check_lock(self.lock(scope, lock)).await)
    }

    pub(crate) async fn release_lock(&self, scope: &str, lock: &str) -> Result<pb::LockReceipt, Stop> {
        reply("ReleaseLock", self.client().release_lock(self.lock(scope, lock)).await)
    }

    pub(crate) fn closing(&self) -> pb::CloseRequest {
        pb::CloseRequest { session_id: self.id(), request_id: fresh() }
    }

    /// Closes the session.
    pub(crate) async fn close(&self) -> Result<pb::CloseReply, Stop> {
        reply("Close", self.client().close(self.closing()).await)
    }
}

/// All parts of a stream.
pub(crate) async fn all<T>(sent: &str, mut stream: Streaming<T>) -> Result<Vec<T>, Stop> {
    let mut parts = Vec::new();
    while let Some(part) = stream.message().await.map_err(|status| broken(sent, crate::rule::failed(&status)))? {
        parts.push(part);
    }
    Ok(parts)
}

/// The answer of a call with a stream: its parts, or the status with which it failed at whatever point.
pub(crate) async fn whole<T>(answer: Result<Response<Streaming<T>>, Status>) -> Result<Response<Vec<T>>, Status> {
    let mut stream = answer?.into_inner();
    let mut parts = Vec::new();
    while let Some(part) = stream.message().await? {
        parts.push(part);
    }
    Ok(Response::new(parts))
}

/// What an execution answered, in words.
pub(crate) fn outcome(executed: &pb::ExecuteReply) -> String {
    format!("outcome {:?} with {} applied", executed.outcome(), executed.applied_count)
}

/// A call by its path, for messages that the generated client does not know.
pub(crate) async fn unary<Q, A>(channel: &Channel, path: &'static str, request: Q) -> Result<A, Status>
where
    Q: Message + 'static,
    A: Message + Default + 'static,
{
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.map_err(|_| Status::unavailable(""))?;
    let codec = ProstCodec::<Q, A>::default();
    let path = tonic::codegen::http::uri::PathAndQuery::from_static(path);
    grpc.unary(Request::new(request), path, codec).await.map(tonic::Response::into_inner)
}

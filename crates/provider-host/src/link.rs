//! The one connection to a running provider, and how a call is made on it: refused here, answered, or lost.
//!
//! Cancel, deadline, size and death are told from this side's own state. A gRPC status decides nothing.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use go_plugin::Exit;
use prost::Message;
use ptah_model::EngineName;
use ptah_provider_api::Violation;
use ptah_provider_api::contract::{LARGE_MESSAGE_LIMIT, MESSAGE_LIMIT};
use ptah_provider_api::describe::Description;
use ptah_provider_api::feature::{ERRORS_REASONS, LARGE_MESSAGES, UNREAD_OBJECTS, gated_calls};
use ptah_provider_api::key::SessionId;
use ptah_provider_wire::pb::provider_client::ProviderClient;
use ptah_provider_wire::{OnWire, reason_from_status};
use tokio::time::timeout;
use tonic::transport::Channel;
use tonic::{Request, Response, Status};

use crate::answer::Answer;
use crate::call::{Call, Deadlines};
use crate::code::CallCode;
use crate::error::{Direction, HostError};
use crate::frames::{Seen, Watched};

/// The client of the contract.
pub(crate) type Client = ProviderClient<Watched>;

/// How the process ended, for as many as want to know.
pub(crate) type Exited = Shared<BoxFuture<'static, Exit>>;

/// How long an exit may trail behind the broken connection that it caused, or a reply behind the exit.
const LAG: Duration = Duration::from_millis(200);

/// What was negotiated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// The largest message, in bytes.
    pub(crate) limit: usize,
    /// Whether reasons and diagnostics are shown.
    pub(crate) reasons: bool,
    /// Whether a reading may name what it could not read.
    pub(crate) unread: bool,
}

impl Terms {
    /// Before the negotiation.
    pub(crate) const FIRST: Self = Self { limit: MESSAGE_LIMIT, reasons: false, unread: false };

    /// After it. The host lists every two-way feature, so what the provider lists decides.
    pub(crate) fn of(description: &Description) -> Self {
        let lists = |feature: &str| description.features.contains(feature);
        Self {
            limit: if lists(LARGE_MESSAGES) { LARGE_MESSAGE_LIMIT } else { MESSAGE_LIMIT },
            reasons: lists(ERRORS_REASONS),
            unread: lists(UNREAD_OBJECTS),
        }
    }
}

/// The connection with all that its calls need.
#[derive(Debug)]
pub(crate) struct Link {
    client: Client,
    exited: Exited,
    pub(crate) terms: Terms,
    pub(crate) deadlines: Deadlines,
    ended: AtomicBool,
    sessions: Mutex<BTreeSet<SessionId>>,
}

/// Why a reply did not arrive whole.
pub(crate) enum Broken {
    /// The transport, the client or the provider says so.
    Status(Status),
    /// What arrived does not keep the contract.
    Rule(Violation),
}

impl From<Status> for Broken {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

impl From<Violation> for Broken {
    fn from(broken: Violation) -> Self {
        Self::Rule(broken)
    }
}

impl Link {
    pub(crate) fn new(channel: Channel, exited: Exited, terms: Terms, deadlines: Deadlines) -> Self {
        let client = ProviderClient::new(Watched::new(channel, terms.limit as u64));
        Self {
            client: client.max_decoding_message_size(terms.limit),
            exited,
            terms,
            deadlines,
            ended: AtomicBool::new(false),
            sessions: Mutex::new(BTreeSet::new()),
        }
    }

    /// Makes a call with one reply, within the call's own limit.
    pub(crate) async fn ask<Q, A, F>(
        &self,
        call: Call,
        request: Q,
        send: impl FnOnce(Client, Request<Q::Message>) -> F,
    ) -> Answer<A>
    where
        Q: OnWire<Message: Message>,
        A: OnWire,
        F: Future<Output = Result<Response<A::Message>, Status>>,
    {
        self.ask_within(call, self.deadlines.of(call), request, send).await
    }

    /// Makes a call with one reply, within a limit of its own.
    pub(crate) async fn ask_within<Q, A, F>(
        &self,
        call: Call,
        limit: Option<Duration>,
        request: Q,
        send: impl FnOnce(Client, Request<Q::Message>) -> F,
    ) -> Answer<A>
    where
        Q: OnWire<Message: Message>,
        A: OnWire,
        F: Future<Output = Result<Response<A::Message>, Status>>,
    {
        let send = |client, request| {
            let reply = send(client, request);
            async move { Ok(A::from_wire(reply.await?.into_inner())?) }
        };
        self.make(call, limit, request.to_wire(), send).await
    }

    /// Makes a call. Before the first poll of what `send` returns nothing has left; after it, everything may have.
    pub(crate) async fn make<M, R, F>(
        &self,
        call: Call,
        limit: Option<Duration>,
        message: M,
        send: impl FnOnce(Client, Request<M>) -> F,
    ) -> Answer<R>
    where
        M: Message,
        F: Future<Output = Result<R, Broken>>,
    {
        if let Err(refused) = self.may_send(call, &message) {
            return Answer::NotSent(refused);
        }
        let seen = Seen::default();
        let mut request = Request::new(message);
        request.extensions_mut().insert(seen.clone());
        let mut reply = pin!(send(self.client.clone(), request));
        let late = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        let cause = tokio::select! {
            biased;
            done = &mut reply => match done {
                Ok(reply) => return Answer::Reply(reply),
                Err(broken) => self.judge(call, broken, &seen).await,
            },
            exit = self.exited.clone() => match timeout(LAG, reply).await {
                // The last thing that it did was to answer.
                Ok(Ok(reply)) => return Answer::Reply(reply),
                Ok(Err(_)) | Err(_) => HostError::Exited { call, exit },
            },
            () = late => HostError::CallTimeout { call, limit: limit.unwrap_or_default() },
        };
        Answer::Lost(cause)
    }

    /// Refuses what cannot be sent.
    fn may_send(&self, call: Call, message: &impl Message) -> Result<(), HostError> {
        if self.ended.load(Ordering::Acquire) {
            return Err(HostError::Ended { call });
        }
        if let Some(exit) = self.exited.clone().now_or_never() {
            return Err(HostError::Exited { call, exit });
        }
        let (size, limit) = (message.encoded_len(), self.terms.limit);
        if size > limit {
            let (size, limit) = (size as u64, limit as u64);
            return Err(HostError::MessageTooLarge { call, direction: Direction::Request, size, limit });
        }
        Ok(())
    }

    /// What a reply that did not arrive whole means.
    async fn judge(&self, call: Call, broken: Broken, seen: &Seen) -> HostError {
        let status = match broken {
            Broken::Rule(broken) => return HostError::broken_reply(call, broken),
            Broken::Status(status) => status,
        };
        if let Some(size) = seen.oversize() {
            let limit = self.terms.limit as u64;
            return HostError::MessageTooLarge { call, direction: Direction::Reply, size, limit };
        }
        if seen.failed() {
            let reason = if self.terms.reasons { reason_from_status(&status) } else { None };
            return HostError::CallFailed { call, code: CallCode::new(status.code()), reason };
        }
        if std::error::Error::source(&status).is_some() {
            // The transport's own words: the connection or this call's stream on it is gone.
            return match timeout(LAG, self.exited.clone()).await {
                Ok(exit) => HostError::Exited { call, exit },
                Err(_) => HostError::AnswerLost { call },
            };
        }
        let source = Violation::new(call.name(), "reply", "is a whole message that can be decoded");
        HostError::ReplyInvalid { call, source }
    }

    /// Remembers a session, so that it is closed at the end.
    pub(crate) fn opened(&self, session: SessionId) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(session);
    }

    /// Forgets a session that is being closed. `false`: it was closed already.
    pub(crate) fn closing(&self, session: &SessionId) -> bool {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(session)
    }

    /// The sessions that are open.
    pub(crate) fn open_sessions(&self) -> Vec<SessionId> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Refuses every later call.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }
}

/// What an engine offers: services that its provider offers too, and promises; for a session, of what the session offers.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    engine: EngineName,
    features: BTreeSet<String>,
}

impl Offer {
    /// The offer of an engine.
    pub(crate) fn of_engine(description: &Description, engine: &ptah_provider_api::describe::Engine) -> Self {
        let is_service = |feature: &String| gated_calls().iter().any(|(service, _)| service == feature);
        // A service is offered by both; what else an engine lists is a promise of its own.
        let kept = |feature: &&String| description.features.contains(*feature) || !is_service(feature);
        let features = engine.features.iter().filter(kept).cloned().collect();
        Self { engine: engine.name.clone(), features }
    }

    /// The offer of a session: services of sessions are those that the session lists.
    pub(crate) fn of_session(mut self, features: &BTreeSet<String>) -> Self {
        self.features.retain(|feature| !feature.starts_with("sessions.") || features.contains(feature));
        self
    }

    /// Refuses a call that is not offered.
    pub(crate) fn allow(&self, call: Call) -> Result<(), HostError> {
        match call.feature() {
            Some(feature) if !self.features.contains(feature) => {
                Err(HostError::NotOffered { call, engine: self.engine.clone(), feature })
            }
            _ => Ok(()),
        }
    }

    /// Whether a feature is offered.
    pub(crate) fn offers(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }
}

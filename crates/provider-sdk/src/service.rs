//! The service of the contract over an engine: each call checked, handed on, and its reply proven, stripped and sized.

mod calls;
mod locking;
mod offline;
mod sessions;
mod streams;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use prost::Message;
use ptah_provider_api::contract::LARGE_MESSAGE_LIMIT;
use ptah_provider_api::key::SessionId;
use ptah_provider_api::plan::SnapshotRef;
use ptah_provider_wire::OnWire;
use ptah_provider_wire::pb::provider_server::{Provider as Calls, ProviderServer};
use tonic::{Request, Response, Status};

use crate::describe::{DescriptionError, check};
use crate::engine::Engine;
use crate::failure::{Failure, FailureCode, error_with_reason};
use crate::limit::Limited;
use crate::negotiation::{Agreed, Negotiation, offered, with_host_features};
use crate::session::{Handle, lock};
use crate::status::{exhausted, invalid, not_found, panicked, status, too_large};

/// The most sessions at once. A command has a handful; each takes a thread and a connection.
const SESSIONS_LIMIT: usize = 256;

/// The service as it goes into a `tonic` router.
pub type ProviderService<E> = Limited<ProviderServer<Provider<E>>>;

/// The service of an engine. Limits on messages are its own. Refuses an engine whose description no host could use.
pub fn service<E: Engine>(engine: E) -> Result<ProviderService<E>, DescriptionError> {
    service_through(engine, |provider| provider)
}

/// The service of an engine with something between the transport and the calls, such as the fault that a test wants to
/// see found. What stands in between sees requests before they are checked, and replies after.
pub fn service_through<E: Engine, C: Calls>(
    engine: E,
    between: impl FnOnce(Provider<E>) -> C,
) -> Result<Limited<ProviderServer<C>>, DescriptionError> {
    check(&engine.description())?;
    let negotiation = Arc::new(Negotiation::new());
    let provider = Provider {
        engine: Arc::new(engine),
        negotiation: Arc::clone(&negotiation),
        sessions: Arc::new(Mutex::default()),
    };
    let server = ProviderServer::new(between(provider))
        .max_decoding_message_size(LARGE_MESSAGE_LIMIT)
        .max_encoding_message_size(LARGE_MESSAGE_LIMIT);
    Ok(Limited::new(server, negotiation))
}

/// A session that is open.
type Open<E> = Arc<Handle<<E as Engine>::Session>>;

type Sessions<E> = Arc<Mutex<HashMap<SessionId, Open<E>>>>;

/// The calls of the contract. One for a process, which has one host.
pub struct Provider<E: Engine> {
    engine: Arc<E>,
    negotiation: Arc<Negotiation>,
    sessions: Sessions<E>,
}

impl<E: Engine> fmt::Debug for Provider<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("sessions", &lock(&self.sessions).len()).finish_non_exhaustive()
    }
}

impl<E: Engine> Provider<E> {
    /// The status of a failed call.
    fn refuse(&self, failure: Failure) -> Status {
        status(failure, self.negotiation.reasons())
    }

    /// The value of a request. Before Describe no request is judged for its form: all are refused alike.
    fn read<T: OnWire>(&self, request: Request<T::Message>) -> Result<T, Failure> {
        self.agreed()?;
        T::from_wire(request.into_inner()).map_err(invalid)
    }

    /// The message of a reply, if it keeps the limit.
    fn reply<T: OnWire>(&self, made: Result<T, Failure>) -> Result<Response<T::Message>, Status>
    where
        T::Message: Message,
    {
        let sized = made.map(OnWire::to_wire).and_then(|message| {
            let (size, limit) = (message.encoded_len(), self.negotiation.message_limit());
            if size > limit { Err(too_large("a reply", size, limit)) } else { Ok(Response::new(message)) }
        });
        sized.map_err(|failure| self.refuse(failure))
    }

    fn agreed(&self) -> Result<&Agreed, Failure> {
        self.negotiation.agreed()
    }

    /// The session of a call, if the call is offered on it.
    fn session(&self, call: &'static str, id: &SessionId) -> Result<Open<E>, Failure> {
        let agreed = self.agreed()?;
        agreed.gate(call)?;
        let handle = self.find(id)?;
        agreed.gate_engine(call, &handle.engine)?;
        offered(call, &handle.features)?;
        Ok(handle)
    }

    /// A session that is open.
    fn find(&self, id: &SessionId) -> Result<Open<E>, Failure> {
        let handle = lock(&self.sessions).get(id).cloned();
        handle.ok_or_else(|| not_found("there is no such session"))
    }

    /// A reading that some session of the process keeps.
    fn snapshot(&self, wanted: &SnapshotRef) -> Result<Arc<E::Snapshot>, Failure> {
        let handle = lock(&self.sessions).get(&wanted.session).cloned();
        let found = handle.and_then(|handle| handle.shared.snapshot(&wanted.snapshot));
        found.ok_or_else(|| not_found("there is no such reading; it ends with its session"))
    }

    /// Adds a session, within the limit.
    fn add(&self, handle: Handle<E::Session>) -> Result<(), (Handle<E::Session>, Failure)> {
        let mut sessions = lock(&self.sessions);
        if sessions.len() >= SESSIONS_LIMIT {
            return Err((handle, exhausted("the provider opens no more sessions")));
        }
        sessions.insert(handle.shared.id.clone(), Arc::new(handle));
        Ok(())
    }

    /// Runs engine code that needs no session on a thread that may block. Dropping the future drops the reply alone.
    async fn offline<T: Send + 'static>(
        &self,
        work: impl FnOnce(&E) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let engine = Arc::clone(&self.engine);
        let host = Arc::clone(&self.agreed()?.host_features);
        let job = move || with_host_features(host, || work(&engine));
        tokio::task::spawn_blocking(job).await.unwrap_or_else(|_| Err(panicked()))
    }
}

/// Refuses a wait above what one call may ask for.
fn check_wait(milliseconds: u64) -> Result<(), Failure> {
    let limit = ptah_provider_api::contract::LOCK_WAIT_LIMIT.as_millis();
    if u128::from(milliseconds) <= limit {
        return Ok(());
    }
    let reason = format!("a call waits at most {limit} ms, and {milliseconds} ms were asked for");
    Err(error_with_reason(FailureCode::InvalidArgument, reason))
}

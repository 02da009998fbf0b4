//! A session: one connection, and the calls on it. Request IDs are made here, each once.
//!
//! Reading and ending are in this file; what changes something is beside it, with answers that tell *not sent* from
//! *lost*. A session that is dropped without [`Session::close`] is closed when the provider ends.

mod change;
mod claim;
mod lock;

use std::sync::Arc;
use std::time::Duration;

use ptah_model::{Kind, Name, ObjectId, Scope};
use ptah_provider_api::Violation;
use ptah_provider_api::execute::TransactionId;
use ptah_provider_api::feature::COMMON_TABLE_IDENTITY;
use ptah_provider_api::key::Key;
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reading::{InspectRequest, Reading};
use ptah_provider_api::session as api;
use ptah_provider_wire::OnWire as _;
use ptah_provider_wire::stream::ReadingCollector;

use crate::call::Call;
use crate::error::HostError;
use crate::link::{Broken, Client, Link, Offer};
use crate::provider::{close, lock_timeout_ms, new_request_id};
use crate::shown;

pub use change::Begin;
pub use claim::Claim;
pub use lock::Lock;

/// An open session.
#[derive(Debug)]
pub struct Session {
    link: Arc<Link>,
    facts: api::Session,
    offer: Offer,
}

/// The most rows that one query may ask for.
const ROWS_LIMIT: u32 = 1_000;

impl Session {
    pub(crate) fn new(link: Arc<Link>, facts: api::Session, offer: Offer) -> Self {
        Self { link, facts, offer }
    }

    /// What the session states.
    pub fn facts(&self) -> &api::Session {
        &self.facts
    }

    /// Whether the session offers a feature; provider, engine and session have to agree.
    pub fn offers(&self, feature: &str) -> bool {
        self.offer.offers(feature)
    }

    /// Refuses unless each of these calls is offered, and names the first that is not. Sends nothing: for work that should
    /// not begin when it could not be finished.
    pub fn require(&self, calls: &[Call]) -> Result<(), HostError> {
        calls.iter().try_for_each(|call| self.offer.allow(*call))
    }

    /// Reads the catalogue. Runs until the caller stops waiting. `lock_timeout` is how long to wait for a busy engine,
    /// at most 20 s; with `fingerprint_only` the objects stay in the provider.
    pub async fn inspect(&self, lock_timeout: Duration, fingerprint_only: bool) -> Result<Reading, HostError> {
        let call = Call::Inspect;
        self.offer.allow(call)?;
        let lock_timeout_ms = lock_timeout_ms(call, lock_timeout)?;
        let request = InspectRequest { session: self.facts.session.clone(), lock_timeout_ms, fingerprint_only };
        let send = |mut client: Client, request| async move {
            let mut parts = client.inspect(request).await?.into_inner();
            let mut collector = ReadingCollector::default();
            while let Some(part) = parts.message().await? {
                collector.push(part)?;
            }
            Ok::<_, Broken>(collector.finish()?)
        };
        let limit = self.link.deadlines.of(call);
        let answer = self.link.make(call, limit, request.clone().to_wire(), send).await;
        let mut reading: Reading = answer.into_result()?;
        let negotiated = self.link.terms.unread || reading.schema.not_described().len() == 0;
        let rule = "comes only when it was negotiated";
        reading
            .validate_for(&request)
            .and_then(|()| Violation::unless(negotiated, "Reading", "not_described", rule))
            .and_then(|()| self.check_tables(&reading))
            .map_err(|broken| HostError::broken_reply(call, broken))?;
        reading.schema = shown::clean_unread(reading.schema);
        Ok(reading)
    }

    /// An engine that promises it compares names of tables as the session's rule says, and in no other way; without the
    /// promise only the provider knows what equality of its names rests on.
    fn check_tables(&self, reading: &Reading) -> Result<(), Violation> {
        let rule = self.facts.identifier_rules.table;
        let is_kept = |name: &Name| !name.is_named() || Name::new(name.source.clone(), rule) == *name;
        let is_table = |id: &&ObjectId| id.kind == Kind::table();
        let mut tables = reading.schema.objects().map(|object| &object.id).filter(is_table);
        let kept = !self.offers(COMMON_TABLE_IDENTITY)
            || tables.all(|id| is_kept(&id.name) && id.schema.as_ref().is_none_or(is_kept));
        Violation::unless(kept, "Reading", "objects.id.name", "is compared by the session's rule for tables")
    }

    /// Asks the rows, in a transaction or outside; at most `limit` of them, 1 to 1,000. Runs until the caller stops
    /// waiting. The reply holds values of users: it is never logged.
    pub async fn query_rows(
        &self,
        query: impl Into<String>,
        transaction: Option<&TransactionId>,
        limit: u32,
    ) -> Result<QueryRowsReply, HostError> {
        let call = Call::QueryRows;
        self.offer.allow(call)?;
        let asks = (1..=ROWS_LIMIT).contains(&limit);
        Violation::unless(asks, "QueryRowsRequest", "limit", "is 1 to 1,000")
            .map_err(|source| HostError::RequestInvalid { call, source })?;
        let (session, transaction) = (self.facts.session.clone(), transaction.cloned());
        let request = QueryRowsRequest { session, query: query.into(), transaction, limit };
        let send = |mut client: Client, request| async move { client.query_rows(request).await };
        let reply: QueryRowsReply = self.link.ask(call, request.clone(), send).await.into_result()?;
        reply.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
        Ok(reply)
    }

    /// Ends the session: interrupts what runs, rolls back what is open, gives its locks back.
    pub async fn close(self) -> Result<(), HostError> {
        close(&self.link, &self.facts.session).await
    }

    /// The key of a new request about `scope`.
    fn new_key(&self, scope: &Scope) -> Key {
        Key { session: self.facts.session.clone(), scope: scope.clone(), request: new_request_id() }
    }

    /// A diagnostic as it is shown: not at all unless reasons were negotiated. For after the validation.
    fn negotiated(&self, diagnostic: &mut Option<String>) {
        if !self.link.terms.reasons {
            *diagnostic = None;
        }
    }
}

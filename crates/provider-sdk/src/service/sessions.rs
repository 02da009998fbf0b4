//! Describe, Open, Close, and what happens on a session apart from its locks.

use std::sync::Arc;
use std::time::Duration;

use ptah_model::SnapshotId;
use ptah_provider_api::Violation;
use ptah_provider_api::claim::{AdoptReply, AdoptRequest, ClaimReceipt, ClaimRequest, ClaimsReading};
use ptah_provider_api::claim::{ForgetReply, ForgetRequest, ReadClaimsRequest};
use ptah_provider_api::contract::REVISION;
use ptah_provider_api::describe::{DescribeRequest, Description};
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest};
use ptah_provider_api::key::SessionId;
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reading::InspectRequest;
use ptah_provider_api::reason::{MALFORMED_REASON, validate_diagnostic};
use ptah_provider_api::session::{CloseReply, CloseRequest, OpenRequest, Purpose, Session};
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt};
use ptah_provider_wire::{OnWire as _, pb};
use tonic::Request;
use uuid::Uuid;

use super::streams::Parts;
use super::{Open, Provider, check_wait};
use crate::engine::{Engine, SessionFacts, Snapshot};
use crate::failure::Failure;
use crate::session::Handle;
use crate::status::{broken, invalid, panicked, precondition};

impl<E: Engine> Provider<E> {
    /// Negotiates.
    pub(super) fn settle(&self, request: Request<pb::DescribeRequest>) -> Result<Description, Failure> {
        let asked = DescribeRequest::from_wire(request.into_inner()).map_err(invalid)?;
        let whole = crate::session::caught(|| Ok(self.engine.description()))?;
        self.negotiation.hear(&asked, &whole);
        if asked.contract.major != REVISION {
            return Err(precondition(format!(
                "the host speaks contract {}, and the provider {REVISION}: different majors never talk",
                asked.contract
            )));
        }
        Ok(self.negotiation.settle(asked, whole)?.description.clone())
    }

    /// Opens a session. One that nobody waits for any more is closed again.
    pub(super) async fn open_session(&self, request: Request<pb::OpenRequest>) -> Result<Session, Failure> {
        let asked: OpenRequest = self.read(request)?;
        let agreed = self.agreed()?;
        agreed.gate_engine("Open", asked.engine.as_str())?;
        check_wait(asked.lock_timeout_ms)?;
        let allowed = !asked.create || asked.purpose == Purpose::Apply;
        Violation::unless(allowed, "OpenRequest", "create", "is only for an apply").map_err(invalid)?;
        let id = SessionId::new(random_id()).map_err(broken)?;
        let host = Arc::clone(&agreed.host_features);
        let (mut handle, facts) = Handle::open(Arc::clone(&self.engine), asked.clone(), id.clone(), host).await?;
        let session = session(&asked, id, facts, agreed.description.engine(asked.engine.as_str()));
        if let Err(violation) = session.validate_for(&asked) {
            handle.close().await;
            return Err(broken(violation));
        }
        handle.features.clone_from(&session.features);
        match self.add(handle) {
            Ok(()) => Ok(session),
            Err((handle, failure)) => {
                handle.close().await;
                Err(failure)
            }
        }
    }

    /// Ends a session. One that is not there is ended already. The end is waited for in a task of its own, so that it
    /// comes about also when nobody waits for the reply.
    pub(super) async fn close_session(&self, request: Request<pb::CloseRequest>) -> Result<CloseReply, Failure> {
        let asked: CloseRequest = self.read(request)?;
        let handle = crate::session::lock(&self.sessions).remove(&asked.session);
        if let Some(handle) = handle {
            let closed = tokio::spawn(async move { handle.close().await });
            closed.await.map_err(|_| panicked())?;
        }
        Ok(CloseReply { request: asked.request })
    }

    /// Reads the catalogue, keeps the reading, and streams it.
    pub(super) async fn inspect_session(
        &self,
        request: Request<pb::InspectRequest>,
    ) -> Result<Parts<pb::InspectPart>, Failure> {
        let asked: InspectRequest = self.read(request)?;
        let handle = self.session("Inspect", &asked.session)?;
        check_wait(asked.lock_timeout_ms)?;
        let wait = Duration::from_millis(asked.lock_timeout_ms);
        let snapshot = handle.call(move |actor| actor.inspect(wait)).await?;
        // Leaving out what could not be read would say that it is not there, and so it would be made or replaced.
        if !self.agreed()?.unread() && snapshot.schema().not_described().len() > 0 {
            return Err(precondition("something could not be read, and the host did not say that it understands that"));
        }
        let id = SnapshotId::new(random_id()).map_err(|_| panicked())?;
        handle.shared.keep(id.clone(), Arc::clone(&snapshot))?;
        Ok(Parts::reading(snapshot, id, asked.fingerprint_only, Arc::clone(&self.negotiation)))
    }

    /// Executes units.
    pub(super) async fn execute_units(&self, request: Request<pb::ExecuteRequest>) -> Result<ExecuteReply, Failure> {
        let asked: ExecuteRequest = self.read(request)?;
        let handle = self.session("Execute", &asked.key.session)?;
        asked.validate().map_err(invalid)?;
        handle.shared.spend(&asked.key.request)?;
        let mut reply = handle.call(move |actor| actor.execute(&asked)).await?;
        self.strip(&mut reply.diagnostic);
        Ok(reply)
    }

    /// Begins a transaction.
    pub(super) async fn begin(&self, request: Request<pb::BeginRequest>) -> Result<TransactionReceipt, Failure> {
        let asked: BeginRequest = self.read(request)?;
        let handle = self.session("BeginTransaction", &asked.key.session)?;
        check_wait(asked.lock_timeout_ms)?;
        handle.shared.spend(&asked.key.request)?;
        let mut receipt = handle.call(move |actor| actor.begin(&asked)).await?;
        self.strip(&mut receipt.diagnostic);
        Ok(receipt)
    }

    /// Commits a transaction.
    pub(super) async fn commit(&self, request: Request<pb::EndRequest>) -> Result<TransactionReceipt, Failure> {
        let (asked, handle) = self.end("CommitTransaction", request)?;
        let mut receipt = handle.call(move |actor| actor.commit(&asked)).await?;
        self.strip(&mut receipt.diagnostic);
        Ok(receipt)
    }

    /// Rolls a transaction back.
    pub(super) async fn rollback(&self, request: Request<pb::EndRequest>) -> Result<TransactionReceipt, Failure> {
        let (asked, handle) = self.end("RollbackTransaction", request)?;
        let mut receipt = handle.call(move |actor| actor.rollback(&asked)).await?;
        self.strip(&mut receipt.diagnostic);
        Ok(receipt)
    }

    fn end(&self, call: &'static str, request: Request<pb::EndRequest>) -> Result<(EndRequest, Open<E>), Failure> {
        let asked: EndRequest = self.read(request)?;
        let handle = self.session(call, &asked.key.session)?;
        check_wait(asked.lock_timeout_ms)?;
        handle.shared.spend(&asked.key.request)?;
        Ok((asked, handle))
    }

    /// Records one phase of an operation.
    pub(super) async fn record_claim(&self, request: Request<pb::ClaimRequest>) -> Result<ClaimReceipt, Failure> {
        let asked: ClaimRequest = self.read(request)?;
        let handle = self.session("Claim", &asked.key.session)?;
        asked.validate().map_err(invalid)?;
        handle.shared.spend(&asked.key.request)?;
        let mut receipt = handle.call(move |actor| actor.claim(&asked)).await?;
        self.strip(&mut receipt.diagnostic);
        Ok(receipt)
    }

    /// Reads what the database remembers.
    pub(super) async fn remembered(&self, request: Request<pb::ReadClaimsRequest>) -> Result<ClaimsReading, Failure> {
        let asked: ReadClaimsRequest = self.read(request)?;
        let handle = self.session("ReadClaims", &asked.session)?;
        handle.call(move |actor| actor.read_claims(&asked)).await
    }

    /// Records what a moved or copied database is.
    pub(super) async fn adopt(&self, request: Request<pb::AdoptRequest>) -> Result<AdoptReply, Failure> {
        let asked: AdoptRequest = self.read(request)?;
        let handle = self.session("AdoptDatabase", &asked.key.session)?;
        handle.shared.spend(&asked.key.request)?;
        handle.call(move |actor| actor.adopt(&asked)).await
    }

    /// Takes away everything of ours.
    pub(super) async fn forget(&self, request: Request<pb::ForgetRequest>) -> Result<ForgetReply, Failure> {
        let asked: ForgetRequest = self.read(request)?;
        let handle = self.session("ForgetRecords", &asked.key.session)?;
        handle.shared.spend(&asked.key.request)?;
        handle.call(move |actor| actor.forget(&asked)).await
    }

    /// Asks the rows.
    pub(super) async fn ask_rows(&self, request: Request<pb::QueryRowsRequest>) -> Result<QueryRowsReply, Failure> {
        let asked: QueryRowsRequest = self.read(request)?;
        let handle = self.session("QueryRows", &asked.session)?;
        let allowed = (1..=1_000).contains(&asked.limit);
        Violation::unless(allowed, "QueryRowsRequest", "limit", "is 1 to 1,000").map_err(invalid)?;
        handle.call(move |actor| actor.query_rows(&asked)).await
    }

    /// Takes a diagnostic out that the host did not say it understands.
    pub(super) fn strip(&self, diagnostic: &mut Option<String>) {
        if !self.negotiation.reasons() {
            *diagnostic = None;
        }
    }
}

/// What a session states, narrowed to what its engine offers to this host.
fn session(
    asked: &OpenRequest,
    id: SessionId,
    facts: SessionFacts,
    engine: Option<&ptah_provider_api::describe::Engine>,
) -> Session {
    let SessionFacts {
        database,
        default_schema,
        server_version,
        identifier_rules,
        mut features,
        capabilities,
        settings_digest,
        identity,
        exists,
        mut notes,
    } = facts;
    features.retain(|f| engine.is_some_and(|e| e.features.contains(f)));
    notes.iter_mut().for_each(clean);
    Session {
        request: asked.request.clone(),
        session: id,
        engine: asked.engine.clone(),
        database,
        default_schema,
        server_version,
        identifier_rules,
        features,
        capabilities,
        settings_digest,
        identity,
        exists,
        notes,
    }
}

/// Puts the fixed sentence in the place of a text that breaks the rules of a reason.
pub(super) fn clean(text: &mut String) {
    if validate_diagnostic(text).is_err() {
        MALFORMED_REASON.clone_into(text);
    }
}

/// 244 random bits as 64 hexadecimal digits.
fn random_id() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

//! Claims and what else Ptah keeps in a database.

use ptah_model::{Digest, OperationId, Scope};
use ptah_provider_api::claim::{AdoptReply, AdoptRequest, Adoption, ClaimPhase, ClaimReceipt, ClaimRequest};
use ptah_provider_api::claim::{ClaimsReading, ForgetReply, ForgetRequest, ReadClaimsRequest};
use ptah_provider_api::execute::TransactionId;
use ptah_provider_api::session::DatabaseIdentity;

use super::Session;
use crate::answer::Answer;
use crate::call::Call;
use crate::error::HostError;
use crate::link::Client;
use crate::shown;

/// What the caller decides about one phase of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The operation.
    pub operation: OperationId,
    /// The digest of the plan that it carries out.
    pub plan: Digest,
    /// What is recorded.
    pub phase: ClaimPhase,
    /// The transaction that the row is part of; absent commits it alone. Never with an intent.
    pub transaction: Option<TransactionId>,
    /// When, in microseconds since 1970-01-01T00:00:00Z, by the host's clock. For people.
    pub at_us: i64,
}

impl Session {
    /// Records one phase of an operation. After a lost answer the row may be there: read the claims.
    pub async fn claim(&self, scope: &Scope, claim: Claim) -> Answer<ClaimReceipt> {
        let call = Call::Claim;
        let Claim { operation, plan, phase, transaction, at_us } = claim;
        let prepared = self.offer.allow(call).and_then(|()| {
            let key = self.new_key(scope);
            let request = ClaimRequest { key, operation, plan, phase, transaction, at_us };
            request.validate().map_err(|source| HostError::RequestInvalid { call, source })?;
            Ok(request)
        });
        let request = match prepared {
            Ok(request) => request,
            Err(refused) => return Answer::NotSent(refused),
        };
        let send = |mut client: Client, request| async move { client.claim(request).await };
        let answer: Answer<ClaimReceipt> = self.link.ask(call, request.clone(), send).await;
        answer.and_believe(|mut receipt| {
            shown::clean_diagnostic(&mut receipt.diagnostic);
            receipt.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
            self.negotiated(&mut receipt.diagnostic);
            Ok(receipt)
        })
    }

    /// Reads what the database remembers: every unfinished operation, and at most `limit` finished ones.
    pub async fn read_claims(&self, limit: u32) -> Result<ClaimsReading, HostError> {
        let call = Call::ReadClaims;
        self.offer.allow(call)?;
        let request = ReadClaimsRequest { session: self.facts.session.clone(), limit };
        let send = |mut client: Client, request| async move { client.read_claims(request).await };
        let reading: ClaimsReading = self.link.ask(call, request.clone(), send).await.into_result()?;
        reading.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
        Ok(reading)
    }

    /// Records what a moved or copied database is. Answers the identity that it then has.
    pub async fn adopt(&self, scope: &Scope, adoption: Adoption, at_us: i64) -> Answer<DatabaseIdentity> {
        let call = Call::Adopt;
        if let Err(refused) = self.offer.allow(call) {
            return Answer::NotSent(refused);
        }
        let request = AdoptRequest { key: self.new_key(scope), adoption, at_us };
        let send = |mut client: Client, request| async move { client.adopt_database(request).await };
        let answer: Answer<AdoptReply> = self.link.ask(call, request.clone(), send).await;
        answer.and_believe(|reply| {
            reply.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
            Ok(reply.identity)
        })
    }

    /// Takes away everything of ours.
    pub async fn forget(&self, scope: &Scope) -> Answer<()> {
        let call = Call::Forget;
        if let Err(refused) = self.offer.allow(call) {
            return Answer::NotSent(refused);
        }
        let request = ForgetRequest { key: self.new_key(scope) };
        let send = |mut client: Client, request| async move { client.forget_records(request).await };
        let answer: Answer<ForgetReply> = self.link.ask(call, request.clone(), send).await;
        answer.and_believe(|reply| reply.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken)))
    }
}

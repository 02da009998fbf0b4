//! Execute, and transactions.

use std::time::Duration;

use ptah_model::{Fingerprint, Scope};
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::step::{Setting, Unit};
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt};

use super::Session;
use crate::answer::{Answer, Executed};
use crate::call::Call;
use crate::error::HostError;
use crate::link::Client;
use crate::provider::lock_timeout_ms;
use crate::shown;

/// What the caller decides about a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begin {
    /// The union of what the steps in it need.
    pub settings: Vec<Setting>,
    /// What the schema has to be, asserted inside the transaction; absent asserts nothing.
    pub expect_state: Option<Fingerprint>,
    /// The sequence that the latest claim has to have, asserted inside the transaction; absent asserts nothing.
    pub expect_claim: Option<u64>,
    /// How long to wait for other writers, at most 20 s.
    pub lock_timeout: Duration,
}

impl Session {
    /// Executes units in their order, in a transaction or each on its own, once.
    ///
    /// **Guarantees.** Always answers an outcome: `NOT_STARTED` when it is certain that nothing was sent, UNKNOWN when
    /// no believable reply came; the cause stands beside it. Nothing is sent a second time.
    ///
    /// **Caveats.** Without a `statement_timeout` (per unit) it runs until the caller stops waiting. A caller that drops
    /// this future after the first poll has to record UNKNOWN itself.
    pub async fn execute(
        &self,
        scope: &Scope,
        units: Vec<Unit>,
        transaction: Option<&TransactionId>,
        statement_timeout: Option<Duration>,
    ) -> Executed {
        let key = self.new_key(scope);
        let statement_timeout_ms = statement_timeout.map(|t| u64::try_from(t.as_millis()).unwrap_or(u64::MAX));
        let transaction = transaction.cloned();
        let request = ExecuteRequest { key: key.clone(), units, transaction, statement_timeout_ms };
        match self.send_execute(request, statement_timeout).await {
            Answer::Reply(reply) => Executed { reply, cause: None },
            Answer::NotSent(cause) => {
                let reply = ExecuteReply { outcome: Outcome::NotStarted, ..ExecuteReply::unknown(key) };
                Executed { reply, cause: Some(cause) }
            }
            Answer::Lost(cause) => Executed { reply: ExecuteReply::unknown(key), cause: Some(cause) },
        }
    }

    async fn send_execute(&self, request: ExecuteRequest, each: Option<Duration>) -> Answer<ExecuteReply> {
        let call = Call::Execute;
        let allowed = self
            .offer
            .allow(call)
            .and_then(|()| request.validate().map_err(|source| HostError::RequestInvalid { call, source }));
        if let Err(refused) = allowed {
            return Answer::NotSent(refused);
        }
        let limit = self.link.deadlines.of_execute(request.units.len(), each);
        let send = |mut client: Client, request| async move { client.execute(request).await };
        let answer: Answer<ExecuteReply> = self.link.ask_within(call, limit, request.clone(), send).await;
        answer.and_believe(|mut reply| {
            shown::clean_diagnostic(&mut reply.diagnostic);
            shown::clean_engine_code(&mut reply.engine_code);
            reply.validate_for(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
            self.negotiated(&mut reply.diagnostic);
            Ok(reply)
        })
    }

    /// Begins a transaction that outlives this call.
    pub async fn begin(&self, scope: &Scope, begin: Begin) -> Answer<TransactionReceipt> {
        let call = Call::Begin;
        let Begin { settings, expect_state, expect_claim, lock_timeout } = begin;
        let prepared = self.offer.allow(call).and_then(|()| {
            let lock_timeout_ms = lock_timeout_ms(call, lock_timeout)?;
            let key = self.new_key(scope);
            Ok(BeginRequest { key, settings, expect_state, expect_claim, lock_timeout_ms })
        });
        let request = match prepared {
            Ok(request) => request,
            Err(refused) => return Answer::NotSent(refused),
        };
        let send = |mut client: Client, request| async move { client.begin_transaction(request).await };
        let answer: Answer<TransactionReceipt> = self.link.ask(call, request.clone(), send).await;
        answer.and_believe(|mut receipt| {
            shown::clean_diagnostic(&mut receipt.diagnostic);
            receipt.validate_for_begin(&request).map_err(|broken| HostError::broken_reply(call, broken))?;
            self.negotiated(&mut receipt.diagnostic);
            Ok(receipt)
        })
    }

    /// Commits a transaction. `lock_timeout` is how long a busy commit may be tried again by the engine, at most 20 s.
    /// A lost answer may have committed.
    pub async fn commit(
        &self,
        scope: &Scope,
        transaction: &TransactionId,
        lock_timeout: Duration,
    ) -> Answer<TransactionReceipt> {
        let call = Call::Commit;
        let request = match self.end_request(call, scope, transaction, lock_timeout) {
            Ok(request) => request,
            Err(refused) => return Answer::NotSent(refused),
        };
        let send = |mut client: Client, request| async move { client.commit_transaction(request).await };
        let answer = self.link.ask(call, request.clone(), send).await;
        answer.and_believe(|receipt| self.believe_end(call, receipt, &request))
    }

    /// Rolls a transaction back. A lost answer may have left it open, until the session is gone.
    pub async fn rollback(&self, scope: &Scope, transaction: &TransactionId) -> Answer<TransactionReceipt> {
        let call = Call::Rollback;
        let request = match self.end_request(call, scope, transaction, Duration::ZERO) {
            Ok(request) => request,
            Err(refused) => return Answer::NotSent(refused),
        };
        let send = |mut client: Client, request| async move { client.rollback_transaction(request).await };
        let answer = self.link.ask(call, request.clone(), send).await;
        answer.and_believe(|receipt| self.believe_end(call, receipt, &request))
    }

    fn end_request(
        &self,
        call: Call,
        scope: &Scope,
        transaction: &TransactionId,
        lock_timeout: Duration,
    ) -> Result<EndRequest, HostError> {
        self.offer.allow(call)?;
        let lock_timeout_ms = lock_timeout_ms(call, lock_timeout)?;
        Ok(EndRequest { key: self.new_key(scope), transaction: transaction.clone(), lock_timeout_ms })
    }

    fn believe_end(
        &self,
        call: Call,
        mut receipt: TransactionReceipt,
        asked: &EndRequest,
    ) -> Result<TransactionReceipt, HostError> {
        shown::clean_diagnostic(&mut receipt.diagnostic);
        receipt.validate_for_end(asked).map_err(|broken| HostError::broken_reply(call, broken))?;
        self.negotiated(&mut receipt.diagnostic);
        Ok(receipt)
    }
}

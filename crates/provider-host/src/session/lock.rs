//! Locks: one attempt for each ID; a receipt is proof of its moment and of nothing later.

use ptah_model::Scope;
use ptah_provider_api::key::{Key, RequestId};
use ptah_provider_api::lock::{LockCall, LockReceipt, LockRequest};

use super::Session;
use crate::answer::Answer;
use crate::call::Call;
use crate::error::HostError;
use crate::link::Client;
use crate::shown;

/// One attempt to hold a lock: its scope, and an ID that is used for nothing else. A new attempt is a new `Lock`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    key: Key,
}

impl Lock {
    /// The lock ID.
    pub fn id(&self) -> &RequestId {
        &self.key.request
    }

    /// What is locked.
    pub fn scope(&self) -> &Scope {
        &self.key.scope
    }
}

impl Session {
    /// An attempt with a new ID. Sends nothing.
    pub fn lock(&self, scope: &Scope) -> Lock {
        Lock { key: self.new_key(scope) }
    }

    /// Makes the attempt, and never waits. After a lost answer the lock may be held: release it, which makes sure that
    /// it is not.
    pub async fn try_lock(&self, lock: &Lock) -> Answer<LockReceipt> {
        let send = |mut client: Client, request| async move { client.try_lock(request).await };
        self.lock_call(Call::TryLock, LockCall::Try, lock, send).await
    }

    /// Proves that the lock is held now.
    pub async fn check_lock(&self, lock: &Lock) -> Answer<LockReceipt> {
        let send = |mut client: Client, request| async move { client.check_lock(request).await };
        self.lock_call(Call::CheckLock, LockCall::Check, lock, send).await
    }

    /// Gives the lock back, or makes sure that it is never taken under this ID.
    pub async fn release_lock(&self, lock: &Lock) -> Answer<LockReceipt> {
        let send = |mut client: Client, request| async move { client.release_lock(request).await };
        self.lock_call(Call::ReleaseLock, LockCall::Release, lock, send).await
    }

    async fn lock_call<F>(
        &self,
        call: Call,
        kind: LockCall,
        lock: &Lock,
        send: impl FnOnce(Client, tonic::Request<ptah_provider_wire::pb::LockRequest>) -> F,
    ) -> Answer<LockReceipt>
    where
        F: Future<Output = Result<tonic::Response<ptah_provider_wire::pb::LockReceipt>, tonic::Status>>,
    {
        if let Err(refused) = self.offer.allow(call) {
            return Answer::NotSent(refused);
        }
        let request = LockRequest { key: lock.key.clone() };
        let answer: Answer<LockReceipt> = self.link.ask(call, request.clone(), send).await;
        answer.and_believe(|mut receipt| {
            shown::clean_diagnostic(&mut receipt.diagnostic);
            receipt.validate_for(&request, kind).map_err(|broken| HostError::broken_reply(call, broken))?;
            self.negotiated(&mut receipt.diagnostic);
            Ok(receipt)
        })
    }
}

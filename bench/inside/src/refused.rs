//! What the loop can ask for and is not done here: a target is looked at and never changed, and nothing has an end.
#![expect(clippy::unused_async, reason = "the loop awaits the calls of a real session")]

use ptah_model::Scope;
use ptah_outside::{Answer, Call, Claim, HostError};
use ptah_provider_api::claim::{Adoption, ClaimReceipt};
use ptah_provider_api::feature::SESSIONS_CLAIMS;
use ptah_provider_api::lock::LockReceipt;
use ptah_provider_api::session::DatabaseIdentity;

use crate::provider::Provider;
use crate::session::Session;

/// A lock, which is never taken here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock(());

impl Provider {
    /// Nothing is to be ended.
    pub async fn end(self) {}
}

impl Session {
    /// A lock to name, not to have.
    pub fn lock(&self, _scope: &Scope) -> Lock {
        Lock(())
    }

    /// Refused: a target is not changed.
    pub async fn try_lock(&self, _lock: &Lock) -> Answer<LockReceipt> {
        self.refused(Call::TryLock)
    }

    /// Refused: a target is not changed.
    pub async fn check_lock(&self, _lock: &Lock) -> Answer<LockReceipt> {
        self.refused(Call::CheckLock)
    }

    /// Refused: a target is not changed.
    pub async fn release_lock(&self, _lock: &Lock) -> Answer<LockReceipt> {
        self.refused(Call::ReleaseLock)
    }

    /// Refused: a target is not changed.
    pub async fn claim(&self, _scope: &Scope, _claim: Claim) -> Answer<ClaimReceipt> {
        self.refused(Call::Claim)
    }

    /// Refused: a target is not changed.
    pub async fn adopt(&self, _scope: &Scope, _adoption: Adoption, _at_us: i64) -> Answer<DatabaseIdentity> {
        self.refused(Call::Adopt)
    }

    /// Refused: a target is not changed.
    pub async fn forget(&self, _scope: &Scope) -> Answer<()> {
        self.refused(Call::Forget)
    }

    fn refused<T>(&self, call: Call) -> Answer<T> {
        let engine = self.facts().engine.clone();
        Answer::NotSent(HostError::NotOffered { call, engine, feature: call.feature().unwrap_or(SESSIONS_CLAIMS) })
    }

    /// Ends when it is dropped.
    pub async fn close(self) -> Result<(), HostError> {
        Ok(())
    }
}

//! Transactions: begun, ended and asserted by requests of their own, outliving each of them.

use ptah_model::Fingerprint;

use crate::Violation;
use crate::execute::{TransactionId, check_diagnostic};
use crate::key::Key;
use crate::step::Setting;

/// A request to begin a transaction for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeginRequest {
    /// The key that the receipt echoes.
    pub key: Key,
    /// The union of what the steps in it need.
    pub settings: Vec<Setting>,
    /// What the schema has to be, asserted inside the transaction; absent asserts nothing (dev databases).
    pub expect_state: Option<Fingerprint>,
    /// The sequence that the latest claim has to have, asserted inside the transaction.
    pub expect_claim: Option<u64>,
    /// How long to wait for other writers, in milliseconds, at most 20 s.
    pub lock_timeout_ms: u64,
}

/// A request to commit or roll back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndRequest {
    /// The key that the receipt echoes.
    pub key: Key,
    /// The transaction.
    pub transaction: TransactionId,
    /// How long a busy commit may be tried again, in milliseconds, at most 20 s.
    pub lock_timeout_ms: u64,
}

/// What is known about a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionState {
    /// It is open, and what was asserted holds.
    Begun,
    /// It never began: other writers were busy for the whole wait.
    Busy,
    /// It never began: the schema is not what was expected.
    StateChanged,
    /// It never began: another claim is the latest.
    ClaimChanged,
    /// It never began, for another reason.
    NotStarted,
    /// It is committed.
    Committed,
    /// It is rolled back: nothing of it is in the database.
    RolledBack,
    /// Nobody knows whether it is committed.
    Unknown,
}

/// The answer to a [`BeginRequest`] or an [`EndRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionReceipt {
    /// The request's key.
    pub key: Key,
    /// The transaction; empty when it never began.
    pub transaction: TransactionId,
    /// What is known.
    pub state: TransactionState,
    /// For [`TransactionState::StateChanged`]: what the schema is.
    pub found_state: Option<Fingerprint>,
    /// Why it did not succeed, under the rules of a reason.
    pub diagnostic: Option<String>,
}

impl TransactionReceipt {
    /// Proves that the receipt answers a begin.
    pub fn validate_for_begin(&self, asked: &BeginRequest) -> Result<(), Violation> {
        use TransactionState as S;
        const M: &str = "TransactionReceipt";
        asked.key.check_echo(&self.key, M)?;
        let allowed = matches!(self.state, S::Begun | S::Busy | S::StateChanged | S::ClaimChanged | S::NotStarted);
        Violation::unless(allowed, M, "state", "is one that a begin can have")?;
        let named = (self.state == S::Begun) != self.transaction.0.is_empty();
        Violation::unless(named, M, "transaction_id", "is given exactly when it began")?;
        let found = self.found_state.is_some() == (self.state == S::StateChanged);
        Violation::unless(found, M, "found_state", "is given exactly when the state is another one")?;
        check_diagnostic(M, self.state == S::Begun, self.diagnostic.as_deref())
    }

    /// Proves that the receipt answers a commit or a rollback. A transaction that had ended before answers how.
    pub fn validate_for_end(&self, asked: &EndRequest) -> Result<(), Violation> {
        use TransactionState as S;
        const M: &str = "TransactionReceipt";
        asked.key.check_echo(&self.key, M)?;
        Violation::unless(self.transaction == asked.transaction, M, "transaction_id", "is the one that was asked")?;
        let allowed = matches!(self.state, S::Committed | S::RolledBack | S::Unknown);
        Violation::unless(allowed, M, "state", "is one that an end can have")?;
        Violation::unless(self.found_state.is_none(), M, "found_state", "is absent for an end")?;
        check_diagnostic(M, self.state == S::Committed, self.diagnostic.as_deref())
    }
}

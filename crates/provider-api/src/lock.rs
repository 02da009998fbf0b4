//! Locks: one attempt at a time, proven now or not at all.

use crate::Violation;
use crate::execute::check_diagnostic;
use crate::key::Key;

/// A request about one lock. Its request ID is the lock ID, used once for `TryLock`; `CheckLock` and `ReleaseLock` name
/// the same ID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockRequest {
    /// The key; the scope says what is locked.
    pub key: Key,
}

/// What is known about a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockState {
    /// It is held now.
    Acquired,
    /// It is confirmed that somebody else holds it.
    Busy,
    /// It is not held, or nobody knows; either way nothing may rest on it.
    Lost,
    /// It is given back, or can never be taken any more under this ID.
    Released,
}

/// Which request a lock receipt answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockCall {
    /// `TryLock`.
    Try,
    /// `CheckLock`.
    Check,
    /// `ReleaseLock`.
    Release,
}

/// The answer to a lock request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockReceipt {
    /// The request's key.
    pub key: Key,
    /// What is known.
    pub state: LockState,
    /// Why it is not held, under the rules of a reason.
    pub diagnostic: Option<String>,
}

impl LockReceipt {
    /// Proves that the receipt answers the request with a state that the call can have.
    pub fn validate_for(&self, asked: &LockRequest, call: LockCall) -> Result<(), Violation> {
        const M: &str = "LockReceipt";
        asked.key.check_echo(&self.key, M)?;
        let allowed = match call {
            LockCall::Try => matches!(self.state, LockState::Acquired | LockState::Busy | LockState::Lost),
            LockCall::Check => matches!(self.state, LockState::Acquired | LockState::Lost),
            LockCall::Release => matches!(self.state, LockState::Released | LockState::Lost),
        };
        Violation::unless(allowed, M, "state", "is one that the call can have")?;
        let success = matches!(self.state, LockState::Acquired | LockState::Released);
        check_diagnostic(M, success, self.diagnostic.as_deref())
    }
}

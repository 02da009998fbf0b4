//! What came of an effect.

use ptah_model::Fingerprint;
use ptah_provider_api::claim::OperationRecord;
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::session::IdentityState;
use ptah_provider_api::transaction::TransactionState;

use crate::ending::Against;
use crate::work::Work;

/// What came of the last effect, or something that happened to the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The lock is held.
    LockAcquired,
    /// Another holds it. `waited_ms` is how long this run has waited so far, by the shell's clock.
    LockBusy {
        /// Milliseconds since the first attempt.
        waited_ms: u64,
    },
    /// The lock is not held, or nobody knows.
    LockLost,
    /// The lock is held now.
    LockHeld,
    /// The pause is over.
    Waited,
    /// What the database remembers.
    ClaimsRead {
        /// What its identity says.
        identity: IdentityState,
        /// Its operations; unfinished ones are always among them.
        operations: Vec<OperationRecord>,
    },
    /// The schema as it is.
    StateRead(Fingerprint),
    /// There is nothing to do.
    InSync {
        /// Whether that was found out now, at a cost, and the database could remember it.
        to_remember: bool,
    },
    /// This is to be done.
    Planned(Work),
    /// The plan is refused; the shell holds the findings.
    PlanRefused(Against),
    /// A person, or a flag, consented.
    Approved,
    /// There is no consent.
    Declined,
    /// The database was created, and the session is open.
    Created,
    /// The intent is stored.
    Intended,
    /// The operation was spent before.
    AlreadySpent,
    /// The row is stored (in the transaction, if it was part of one).
    Recorded,
    /// The row is not stored, or nobody knows.
    NotRecorded,
    /// The transaction is open, and what it asserts holds.
    Begun,
    /// Other writers kept an intent from being stored or a transaction from beginning. It is certain that nothing of it
    /// is there.
    Busy {
        /// Milliseconds since the first attempt of this one.
        waited_ms: u64,
    },
    /// The transaction never began.
    NotBegun(TransactionState),
    /// The rows allow it.
    RowsHold,
    /// Rows stand against it.
    RowsOffend,
    /// What is known of the units.
    Executed {
        /// The outcome.
        outcome: Outcome,
        /// How many units are confirmed applied.
        applied: u32,
    },
    /// The transaction is committed.
    Committed,
    /// Nothing of the transaction is in the database.
    RolledBack,
    /// Nobody knows what became of the transaction.
    CommitUnknown,
    /// The lock is given back, or was gone.
    Released,
    /// The database could not be created, or nobody knows.
    NotCreated,
    /// The provider answered that it could not do it. Of a call that may have written nothing else is known.
    CallFailed,
    /// The provider or its session is gone, or its answer cannot be believed. The effect may have happened.
    Lost,
    /// A person asked to stop. Sent instead of performing the effect that was next: that effect has not happened.
    Interrupted,
}

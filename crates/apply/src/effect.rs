//! What the shell is to do next. Each variant holds all that is needed to do it.

use ptah_model::{Fingerprint, OperationId};
use ptah_provider_api::claim::Verdict;
use ptah_provider_api::execute::Outcome;

use crate::ending::Ending;

/// One effect. The shell performs it and reports what came of it with the event that the variant names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// One attempt to take the run lock, under a new lock ID. → `LockAcquired`, `LockBusy`, `LockLost`
    TryLock,
    /// Pause before the next attempt. → `Waited`
    WaitForLock,
    /// Read what the database remembers. → `ClaimsRead`
    ReadClaims,
    /// Record what a person says a moved or copied database is. → `Recorded`, `NotRecorded`
    Adopt,
    /// Read the schema. → `StateRead`
    ReadState {
        /// Whether the objects are wanted, to plan on them, and not only the fingerprint.
        whole: bool,
    },
    /// Close an operation that an earlier run left. → `Recorded`, `NotRecorded`
    SettleEarlier {
        /// The operation.
        operation: OperationId,
        /// What the reading showed of it.
        verdict: Verdict,
        /// What was read.
        found: Fingerprint,
    },
    /// Make the plan from what was read, or hold a saved plan against it. → `InSync`, `Planned`, `PlanRefused`
    Prepare {
        /// What was read.
        found: Fingerprint,
    },
    /// Remember that what was read is what is wanted. Changes nothing that a decision rests on: without the record the next
    /// run finds it out again. → `Recorded`, `NotRecorded`
    Remember {
        /// What was read.
        found: Fingerprint,
    },
    /// Ask for consent. → `Approved`, `Declined`
    Approve,
    /// Create the database; one that is there by now is not touched. → `Created`, `PlanRefused`
    CreateTarget,
    /// Prove that the lock is held now. → `LockHeld`, `LockLost`
    CheckLock,
    /// Store the intent of a segment, alone. → `Intended`, `AlreadySpent`, `Busy`, `NotRecorded`
    Intend {
        /// Which.
        segment: usize,
    },
    /// Begin a transaction that asserts state and claim. → `Begun`, `Busy`, `NotBegun`
    Begin {
        /// Which segment it is for.
        segment: usize,
    },
    /// Ask the rows what the segment rests on. → `RowsHold`, `RowsOffend`
    CheckRows {
        /// Which segment.
        segment: usize,
    },
    /// Execute the segment's units. Never repeated. In a transaction, rows that can only be asked once earlier units
    /// have run are asked on the way. → `Executed`, `RowsOffend` (in a transaction)
    Execute {
        /// Which segment.
        segment: usize,
    },
    /// Store the outcome of a segment. → `Recorded`, `NotRecorded`
    RecordOutcome {
        /// Which segment.
        segment: usize,
        /// What is known.
        outcome: Outcome,
        /// How many units are confirmed applied.
        applied: u32,
        /// Whether it becomes part of the open transaction.
        in_transaction: bool,
    },
    /// Commit. → `Committed`, `RolledBack`, `CommitUnknown`
    Commit {
        /// Which segment.
        segment: usize,
    },
    /// Roll back. → `RolledBack`, `CommitUnknown`
    Rollback {
        /// Which segment.
        segment: usize,
    },
    /// Close this operation. → `Recorded`, `NotRecorded`
    Settle {
        /// What the reading showed.
        verdict: Verdict,
        /// What was read.
        found: Fingerprint,
    },
    /// Give the lock back. → `Released`
    Release,
    /// Nothing more: this is how the run ended.
    Finish(Ending),
}

//! What a run was asked to do, and the work that was decided.

use ptah_model::{Fingerprint, OperationId};

/// What the run was asked to do. Never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The operation; spent once.
    pub operation: OperationId,
    /// Whether the run ends where it would ask for approval.
    pub dry_run: bool,
    /// Whether the database was there when the session opened. One that was not is created only after approval.
    pub target_exists: bool,
    /// Whether a person has said what a moved or copied database is, so that this may be recorded.
    pub adopts: bool,
    /// How long to wait for the run lock altogether, in milliseconds.
    pub lock_wait_ms: u64,
    /// How long to wait for other writers, at each intent and at each begin, in milliseconds.
    pub busy_wait_ms: u64,
}

/// The work that was decided and approved, as far as the order of effects depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The state it was planned on.
    pub from: Fingerprint,
    /// The state it leads to, as the proof on a copy found it.
    pub to: Fingerprint,
    /// Its segments, at least one.
    pub segments: Vec<SegmentWork>,
}

/// One segment: the units of one transaction, or one unit outside a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentWork {
    /// Whether it runs in a transaction.
    pub transactional: bool,
    /// Whether there are questions to ask the rows before it.
    pub checks_rows: bool,
    /// How many units it has, at least one.
    pub units: u32,
    /// The state on which it begins.
    pub before: Fingerprint,
    /// The state that the proof found after it.
    pub after: Fingerprint,
}

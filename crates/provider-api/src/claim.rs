//! Claims: a run is spent in the database before it begins, and its outcome stays there.
//!
//! A run is cut into *segments*: the units of one transaction, or one unit outside a transaction. Each segment has an
//! INTEND row, committed alone before anything of it is sent, and an OUTCOME row, written in the segment's own
//! transaction where there is one. The first INTEND of an operation spends its ID. SETTLE closes the operation after a
//! reading, and can remember what was proven. PROVE remembers what a reading found where nothing was to be done. Rows are
//! only ever added.

use std::collections::BTreeSet;

use ptah_model::{Digest, Fingerprint, OperationId};

use crate::Violation;
use crate::execute::{Outcome, TransactionId, check_diagnostic};
use crate::key::{Key, SessionId};
use crate::session::{DatabaseIdentity, IdentityState};

/// A request to record one phase of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRequest {
    /// The key that the receipt echoes.
    pub key: Key,
    /// The operation.
    pub operation: OperationId,
    /// The digest of the plan that it carries out; of the sources with [`ClaimPhase::Prove`], which has no plan.
    pub plan: Digest,
    /// What is recorded.
    pub phase: ClaimPhase,
    /// The transaction that the row is part of. Absent commits it alone. Never with [`ClaimPhase::Intend`] and
    /// [`ClaimPhase::Prove`].
    pub transaction: Option<TransactionId>,
    /// When, in microseconds since 1970-01-01T00:00:00Z, by the host's clock. For people; nothing is decided by it.
    pub at_us: i64,
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimPhase {
    /// A segment is about to be sent.
    Intend {
        /// Which, from 0. Segment 0 spends the operation.
        segment: u32,
        /// How many there are.
        segments: u32,
        /// Whether its units and its outcome share one transaction: then no outcome means that nothing of it applied.
        transactional: bool,
        /// The fingerprint on which it begins.
        before: Fingerprint,
        /// The fingerprint that the proof on a copy found after it.
        after: Fingerprint,
    },
    /// What became of a segment.
    Outcome {
        /// Which.
        segment: u32,
        /// What is known.
        outcome: Outcome,
        /// How many of its units are confirmed applied.
        applied: u32,
    },
    /// A reading under the lock closed the operation.
    Settle {
        /// What the reading showed.
        verdict: Verdict,
        /// The fingerprint that was read.
        found: Fingerprint,
        /// What was proven to converge, to be remembered.
        proof: Option<Proof>,
        /// Renames that were carried out, kept so that their hints may stay in the sources.
        renames: Vec<RenameRecord>,
    },
    /// A reading under the lock found what the proof says, and nothing was to be done. Needs no intent and spends
    /// nothing. Not written where the database keeps no records yet: a run that changes nothing makes no tables.
    Prove {
        /// What is to be remembered.
        proof: Proof,
    },
}

/// What a reading showed about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// All of it is in the database.
    Applied,
    /// Nothing of it is in the database.
    NotApplied,
    /// A known prefix of its segments is in the database.
    Partial,
    /// The state matches no point of the operation: somebody else changed it since. The record stays for people.
    Diverged,
}

/// These desired sources, on this server and these settings, read as this state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The digest of the desired sources and the policy that shapes their reading.
    pub sources: Digest,
    /// The digest of server and settings; see [`crate::session::Session::settings_digest`].
    pub settings: Digest,
    /// What the target read as.
    pub state: Fingerprint,
}

/// A rename that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenameRecord {
    /// The kind, for example `column`.
    pub kind: String,
    /// The object it is in, by its name after the rename; for a member only.
    pub owner: Option<String>,
    /// The old name, normalised.
    pub from: String,
    /// The new name, normalised.
    pub to: String,
}

/// What became of a claim request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimState {
    /// The intent is stored, and the operation's ID is spent.
    Intended,
    /// The outcome, the settlement or the proof is stored (in the transaction, if one was given).
    Recorded,
    /// This operation's ID was spent before. Nothing was written.
    Already,
    /// Another operation has an intent and no settlement. Nothing was written.
    OtherUnfinished(OperationId),
    /// It is certain that nothing was written.
    NotWritten,
    /// Nobody knows whether it was written.
    Unknown,
}

/// The answer to a [`ClaimRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimReceipt {
    /// The request's key.
    pub key: Key,
    /// What became of it.
    pub state: ClaimState,
    /// The sequence of the row that was written: grows with each row of the database; 0 when none was.
    pub sequence: u64,
    /// Why it did not succeed, under the rules of a reason.
    pub diagnostic: Option<String>,
}

/// A request for what the database remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadClaimsRequest {
    /// The session.
    pub session: SessionId,
    /// How many finished operations to return at most, newest first; unfinished ones always come.
    pub limit: u32,
}

/// What the database remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimsReading {
    /// Which database it says it is, read again.
    pub identity: DatabaseIdentity,
    /// The sequence of the latest row; 0 when there is none.
    pub latest: u64,
    /// Operations, newest first. Unfinished ones are always among them.
    pub operations: Vec<OperationRecord>,
    /// What was proven to converge, newest first.
    pub proofs: Vec<Proof>,
    /// Renames that were carried out.
    pub renames: Vec<RenameRecord>,
}

/// One operation, put together from its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationRecord {
    /// The operation.
    pub operation: OperationId,
    /// The plan that it carried out.
    pub plan: Digest,
    /// How many segments it has.
    pub segments: u32,
    /// Its segments that were intended, in order from 0.
    pub intents: Vec<SegmentRecord>,
    /// What settled it; absent means that it is unfinished.
    pub settled: Option<Verdict>,
    /// When its first row was written; see [`ClaimRequest::at_us`].
    pub at_us: i64,
}

/// One intended segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentRecord {
    /// Whether its units and its outcome share one transaction; see [`ClaimPhase::Intend`].
    pub transactional: bool,
    /// The fingerprint on which it began.
    pub before: Fingerprint,
    /// The fingerprint that the proof found after it.
    pub after: Fingerprint,
    /// What became of it, and how many units applied; absent means that no outcome was written.
    pub outcome: Option<(Outcome, u32)>,
}

/// Says what a database whose UUID was recorded elsewhere is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdoptRequest {
    /// The key.
    pub key: Key,
    /// What it is.
    pub adoption: Adoption,
    /// When; see [`ClaimRequest::at_us`].
    pub at_us: i64,
}

/// What a person says of a database that was moved or copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adoption {
    /// The same database at another place: it keeps its UUID and its claims.
    Moved,
    /// A copy: it gets a UUID of its own, and the claims stay as another database's.
    Copy,
}

/// The answer to an [`AdoptRequest`] that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdoptReply {
    /// The request's key.
    pub key: Key,
    /// The identity that the database now has.
    pub identity: DatabaseIdentity,
}

/// Takes away everything of ours. Refused while an operation is unfinished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgetRequest {
    /// The key.
    pub key: Key,
}

/// The answer to a [`ForgetRequest`] that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgetReply {
    /// The request's key.
    pub key: Key,
}

impl AdoptReply {
    /// Proves that it answers the request, and that the database is no longer moved or copied.
    pub fn validate_for(&self, asked: &AdoptRequest) -> Result<(), Violation> {
        const M: &str = "AdoptReply";
        asked.key.check_echo(&self.key, M)?;
        let same = self.identity.state() == IdentityState::Same;
        Violation::unless(same, M, "identity", "is the database that it says it is")
    }
}

impl ForgetReply {
    /// Proves that it answers the request.
    pub fn validate_for(&self, asked: &ForgetRequest) -> Result<(), Violation> {
        asked.key.check_echo(&self.key, "ForgetReply")
    }
}

impl ClaimRequest {
    /// Proves that the request is one the contract allows.
    pub fn validate(&self) -> Result<(), Violation> {
        const M: &str = "ClaimRequest";
        let alone = matches!(self.phase, ClaimPhase::Intend { .. } | ClaimPhase::Prove { .. });
        let commits_alone = self.transaction.is_none() || !alone;
        Violation::unless(commits_alone, M, "transaction_id", "is absent for an intent and for a proof")?;
        let ClaimPhase::Intend { segment, segments, .. } = &self.phase else { return Ok(()) };
        Violation::unless(segment < segments, M, "segment", "is one of the segments")
    }
}

impl ClaimReceipt {
    /// Proves that the receipt answers the request.
    pub fn validate_for(&self, asked: &ClaimRequest) -> Result<(), Violation> {
        const M: &str = "ClaimReceipt";
        asked.key.check_echo(&self.key, M)?;
        let intent = matches!(asked.phase, ClaimPhase::Intend { .. });
        let (success, allowed) = match &self.state {
            ClaimState::Intended => (true, intent),
            ClaimState::Recorded => (true, !intent),
            ClaimState::Already | ClaimState::OtherUnfinished(_) => (false, intent),
            ClaimState::NotWritten | ClaimState::Unknown => (false, true),
        };
        Violation::unless(allowed, M, "state", "is one that the phase can have")?;
        Violation::unless(success == (self.sequence > 0), M, "sequence", "is given exactly when a row was written")?;
        check_diagnostic(M, success, self.diagnostic.as_deref())
    }
}

impl ClaimsReading {
    /// Proves that the reading answers the request: each operation is there once, with no more segments than it has, and
    /// finished ones keep the limit. A database without any row remembers nothing.
    pub fn validate_for(&self, asked: &ReadClaimsRequest) -> Result<(), Violation> {
        const M: &str = "ClaimsReading";
        let paired = self.identity.uuid.is_some() == self.identity.recorded_physical.is_some();
        Violation::unless(paired, M, "identity", "has a UUID and its physical identity together")?;
        let empty = self.operations.is_empty() && self.proofs.is_empty() && self.renames.is_empty();
        Violation::unless(self.latest > 0 || empty, M, "latest", "is given when something is remembered")?;
        let distinct: BTreeSet<&OperationId> = self.operations.iter().map(|o| &o.operation).collect();
        let once = distinct.len() == self.operations.len();
        Violation::unless(once, M, "operations.operation_id", "is distinct")?;
        let within = self.operations.iter().all(|o| (1..=o.segments as usize).contains(&o.intents.len()));
        Violation::unless(within, M, "operations.intents", "are those of its segments, at least one")?;
        let finished = self.operations.len() - self.unfinished().count();
        Violation::unless(finished <= asked.limit as usize, M, "operations", "keep the limit")
    }

    /// The operations that were intended and never settled.
    pub fn unfinished(&self) -> impl Iterator<Item = &OperationRecord> {
        self.operations.iter().filter(|o| o.settled.is_none())
    }
}

//! What was seen of a run: its Job, its Pods, and what its runner reported.

use ptah_model::Digest;

use crate::ids::{Operation, Uid};
use crate::object::{Identity, Proposal};

/// The Job under the name that a claim reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobReading {
    /// There was no reason to look.
    NotRead,
    /// There is none.
    Absent,
    /// There is one.
    Found(Job),
}

/// A Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Job {
    /// Its UID.
    pub uid: Uid,
    /// The digest of its document, as far as it was built by us.
    pub digest: Digest,
    /// Whether it is complete or failed, and so starts no further Pod.
    pub terminal: bool,
    /// Whether it will be removed by itself.
    pub expiring: bool,
}

/// A Pod whose controller is the Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pod {
    /// Its UID.
    pub uid: Uid,
    /// Whether its images, command, environment, volumes and security context are those of the stored Job.
    pub as_built: bool,
    /// Whether its phase says that it is over. A control plane that lost a node says so too.
    pub said_over: bool,
    /// That its process ended, as the kubelet saw it.
    pub stopped: Option<Stopped>,
    /// Whether our finalizer keeps it.
    pub kept: bool,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stopped {
    /// What its termination message says about the run, where it is whole and of this operation.
    pub summary: Option<Reported>,
}

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Everything is in the database.
    Applied,
    /// Nothing was sent.
    NotStarted,
    /// Something was sent, and nothing of it is in the database.
    NotApplied,
    /// The first so many units are in the database.
    Partial(u32),
    /// Nobody knows.
    Unknown,
}

/// An outcome as a runner reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reported {
    /// The outcome.
    pub outcome: Outcome,
    /// Whether the database that it was connected to is the one of the claim.
    pub right_database: bool,
}

/// A result, whole and checked against its digest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The operation that it speaks of.
    pub operation: Operation,
    /// The Pod that sent it.
    pub pod: Uid,
    /// The digest of the key that signs it; before a permit there is none and the Pod's token vouches.
    pub key: Option<Digest>,
    /// Whether a second, different result came under the same name.
    pub conflict: bool,
    /// What it says.
    pub section: Section,
    /// What the database itself remembers of runs, where a reading looked.
    pub rows: ClaimRows,
    /// Which contract stored it.
    pub state_version: u32,
}

/// What a result says.
#[expect(clippy::large_enum_variant, reason = "one is read in a pass, and it lives as long as the pass does")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// No database was opened.
    NotStarted,
    /// A run ended.
    Run(Reported),
    /// A reading, or why there is none.
    Refresh(Result<Reading, ReadFailure>),
    /// A settling reading, begun under the database's lock.
    Settle(SettleReading),
}

/// Why a refresh read nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadFailure {
    /// The artifact does not satisfy the verification policy.
    PolicyRefused,
    /// Anything that may be over the next time: a registry, a network, a database that is down.
    Passing,
}

/// What a refresh read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The database.
    pub identity: Identity,
    /// The database with what tells one running server from another; absent where the engine does not say.
    pub instance: Option<Digest>,
    /// Its state: the schema's fingerprint, or the history's.
    pub state: Digest,
    /// What is to be done; nothing when it is in sync.
    pub proposal: Option<Proposal>,
    /// Why nothing may be planned on this state.
    pub refusal: Option<StateRefusal>,
}

/// What a database remembers of the runs on it, in the table of claims there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClaimRows {
    /// How many runs have begun on it. Only grows; fewer than before means that it was put back to an earlier state.
    pub sequence: u64,
    /// The last run that began and of which no end is written.
    pub unfinished: Option<Unfinished>,
}

/// A run that a database remembers as begun and not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unfinished {
    /// The run.
    pub operation: Operation,
    /// By whose rule it settles; absent where its row does not say.
    pub family: Option<crate::Family>,
    /// The digest of its plan.
    pub plan: Digest,
}

/// Why nothing may be planned on a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateRefusal {
    /// A revision is marked as half-applied.
    HistoryDirty,
    /// An applied file was changed.
    HistoryModified,
    /// A pending file is below the current version.
    HistoryOutOfOrder,
    /// The database is ahead of the artifact.
    HistoryAhead,
    /// A protected table would be changed.
    ProtectedTable,
}

/// What a settling reading found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SettleReading {
    /// Another session holds the database's lock: not yet.
    Busy,
    /// It was read under the lock.
    Read(Facts),
}

/// What a settling reading proves. A schema's reader answers the first two, a migration's all.
#[expect(clippy::struct_excessive_bools, reason = "each is one finding, and every combination is possible")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    /// The database that was read.
    pub database: Digest,
    /// Whether it is as the plan wanted it: the desired schema, or nothing of the artifact pending.
    pub as_desired: bool,
    /// Whether a revision is marked as half-applied.
    pub dirty: bool,
    /// Whether every planned version is applied with its checksum.
    pub every_planned_applied: bool,
    /// Whether the rows that were there before the run are unchanged.
    pub older_unchanged: bool,
    /// Whether the rows are exactly those from before the run.
    pub as_before: bool,
    /// Whether the database remembers the run as begun and not finished.
    pub unfinished: bool,
}

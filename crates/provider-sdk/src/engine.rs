//! The two traits that an author implements. Everything else of the contract is the SDK's.
//!
//! Methods block: the SDK gives each session a thread of its own that owns the connection, hands it one request at a
//! time, and lets different sessions run at once. A dropped call drops only the reply; the work goes on.
//!
//! What the SDK does, so that an author must not: feature gates, sizes, request IDs that came before, the table of
//! lock IDs, the check of every lock that guards a session before it executes, claims or commits, fencing, validation
//! of what goes out, stripping of what was not negotiated, the shape of reasons, and panics.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use ptah_model::{Digest, Fingerprint, IdentifierRules, SchemaModel, Scope};
use ptah_provider_api::claim::{AdoptRequest, ClaimRequest, ClaimState, ClaimsReading};
use ptah_provider_api::describe::Description;
use ptah_provider_api::dev::ProvisionDevRequest;
use ptah_provider_api::execute::{ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::key::RequestId;
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reason::Reason;
use ptah_provider_api::render::RenderReply;
use ptah_provider_api::session::{DatabaseIdentity, DevId, OpenRequest};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_api::transaction::{BeginRequest, TransactionState};

use crate::failure::Failure;

/// What an engine keeps of one reading: the schema model, and whatever else it needs to plan and render.
pub trait Snapshot: Send + Sync + 'static {
    /// The schema model that was read.
    fn schema(&self) -> &SchemaModel;
    /// Its fingerprint; equal to `Fingerprint::of(self.schema())`.
    fn fingerprint(&self) -> Fingerprint;
}

/// An engine: what needs no session, and how a session begins.
pub trait Engine: Send + Sync + 'static {
    /// What it keeps of a reading.
    type Snapshot: Snapshot;
    /// Its sessions.
    type Session: EngineSession<Snapshot = Self::Snapshot>;

    /// What the provider is, whole: the SDK narrows it to what the host can use.
    fn description(&self) -> Description;

    /// Opens a session: connects, and reads what a session states. Never waits longer than the request allows.
    fn open(&self, request: &OpenRequest) -> Result<Opened<Self::Session>, Failure>;

    /// Analyses one source. Needs no database.
    fn analyze_sql(&self, request: &AnalyzeSqlRequest) -> Result<SourceAnalysis, Failure>;

    /// Turns changes into steps. The same request and snapshots give the same bytes.
    fn plan(
        &self,
        request: &PlanRequest,
        current: &Self::Snapshot,
        desired: &Self::Snapshot,
    ) -> Result<PlanReply, Failure>;

    /// Writes a reading as source text.
    fn render(&self, snapshot: &Self::Snapshot) -> Result<RenderReply, Failure>;

    /// Makes a dev database, empty or with the schema of a reading, that `open` then finds by its ID.
    fn provision_dev(
        &self,
        request: &ProvisionDevRequest,
        copy_of: Option<Arc<Self::Snapshot>>,
    ) -> Result<DevId, Failure>;
}

/// A session that was opened, with what it states.
#[derive(Debug)]
pub struct Opened<S> {
    /// The session.
    pub session: S,
    /// What it states.
    pub facts: SessionFacts,
}

/// What a session states; field by field the contract's [`ptah_provider_api::session::Session`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFacts {
    /// The database that was selected, as people call it.
    pub database: String,
    /// The schema that unqualified names mean.
    pub default_schema: Option<String>,
    /// The server's version.
    pub server_version: String,
    /// The effective identifier rules.
    pub identifier_rules: IdentifierRules,
    /// What the session offers, within what the engine offers.
    pub features: BTreeSet<String>,
    /// Named facts.
    pub capabilities: BTreeMap<String, bool>,
    /// A digest of what can change how a source reads.
    pub settings_digest: Digest,
    /// Which database this is.
    pub identity: DatabaseIdentity,
    /// Whether it exists.
    pub exists: bool,
    /// Notes for people, each under the rules of a reason.
    pub notes: Vec<String>,
}

/// Stops what the session is doing now, from another thread. Called when a session closes while a call runs.
pub type Interrupt = Arc<dyn Fn() + Send + Sync>;

/// What became of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// What is known.
    pub outcome: Outcome,
    /// How many consecutive units are confirmed applied.
    pub applied: u32,
    /// Why it did not succeed.
    pub diagnostic: Option<Reason>,
    /// A stable code of the engine for the failure.
    pub engine_code: Option<String>,
}

/// What became of a begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Began {
    /// Begun, or why not.
    pub state: TransactionState,
    /// The transaction, when it began.
    pub transaction: Option<TransactionId>,
    /// The state that was found, when it was not the expected one.
    pub found_state: Option<Fingerprint>,
    /// Why it did not begin.
    pub diagnostic: Option<Reason>,
}

/// What became of a commit or rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Committed, rolled back or unknown.
    pub state: TransactionState,
    /// Why it is not what was asked for.
    pub diagnostic: Option<Reason>,
}

/// What became of one attempt to take a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockAttempt {
    /// It is held.
    Acquired,
    /// It is confirmed that another holds it; the reason may say who.
    Busy(Option<Reason>),
    /// It is not held, or nobody knows. The session undid what it could.
    Lost(Option<Reason>),
}

/// One connection. Owned by one thread; every method may block.
///
/// A service that the description does not list is never called. One that it lists and that is not written answers
/// `Unimplemented` by its default: which methods were written cannot be seen when serving begins, so that this is found by
/// the suite (`a_service_that_is_listed_is_served`) and not by `serve`.
pub trait EngineSession: Send + 'static {
    /// What it keeps of a reading.
    type Snapshot: Snapshot;

    /// How another thread stops a call that runs. The default stops nothing.
    fn interrupt(&self) -> Interrupt {
        Arc::new(|| {})
    }

    /// Reads the whole catalogue in a constant number of queries.
    fn inspect(&mut self, lock_timeout: Duration) -> Result<Arc<Self::Snapshot>, Failure>;

    /// Executes units in their order and stops at the first that fails. Never repeats anything.
    fn execute(&mut self, request: &ExecuteRequest) -> Result<Executed, Failure>;

    /// Begins a transaction, and asserts in it what the request expects.
    fn begin(&mut self, _request: &BeginRequest) -> Result<Began, Failure> {
        Err(Failure::unimplemented())
    }

    /// Commits. An answer that cannot be believed is [`TransactionState::Unknown`].
    fn commit(&mut self, _transaction: &TransactionId, _lock_timeout: Duration) -> Result<Ended, Failure> {
        Err(Failure::unimplemented())
    }

    /// Rolls back. Allowed on a fenced session.
    fn rollback(&mut self, _transaction: &TransactionId) -> Result<Ended, Failure> {
        Err(Failure::unimplemented())
    }

    /// Makes one attempt to take the lock of a scope, and never waits.
    fn try_lock(&mut self, _scope: &Scope, _lock: &RequestId) -> Result<LockAttempt, Failure> {
        Err(Failure::unimplemented())
    }

    /// Asks the server whether the lock is held now.
    fn check_lock(&mut self, _scope: &Scope, _lock: &RequestId) -> Result<bool, Failure> {
        Err(Failure::unimplemented())
    }

    /// Gives a held lock back. `false`: it turned out to be gone.
    fn release_lock(&mut self, _scope: &Scope, _lock: &RequestId) -> Result<bool, Failure> {
        Err(Failure::unimplemented())
    }

    /// Records one phase of an operation. Answers the state and the sequence of the row.
    fn claim(&mut self, _request: &ClaimRequest) -> Result<(ClaimState, u64, Option<Reason>), Failure> {
        Err(Failure::unimplemented())
    }

    /// Reads what the database remembers.
    fn read_claims(&mut self, _limit: u32) -> Result<ClaimsReading, Failure> {
        Err(Failure::unimplemented())
    }

    /// Records what a moved or copied database is. Answers the identity that it then has.
    fn adopt(&mut self, _request: &AdoptRequest) -> Result<DatabaseIdentity, Failure> {
        Err(Failure::unimplemented())
    }

    /// Takes away everything of ours. Refused while an operation is unfinished.
    fn forget(&mut self) -> Result<(), Failure> {
        Err(Failure::unimplemented())
    }

    /// Runs a read-only query.
    fn query_rows(&mut self, _request: &QueryRowsRequest) -> Result<QueryRowsReply, Failure> {
        Err(Failure::unimplemented())
    }

    /// Rolls back what is open, releases what is held and disconnects.
    fn close(self);
}

//! What the operator writes down about one resource. Decisions read all of it but [`Shown`].

use ptah_model::Digest;

use crate::bounds;
use crate::ids::{Epoch, Operation, Time, Uid};
use crate::object::{Access, Failures, Identity, Observed, PlanRef, Record, Resolved, StateRefusal};

/// The durable state of one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Status {
    /// The highest contract version of anything stored here; 0 for a resource never looked at.
    pub state_version: u32,
    /// The execution components that readings and plans were made with.
    pub binding: Option<Binding>,
    /// The operation under way.
    pub claim: Option<Claim>,
    /// A run whose outcome is not settled: a schema's pending observation, a migration's unresolved run.
    pub record: Option<Record>,
    /// The last run that was settled.
    pub resolved: Option<Resolved>,
    /// Leases to be given back before anything else is done.
    pub owed: Option<Owed>,
    /// The plan that may be approved and run.
    pub plan: Option<PlanRef>,
    /// The last plan whose run was reported as applied and found converged.
    pub applied: Option<PlanRef>,
    /// The last reading.
    pub observed: Option<Observed>,
    /// Failed readings in a row, and when the last one was.
    pub failures: Option<Failures>,
    /// What people are shown. No decision rests on it.
    pub shown: Shown,
}

/// Execution components, and the epoch of their use here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Images, protocol and contract versions.
    pub components: Digest,
    /// New with every change, also back to what was.
    pub epoch: Epoch,
}

/// What an operation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Resolve, verify, read and plan. Takes no Lease.
    Refresh,
    /// Run an approved plan.
    Apply,
    /// Read, under the database's lock, what a run did.
    Settle,
}

/// One decided operation, stored before anything outside can see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// Its ID.
    pub operation: Operation,
    /// What it is for.
    pub kind: Kind,
    /// The fingerprint of what it was decided from.
    pub inputs: Digest,
    /// When it was claimed.
    pub started: Time,
    /// No permit from then on.
    pub dispatch_not_after: Time,
    /// The run is killed then.
    pub execution_not_after: Time,
    /// How long its Leases last, in seconds. Never derived from the spec again.
    pub lease_duration: i64,
    /// The realm, and with it the name of C. Never derived from the spec again.
    pub coordination: Digest,
    /// How its Job reaches the database. Never derived from the spec again.
    pub access: Access,
    /// The database, once it is known.
    pub identity: Option<Identity>,
    /// D's last tenure when a refresh was claimed.
    pub tenure: Option<Epoch>,
    /// What an Apply runs, or what the run that a Settle reads did run.
    pub plan: Option<PlanRef>,
    /// The approval that an Apply spends; none where the policy asks for none.
    pub approval: Option<Uid>,
    /// The tenure of C that it goes by.
    pub realm_epoch: Option<Epoch>,
    /// The tenure of D that it goes by.
    pub database_epoch: Option<Epoch>,
    /// The digest of the Job as it was built: a later manager adopts by it.
    pub job_digest: Option<Digest>,
    /// From now on a Job may exist.
    pub marked: bool,
    /// The Job, once it was read back.
    pub job: Option<Uid>,
    /// Who was let in.
    pub started_by: Option<Permit>,
    /// Whether a tenure it goes by was broken: then its result is not believed.
    pub broken: bool,
    /// The Pods that were seen.
    pub evidence: RunEvidence,
}

impl Claim {
    /// An operation that begins now, with the deadlines of its window. What it acts on is filled in by the caller.
    pub fn begun(
        operation: Operation,
        kind: Kind,
        inputs: Digest,
        now: Time,
        coordination: Digest,
        access: Access,
    ) -> Self {
        let window = access.window.clamp(bounds::WINDOW_MIN, bounds::WINDOW_MAX);
        Self {
            operation,
            kind,
            inputs,
            started: now,
            dispatch_not_after: now.plus(window),
            execution_not_after: now.plus(window),
            lease_duration: bounds::lease(window),
            coordination,
            access,
            identity: None,
            tenure: None,
            plan: None,
            approval: None,
            realm_epoch: None,
            database_epoch: None,
            job_digest: None,
            marked: false,
            job: None,
            started_by: None,
            broken: false,
            evidence: RunEvidence::default(),
        }
    }
}

/// Who was let in: the first Pod that asked, with the key that its results are signed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permit {
    /// The Pod.
    pub pod: Uid,
    /// The digest of its key.
    pub key: Digest,
}

/// The Pods of a run, kept so that later passes need not trust what is still there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunEvidence {
    /// At most [`crate::bounds::PODS_KEPT`] UIDs, ascending.
    pub pods: Vec<Uid>,
    /// Those that are known to have stopped, ascending.
    pub stopped: Vec<Uid>,
}

/// Leases to be given back, and a hold to be dropped, in the order D, C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owed {
    /// The operation that holds them.
    pub operation: Operation,
    /// The realm, and with it the name of C.
    pub coordination: Digest,
    /// The tenure of C to be ended; no other is.
    pub realm_epoch: Option<Epoch>,
    /// The tenure of D to be ended; no other is.
    pub database_epoch: Option<Epoch>,
    /// The database.
    pub database: Option<Digest>,
    /// The run whose hold is dropped, and noted as settled.
    pub drop_hold: Option<Operation>,
}

/// What people are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shown {
    /// Nothing was decided yet.
    #[default]
    Pending,
    /// A reading is under way.
    Reading,
    /// A plan waits for a named person.
    AwaitingApproval,
    /// A plan is recorded and its policy lets nothing run.
    ApplyDisabled,
    /// A plan that loses data is refused by its policy.
    Destructive,
    /// A run is under way.
    Applying,
    /// A run is over for us, and something of it may still write.
    Draining,
    /// A run is being settled.
    Settling,
    /// A migration's run needs a named person.
    OutcomeUnknown,
    /// The database is as declared.
    InSync,
    /// Nothing new is started.
    Suspended,
    /// Another claims the realm.
    RealmConflict,
    /// The realm is not granted.
    RealmNotAuthorized,
    /// The realm is reached under another name too.
    RealmAliased,
    /// Another's run on this database is not settled.
    RealmUnresolved,
    /// The database or its rules refuse a plan.
    Refused(StateRefusal),
    /// The artifact is refused.
    PolicyRefused,
    /// A reading failed; it is tried again.
    ReadFailed,
}

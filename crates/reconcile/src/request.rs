//! What is asked of the API server, and what it answers, as plain values.

use ptah_lifecycle::{
    Acknowledgment, Approval, Claim, Claimant, Frame, JobReading, Judged, Lease, Operation, Plan, Pod, RealmReading,
    Resource, Stale, Status, Uid, Version,
};
use ptah_model::Digest;

/// Which Lease object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeaseName {
    /// C, by coordination digest.
    Realm(Digest),
    /// D, by what the server says the database is.
    Database(Digest),
}

/// Which plan object: its name is made from its fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanName(pub Digest);

/// One call. Every read is uncached; every write names the state that it replaces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// Read the resource.
    GetResource(Uid),
    /// Read a Lease.
    GetLease(LeaseName),
    /// Read what the resource's realm says about it.
    GetRealm(Uid),
    /// List the admitted claimants of a coordination digest.
    ListClaimants(Digest),
    /// List the admitted claimants, of any coordination digest, whose last reading was of this database.
    ListReaders(Digest),
    /// Read a plan.
    GetPlan(PlanName),
    /// List the approvals that name the resource and are neither spent nor stale, and the one with this UID.
    ListApprovals(Uid, Option<Uid>),
    /// List the acknowledgments that name the resource and are not judged.
    ListAcknowledgments(Uid),
    /// Read the Job under the name that the operation reserves.
    GetJob(Operation),
    /// List the Pods whose controller is this Job.
    ListPods(Uid),
    /// Read the operation's result that this Pod sent, if it is whole; without a Pod, the first one of any. Two Pods of one
    /// operation have a result each.
    GetFrame(Operation, Option<Uid>),
    /// Read whether everything that the plan's Job mounts is there.
    GetStaged(PlanName),
    /// Build the Job of the claim, or of the one that would be claimed, and digest it. No call is made.
    BuildJob(Uid),
    /// Read the admission policies and their bindings.
    GetPolicies,
    /// Put our finalizer on the resource, or take it off.
    PutFinalizer(Uid, Version, bool),
    /// Replace the status.
    PutStatus(Uid, Version, Box<Status>),
    /// Replace the Lease, or create it where none is expected.
    PutLease(LeaseName, Option<Version>, Box<Lease>),
    /// Create what the plan's Job mounts.
    Stage(PlanName),
    /// Create the plan.
    CreatePlan(Box<Plan>),
    /// Write into the approval who spent it.
    Consume(Uid, Version, Operation),
    /// Say on the approval why it authorises nothing.
    MarkStale(Uid, Version, Stale),
    /// Say on the acknowledgment what became of it.
    Answer(Uid, Version, Judged),
    /// Create the Job of the claim, by a client that never repeats a request.
    CreateJob(Uid, Box<Claim>),
    /// Take our finalizer off a Pod.
    ReleasePod(Uid),
    /// Let a Job be removed by itself.
    ExpireJob(Uid),
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reply {
    /// The resource; nothing when it is gone.
    Resource(Option<Box<Resource>>),
    /// The Lease; nothing when there is none.
    Lease(Option<Box<Lease>>),
    /// What the realm says.
    Realm(RealmReading),
    /// The claimants.
    Claimants(Vec<Claimant>),
    /// The plan; nothing when there is none.
    Plan(Option<Box<Plan>>),
    /// The approvals.
    Approvals(Vec<Approval>),
    /// The acknowledgments.
    Acknowledgments(Vec<Acknowledgment>),
    /// The Job.
    Job(JobReading),
    /// The Pods.
    Pods(Vec<Pod>),
    /// The result; nothing while it is not whole.
    Frame(Option<Box<Frame>>),
    /// Whether a thing is so: staged, or policies in order.
    Yes(bool),
    /// A digest that was asked for.
    Digest(Digest),
    /// A write took effect.
    Done,
    /// A write did not take effect, because the object is not in the state that it names.
    Conflict,
    /// A write was definitely refused: the server answered this one request with a client's error.
    Refused,
    /// Nobody knows whether the call took effect: no answer, or a server's error.
    Lost,
}

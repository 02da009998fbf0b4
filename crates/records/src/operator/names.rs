//! The names under which the operator's documents and marks stand on Kubernetes objects, once.

/// On every Lease of ours: the token of the tenure that holds it, or that held it last.
pub const LEASE_EPOCH: &str = "operator.ptah.run/lease-epoch";
/// On a database's Lease: the [`Hold`](super::v1::Hold); absent while nothing is held.
pub const HOLD: &str = "operator.ptah.run/hold";
/// On a database's Lease: the [`Settled`](super::v1::Settled) operations.
pub const SETTLED: &str = "operator.ptah.run/settled";
/// On a database's Lease: what it is [`BoundTo`](super::v1::BoundTo).
pub const BOUND_TO: &str = "operator.ptah.run/bound-to";
/// The annotations of a database's Lease that say which version of the contract wrote them.
pub const VERSIONED_LEASE_ANNOTATIONS: [&str; 3] = [HOLD, SETTLED, BOUND_TO];

/// The finalizer of a resource: something is claimed, owed or not settled.
pub const ACTIVE_OPERATION: &str = "operator.ptah.run/active-operation";
/// The finalizer of a Pod that may write: it is removed once the Pod's end was read.
pub const EVIDENCE: &str = "operator.ptah.run/evidence";

/// On a Job and its Pod: the operation. Also the key of a label there, by which a run's Pods are listed.
pub const OPERATION_ID: &str = "operator.ptah.run/operation-id";
/// On a Job and its Pod: the UID of the resource, because the Job of an Apply has no owner.
pub const RESOURCE_UID: &str = "operator.ptah.run/resource-uid";
/// On an operation's Pod: the [`OperationSpec`](super::v1::OperationSpec), which its containers see as a file.
pub const OPERATION: &str = "operator.ptah.run/operation";
/// On a Job: the digest of the Job as it was built.
pub const JOB_DIGEST: &str = "operator.ptah.run/job-digest";
/// On a plan: since when nothing names it, in seconds since 1970.
pub const UNNAMED_SINCE: &str = "operator.ptah.run/unnamed-since";
/// On a namespace: an administrator lets operation Pods run in it.
pub const ENABLED: &str = "operator.ptah.run/enabled";

/// How the name of a realm's Lease begins.
pub const REALM_LEASE: &str = "ptah-t-";
/// How the name of a database's Lease begins.
pub const DATABASE_LEASE: &str = "ptah-d-";
/// How the name of every operation Job begins, and so of its Pods.
pub const OPERATION_JOB: &str = "ptah-";
/// On a resource: who wrote its spec since the manager last emptied it, a quoted user name a line. Set at admission.
pub const SPEC_WRITERS: &str = "operator.ptah.run/spec-writers";
/// The audience of the token with which a Pod says who it is when it reports.
pub const RESULT_AUDIENCE: &str = "operator.ptah.run/results";

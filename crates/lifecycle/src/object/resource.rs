//! A resource of either family: what its owner asks for, and what the operator wrote down.

use ptah_model::{Digest, DigestBuilder};

use crate::ids::{Uid, Version};
use crate::object::Status;

/// The two kinds of resource. They differ in data (what a reading can prove), never in the order of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// `PtahSchema`: converges a declared schema.
    Schema,
    /// `PtahMigration`: runs an ordered sequence.
    Migration,
}

/// A resource, read uncached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// Its family.
    pub family: Family,
    /// Its UID.
    pub uid: Uid,
    /// What a swap names.
    pub version: Version,
    /// Whether its deletion was asked for.
    pub deleting: bool,
    /// Whether our finalizer is on it.
    pub finalizer: bool,
    /// What its owner asks for.
    pub spec: Spec,
    /// What the operator wrote.
    pub status: Status,
}

/// What the owner asks for, as far as decisions rest on it. Generation is no input: only what these fields say is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The engine with the namespace and its key, or with the `PtahRealm`'s name.
    pub coordination: Digest,
    /// Whether the owner declares that others may claim the same realm.
    pub shared: bool,
    /// Whether nothing new may be started.
    pub suspended: bool,
    /// When a plan may run.
    pub apply: ApplyPolicy,
    /// Whether a plan that loses data may run at all.
    pub allow_destructive: bool,
    /// The window of a run, in seconds.
    pub window: i64,
    /// How long a reading stays fresh, in seconds.
    pub interval: i64,
    /// How long to wait after a failed reading, at first, in seconds.
    pub retry: i64,
    /// What a reading and a run depend on.
    pub inputs: Inputs,
}

/// The semantic fields of a spec, each as the digest of its versioned field list. Nothing else moves a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inputs {
    /// The artifact: reference, registry access, transport.
    pub artifact: Digest,
    /// The target: engine, and which key of which Secret holds the address.
    pub target: Digest,
    /// What is compared and protected.
    pub scope: Digest,
    /// Timeouts and transaction mode.
    pub execution: Digest,
    /// The verification policy as it is now, not as it is named: UID and bytes.
    pub verification: PolicyObject,
}

/// One state of the verification policy object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PolicyObject {
    /// Catches deletion and re-creation with equal bytes.
    pub uid: Uid,
    /// The digest of the selected key's bytes.
    pub digest: Digest,
}

/// When a plan may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApplyPolicy {
    /// It is recorded and never run.
    Never,
    /// It waits for a named person.
    OnApproval,
    /// It runs, except what loses data or changes privileges, which waits for a named person.
    Always,
}

/// How an operation reaches its database and what it looks at there, as it was when the operation was decided. An edit of
/// the spec sends nobody elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The target, as [`Inputs::target`].
    pub target: Digest,
    /// What is compared and protected, as [`Inputs::scope`].
    pub scope: Digest,
    /// Timeouts and transaction mode, as [`Inputs::execution`].
    pub execution: Digest,
    /// The window, in seconds, between [`crate::bounds::WINDOW_MIN`] and [`crate::bounds::WINDOW_MAX`].
    pub window: i64,
}

impl Spec {
    /// What an operation that is decided now goes by.
    pub fn access(&self) -> Access {
        Access {
            target: self.inputs.target,
            scope: self.inputs.scope,
            execution: self.inputs.execution,
            window: self.window.clamp(crate::bounds::WINDOW_MIN, crate::bounds::WINDOW_MAX),
        }
    }
}

/// Which database a reading or a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// What the server says it is.
    pub database: Digest,
    /// The route that a Pod resolved, without credentials.
    pub route: Digest,
    /// Who says so.
    pub source: IdentitySource,
    /// The coordination digest that is part of its Lease's name; only of a database that says that it is another one and is
    /// proven not to be. A process that is connected does not know of it: see [`crate::instance`].
    pub apart: Option<Digest>,
}

impl Identity {
    /// What its Lease D is named after: what the server says, and for a clone also who claims it.
    pub fn lease(&self) -> Digest {
        self.apart.map_or(self.database, |coordination| {
            DigestBuilder::new("ptah.operator.clone.v1")
                .bytes(self.database.as_bytes())
                .bytes(coordination.as_bytes())
                .finish()
        })
    }
}

/// Who says which database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdentitySource {
    /// A process that was connected to it.
    Reported,
    /// The plan: nothing was reported since.
    Planned,
}

//! Plans: what a reading proposes, and the immutable object that approvals name.

use ptah_model::Digest;

use crate::ids::{Epoch, Time, Uid};
use crate::object::{Family, Identity};

/// A plan named by what is spent with it: a re-created plan of the same name is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanRef {
    /// The plan object.
    pub uid: Uid,
    /// Everything it is bound to.
    pub fingerprint: Digest,
}

/// What a reading says is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Proposal {
    /// The bytes to be run: a schema's statements, or a migration's ordered sequence with checksums.
    pub content: Digest,
    /// What will be there afterwards: the desired schema, or the whole sequence of the artifact.
    pub desired: Digest,
    /// The state it was made on: the schema's fingerprint, or the history's rows.
    pub actual: Digest,
    /// The artifact, verified under the policy of the claim.
    pub artifact: Digest,
    /// Whether it loses data.
    pub destructive: bool,
    /// Whether it changes who may do what.
    pub privileges: bool,
}

/// What a settling reading is compared with: copied from the plan, so that the run outlives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Basis {
    /// What was run: for a migration every planned version, in order, with its checksum.
    pub planned: Digest,
    /// What was to be there afterwards: the desired schema, or the whole sequence of the artifact.
    pub desired: Digest,
    /// What was there before: the schema's fingerprint, or the history's rows.
    pub before: Digest,
}

/// A stored plan. Immutable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// Its UID; before it is stored, of no meaning.
    pub uid: Uid,
    /// The digest of everything below and of the resource: see [`crate::plan_fingerprint`].
    pub fingerprint: Digest,
    /// The resource that it was made for.
    pub resource: Uid,
    /// By whose rule its run settles.
    pub family: Family,
    /// The database that it was read from.
    pub identity: Identity,
    /// What is to be done.
    pub proposal: Proposal,
    /// The inputs of the reading that made it.
    pub inputs: Digest,
    /// The execution components under which it was made.
    pub binding: Epoch,
    /// Which contract wrote it.
    pub state_version: u32,
    /// Whether its deletion was asked for.
    pub deleting: bool,
    /// When it was stored.
    pub created: Time,
}

impl Plan {
    /// What a reading of a run of this plan is compared with.
    pub fn basis(&self) -> Basis {
        Basis { planned: self.proposal.content, desired: self.proposal.desired, before: self.proposal.actual }
    }

    /// What names this plan.
    pub fn reference(&self) -> PlanRef {
        PlanRef { uid: self.uid, fingerprint: self.fingerprint }
    }
}

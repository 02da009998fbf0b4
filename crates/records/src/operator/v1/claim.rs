//! The claim: one decided operation, stored before anything outside can see it.

use serde::{Deserialize, Serialize};

use super::binding::{ManagerRecord, PolicyBinding};
use super::parts::{
    Access, ConfigMapKey, ObjectRef, PlanRef, RegistryAuth, StateVersion, TargetIdentity, Tenure, Transport,
};
use super::run::{RunEvidence, StartedBy};
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::text::{Epoch, LabelName, OciReference, OperationId, Sha256, Uid};
use crate::operator::time::Moment;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum OperationType {
    /// It reads the database and changes nothing in it.
    Read,
    /// It carries a plan out.
    Apply,
}

/// What a Read is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ReadPurpose {
    /// To look for something to do: artifact, database, plan. It holds nothing.
    Refresh,
    /// To learn what an unfinished run did. It holds both Leases and takes the database's lock.
    Settle,
}

/// The artifact that an operation works on, with how to get it; nothing secret. A later edit of the spec cannot send
/// new credentials to an old registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArtifactAccess {
    /// Where it is, as the resource says.
    pub reference: OciReference,
    /// Its digest, once it is resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Sha256>,
    /// The registry's credentials; absent for a public one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_auth_from: Option<RegistryAuth>,
    /// How the registry is reached.
    #[serde(default)]
    pub transport: Transport,
    /// Where the verification policy is.
    pub verification_policy_from: ConfigMapKey,
    /// The policy's object and bytes, as they were when the operation was decided.
    pub verification_policy: PolicyBinding,
}

/// One decided operation: `status.activeOperation`.
///
/// - **Who writes it:** the manager, in one patch, before anything outside can see the operation; then the leader alone
///   adds what it learns, each time by a swap on the object's version.
/// - **Who reads it:** every pass, and the endpoint that gives permits.
/// - **When it is removed:** in the patch that writes what replaces it: nothing for a Read, a record for an Apply.
/// - **Size:** under 12 KiB; every text and list in it has a limit.
/// - **An old reader:** a manager that supports only a lower `controllerStateVersion` neither retries nor releases it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Claim {
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// Whether it reads or carries a plan out.
    #[serde(rename = "type")]
    pub operation: OperationType,
    /// What it reads for; only with the type Read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<ReadPurpose>,
    /// The operation's ID.
    pub id: OperationId,
    /// The digest over the inputs that it was decided from. They are looked at again before the dispatch and after.
    pub input_fingerprint: Sha256,
    /// The epoch of the components that carry it out.
    #[serde(rename = "executionBindingID")]
    pub execution_binding_id: Epoch,
    /// The manager that decided it.
    pub dispatched_by: ManagerRecord,
    /// When it was decided.
    pub started_at: Moment,
    /// How the database is reached, and for how long; of a Settle, as the run that it settles did.
    pub access: Access,
    /// The digest of the realm's name.
    pub coordination_digest: Sha256,
    /// Which database it must be, as far as it is known; absent only for a Refresh, which finds out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_identity: Option<TargetIdentity>,
    /// The last tenure of the database's Lease when a Refresh was decided: if it is another one afterwards, somebody held
    /// the database in between, and what was read is dropped. Absent where nobody had held it, and for all but a Refresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_database_epoch: Option<Epoch>,
    /// The artifact; only for a Refresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ArtifactAccess>,
    /// The plan that an Apply carries out, or that the run carried out which a Settle reads; absent for a Refresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanRef>,
    /// The approval that it spends; absent where the policy needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_ref: Option<ObjectRef>,
    /// The run that it settles; only for a Settle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settles: Option<OperationId>,
    /// What it holds: nothing for a Refresh.
    pub tenure: Tenure,
    /// The name that is reserved for its Job.
    pub job_name: LabelName,
    /// The digest of the Job as it was built, by which a later manager knows it again; absent until it is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_digest: Option<Sha256>,
    /// Whether a Job may exist from now on. Written before the one create.
    #[serde(default)]
    pub dispatch_started: bool,
    /// Until when a Pod may ask for its permit.
    pub dispatch_not_after: Moment,
    /// When the run is ended at the latest.
    pub execution_not_after: Moment,
    /// The Job's UID, once it was read back and is the one that was built.
    #[serde(rename = "jobUID", default, skip_serializing_if = "Option::is_none")]
    pub job_uid: Option<Uid>,
    /// The Pod that was permitted to start; absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<StartedBy>,
    /// The Pods that were seen.
    #[serde(default)]
    pub evidence: RunEvidence,
}

impl Claim {
    /// Whether it may have changed the database by now: it applies, and a Job may exist.
    pub fn may_have_dispatched_apply(&self) -> bool {
        self.operation == OperationType::Apply && (self.dispatch_started || self.job_uid.is_some())
    }

    /// Whether it is a Refresh, which holds nothing.
    fn is_refresh(&self) -> bool {
        self.purpose == Some(ReadPurpose::Refresh)
    }
}

impl Record for Claim {
    const NAME: &'static str = "claim";

    fn check(&self) -> Result<(), Contradiction> {
        let applies = self.operation == OperationType::Apply;
        let settles = self.purpose == Some(ReadPurpose::Settle);
        let refresh = self.is_refresh();
        rule::<Self>(applies == self.purpose.is_none(), "a Read has a purpose and an Apply has none")?;
        rule::<Self>(!applies || self.plan.is_some(), "an Apply has a plan")?;
        rule::<Self>(!refresh || self.plan.is_none(), "a Refresh has no plan")?;
        rule::<Self>(settles == self.settles.is_some(), "a Settle, and nothing else, names the run that it settles")?;
        rule::<Self>(refresh == self.source.is_some(), "a Refresh, and nothing else, has an artifact")?;
        rule::<Self>(applies || self.approval_ref.is_none(), "only an Apply spends an approval")?;
        rule::<Self>(refresh || self.target_identity.is_some(), "all but a Refresh know their database")?;
        rule::<Self>(self.dispatch_not_after <= self.execution_not_after, "a run starts before it ends")?;
        let (realm, database) = (&self.tenure.coordination_epoch, &self.tenure.database_epoch);
        rule::<Self>(!refresh || realm.is_none(), "a Refresh holds no Lease")?;
        rule::<Self>(database.is_none() || realm.is_some(), "the realm's Lease is taken before the database's")?;
        let held = refresh || !self.dispatch_started || database.is_some();
        rule::<Self>(held, "both Leases are held before the dispatch")?;
        rule::<Self>(!self.dispatch_started || self.job_digest.is_some(), "a Job is built before the dispatch")?;
        rule::<Self>(self.job_uid.is_none() || self.dispatch_started, "a Job has a UID after the dispatch")?;
        rule::<Self>(self.started_by.is_none() || self.dispatch_started, "a permit comes after the dispatch")
    }
}

//! What is owed after a run: a reading, under the lock, that says what is in the database.
//!
//! Both families keep the same record under the name that fits what it asks for. A schema's reading is a complete
//! answer: `status.pendingObservation`. A migration's settles only when nothing is left to run again:
//! `status.unresolvedRun`. They differ in the basis: what a reading is compared with.

use serde::{Deserialize, Serialize};

use super::binding::ManagerRecord;
use super::current_plan::{CurrentMigrationPlan, CurrentSchemaPlan};
use super::migration_plan::MigrationStep;
use super::parts::{Access, Family, HeldPlan, StateVersion, TargetIdentity};
use super::run::{Failures, Outcome, RunEvidence};
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::{MIGRATIONS, POLICY_ENTRIES};
use crate::operator::list::List;
use crate::operator::text::{Code, Epoch, LabelName, MigrationKey, OperationId, Sha256, ShortText, Uid};
use crate::operator::time::Moment;
use crate::operator::whole::Whole;

/// Which findings count as drift.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DriftSeverity {
    /// All of them.
    #[default]
    #[serde(rename = "all")]
    All,
    /// Only those that can lose something.
    #[serde(rename = "destructive")]
    Destructive,
}

/// What a schema's settling reading needs. Copied, so that it asks nothing of the spec, the registry or a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservationBasis {
    /// The plan that was carried out.
    pub plan: CurrentSchemaPlan,
    /// What is left out of the reading; may be empty.
    pub exclude: List<ShortText, POLICY_ENTRIES>,
    /// Which findings count as drift.
    pub drift_severity: DriftSeverity,
}

/// What a migration's settling reading needs. Copied, so that it asks nothing of the spec, the registry or a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SequenceBasis {
    /// The plan that was carried out, with the digests over the artifact's sequence and over the rows that were there.
    pub plan: CurrentMigrationPlan,
    /// Every migration that was planned, in order, with its checksum.
    pub planned: List<MigrationStep, MIGRATIONS>,
    /// The versions that the run reported as applied, in order; may be empty. A report settles nothing.
    pub reported_versions: List<MigrationKey, MIGRATIONS>,
}

/// What the last attempt at settling met: why it was not settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LastAnswer {
    /// As a stable code, for example `lock_busy`.
    pub code: Code,
    /// The database process that holds the lock, where the reading met it busy; as the Pod reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_holder: Option<ShortText>,
    /// How long that process has held it, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_age_seconds: Option<Whole<0, 9_007_199_254_740_991>>,
}

/// A run whose account is not settled.
///
/// - **Who writes it:** the manager, in the patch that retires the claim of an Apply; then the attempts at settling it.
/// - **Who reads it:** every pass, before suspension, census and generation; the reading that settles it.
/// - **When it is removed:** in the patch that writes the resolved run and the owed release. While it stands, or the hold
///   on the database's Lease that names it, nothing mutating is granted.
/// - **Size:** under 256 KiB for a migration with 256 steps of the longest texts; under 64 KiB for a schema.
/// - **An old reader:** a manager that supports only a lower `controllerStateVersion` changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[serde(bound(deserialize = "Basis: Deserialize<'de>"))]
pub struct UnsettledRun<Basis> {
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// The operation: what an acknowledgment names.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// By whose rule it settles: another family's run may have been taken over with its hold.
    pub family: Family,
    /// How it ended, as far as it is known.
    pub outcome: Outcome,
    /// How many units are in the database, for a partial outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_units: Option<Whole<0, 4_294_967_295>>,
    /// What the run itself reported, where that is not believed because an input had moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Outcome>,
    /// How many units it reported, for a partial outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_units: Option<Whole<0, 4_294_967_295>>,
    /// The plan that was carried out.
    pub plan_ref: HeldPlan,
    /// What a reading is compared with, every planned version of a migration in it; absent when the plan is gone, and where
    /// the run is of the other family. A schema's then settles by what is read, a migration's by an acknowledgment alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// How the reading reaches the database; absent when the run was taken over: then as this resource does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// The digest of the realm's name.
    pub coordination_digest: Sha256,
    /// The tenure of the realm's Lease that it ran under; absent when the run was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordination_epoch: Option<Epoch>,
    /// The tenure of the database's Lease that it ran under; absent when the run was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_epoch: Option<Epoch>,
    /// Which database it was. No record is written without it.
    pub target_identity: TargetIdentity,
    /// The name of its Job; absent when the run was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_name: Option<LabelName>,
    /// Its Job's UID; only if a Job provably existed.
    #[serde(rename = "jobUID", default, skip_serializing_if = "Option::is_none")]
    pub job_uid: Option<Uid>,
    /// The Pods that were seen.
    #[serde(default)]
    pub evidence: RunEvidence,
    /// The digest over the components that it was dispatched with; absent when the run was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components_digest: Option<Sha256>,
    /// The manager that dispatched it. For an audit only; absent when the run was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatched_by: Option<ManagerRecord>,
    /// When it was ended at the latest.
    pub execution_not_after: Moment,
    /// Nothing is settled before: until then something of it may still write.
    pub settle_not_before: Moment,
    /// When this was written.
    pub recorded_at: Moment,
    /// The attempts that did not settle it; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Failures>,
    /// What the last of them met; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_answer: Option<LastAnswer>,
    /// Whether it was taken over from another claimant, or from a status that was lost.
    #[serde(default)]
    pub inherited: bool,
}

/// `status.pendingObservation` of a schema; see [`UnsettledRun`].
pub type PendingObservation = UnsettledRun<ObservationBasis>;
/// `status.unresolvedRun` of a migration; see [`UnsettledRun`].
pub type UnresolvedRun = UnsettledRun<SequenceBasis>;

impl<Basis> UnsettledRun<Basis> {
    /// The rules that do not depend on what the basis is.
    fn check_run<R: Record>(&self, own: Family) -> Result<(), Contradiction> {
        rule::<R>(self.basis.is_none() || self.family == own, "the other family's run has no basis here")?;
        let believed = self.reported.is_none() || self.outcome == Outcome::Unknown;
        rule::<R>(believed, "what is only reported stands beside an unknown outcome")?;
        let partial = (self.outcome == Outcome::Partial) == self.applied_units.is_some();
        rule::<R>(partial, "a partial outcome, and no other, counts its units")?;
        let partial = (self.reported == Some(Outcome::Partial)) == self.reported_units.is_some();
        rule::<R>(partial, "a partial report, and no other, counts its units")?;
        let pods = self.evidence.pods.as_slice();
        rule::<R>(pods.len() < 2 || self.outcome == Outcome::Unknown, "more than one Pod makes the outcome unknown")?;
        let tenures = self.coordination_epoch.is_some() && self.database_epoch.is_some();
        let kept = self.inherited || (self.access.is_some() && self.job_name.is_some() && tenures);
        rule::<R>(kept, "only of a run that was taken over something is not known")
    }
}

impl Record for PendingObservation {
    const NAME: &'static str = "pending observation";

    fn check(&self) -> Result<(), Contradiction> {
        self.check_run::<Self>(Family::Schema)
    }
}

impl Record for UnresolvedRun {
    const NAME: &'static str = "unresolved run";

    fn check(&self) -> Result<(), Contradiction> {
        self.check_run::<Self>(Family::Migration)?;
        let listed = self.basis.as_ref().is_none_or(|basis| {
            u64::try_from(basis.planned.as_slice().len()).ok() == Some(basis.plan.step_count.get())
        });
        rule::<Self>(listed, "every planned migration is listed")
    }
}

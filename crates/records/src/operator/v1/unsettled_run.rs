//! What is owed after a run: a reading, under the lock, that says what is in the database.
//!
//! Both families keep the same record under the name that fits what it asks for. A schema's reading is a complete
//! answer: `status.pendingObservation`. A migration's settles only when nothing is left to run again:
//! `status.unresolvedRun`. They differ in the basis: what a reading is compared with.

use serde::{Deserialize, Serialize};

use super::binding::ManagerRecord;
use super::current_plan::{CurrentMigrationPlan, CurrentSchemaPlan};
use super::migration_plan::MigrationStep;
use super::parts::{StateVersion, TargetAccess, TargetIdentity, Tenure};
use super::run::{Outcome, RunEvidence, StartedBy};
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::{MIGRATIONS, POLICY_ENTRIES};
use crate::operator::list::List;
use crate::operator::text::{Code, LabelName, MigrationKey, OperationId, Sha256, ShortText, Uid};
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

/// The attempts at settling a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettleAttempts {
    /// How many readings ended without settling it.
    pub count: Whole<0, 1_000_000_000>,
    /// When the first of them ended: since when it is stuck.
    pub since: Moment,
    /// When the last of them ended.
    pub last_at: Moment,
    /// What it met, as a stable code, for example `lock_busy`.
    pub last_answer: Code,
    /// The database process that holds the lock, where the last reading met it busy.
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
/// - **Size:** under 256 KiB for a migration with 256 steps of the longest texts; under 40 KiB for a schema.
/// - **An old reader:** a manager that supports only a lower `controllerStateVersion` changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnsettledRun<Basis> {
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// The operation: what an acknowledgment names.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// How it ended, as far as it is known.
    pub outcome: Outcome,
    /// What the run itself reported, where that is not believed because an input had moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Outcome>,
    /// Whether two deliveries contradicted each other; then the outcome is unknown.
    #[serde(default)]
    pub conflict: bool,
    /// What it is compared with.
    pub basis: Basis,
    /// How the database is reached.
    pub target: TargetAccess,
    /// The digest of the realm's name.
    pub coordination_digest: Sha256,
    /// Which database it was. No record is written without it.
    pub target_identity: TargetIdentity,
    /// How long connecting may take, in milliseconds.
    pub connect_timeout_milliseconds: Whole<1, 3_600_000>,
    /// How long waiting for the database's lock may take, in milliseconds.
    pub lock_timeout_milliseconds: Whole<1, 3_600_000>,
    /// What it held.
    pub tenure: Tenure,
    /// The name of its Job.
    pub job_name: LabelName,
    /// Its Job's UID; only if a Job provably existed.
    #[serde(rename = "jobUID", default, skip_serializing_if = "Option::is_none")]
    pub job_uid: Option<Uid>,
    /// The Pod that was permitted to start; absent when none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<StartedBy>,
    /// The Pods that were seen.
    pub evidence: RunEvidence,
    /// The manager that dispatched it. For an audit only.
    pub dispatched_by: ManagerRecord,
    /// When it was ended at the latest. Before that, and before its Pods stopped, nothing is settled.
    pub execution_not_after: Moment,
    /// When this was written.
    pub recorded_at: Moment,
    /// The attempts at settling it; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<SettleAttempts>,
}

/// `status.pendingObservation` of a schema; see [`UnsettledRun`].
pub type PendingObservation = UnsettledRun<ObservationBasis>;
/// `status.unresolvedRun` of a migration; see [`UnsettledRun`].
pub type UnresolvedRun = UnsettledRun<SequenceBasis>;

impl<Basis> UnsettledRun<Basis> {
    /// The rules that do not depend on the basis.
    fn check_run<R: Record>(&self) -> Result<(), Contradiction> {
        let believed = self.reported.is_none() || self.outcome == Outcome::Unknown;
        rule::<R>(believed, "what is only reported stands beside an unknown outcome")?;
        rule::<R>(!self.conflict || self.outcome == Outcome::Unknown, "a conflict makes the outcome unknown")?;
        let many = self.evidence.pod_count.get() > 1;
        rule::<R>(!many || self.outcome == Outcome::Unknown, "more than one Pod makes the outcome unknown")?;
        rule::<R>(self.tenure.database_epoch.is_some(), "a run held the database's Lease")
    }
}

impl Record for PendingObservation {
    const NAME: &'static str = "pending observation";

    fn check(&self) -> Result<(), Contradiction> {
        self.check_run::<Self>()
    }
}

impl Record for UnresolvedRun {
    const NAME: &'static str = "unresolved run";

    fn check(&self) -> Result<(), Contradiction> {
        self.check_run::<Self>()?;
        let count = u64::try_from(self.basis.planned.as_slice().len()).ok();
        rule::<Self>(count == Some(self.basis.plan.step_count.get()), "every planned migration is listed")
    }
}

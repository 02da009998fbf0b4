//! What was last carried out: `status.applied` of a schema, `status.lastRun` of both.

use serde::{Deserialize, Serialize};

use super::binding::{ManagerRecord, PlanBinding};
use super::parts::{PlanRef, StateVersion};
use super::run::Outcome;
use crate::operator::limits::MIGRATIONS;
use crate::operator::list::List;
use crate::operator::text::{Code, LabelName, MigrationKey, OperationId, Sentence, Uid};
use crate::operator::time::Moment;

/// The last Apply of a schema that a reading confirmed.
///
/// - **Who writes it:** the manager, when a reading under the lock shows what the plan led to, and only after a run that
///   reported that it applied: a reading alone credits no run.
/// - **Who reads it:** people; the retention, which keeps the plan that it names; the fence.
/// - **When it is removed:** never; the next one replaces it.
/// - **Size:** under 4 KiB.
/// - **An old reader:** a manager that supports only a lower `controllerStateVersion` changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Applied {
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The plan that was carried out.
    pub plan_ref: PlanRef,
    /// What it was bound to.
    pub binding: PlanBinding,
    /// The manager that dispatched it. For an audit only.
    pub dispatched_by: ManagerRecord,
    /// When the reading confirmed it.
    pub completed_at: Moment,
}

/// The last run of either family, however it ended. For people: nothing is decided on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LastRun {
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// How it ended, as far as it is known.
    pub outcome: Outcome,
    /// The plan that was carried out.
    pub plan_ref: PlanRef,
    /// The name of its Job.
    pub job_name: LabelName,
    /// Its Job's UID; only if a Job provably existed.
    #[serde(rename = "jobUID", default, skip_serializing_if = "Option::is_none")]
    pub job_uid: Option<Uid>,
    /// When it was decided.
    pub started_at: Moment,
    /// When its end was recorded.
    pub finished_at: Moment,
    /// The versions that it reported as applied, in order; empty for a schema.
    pub applied_versions: List<MigrationKey, MIGRATIONS>,
    /// The manager that dispatched it. For an audit only.
    pub dispatched_by: ManagerRecord,
    /// Why it ended so, as a stable code; absent where it simply succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// The same as a sentence of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Sentence>,
}

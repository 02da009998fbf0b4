//! The plan that a resource stands on: `status.plan`, in both families.

use serde::{Deserialize, Serialize};

use super::binding::{ManagerRecord, PlanBinding};
use super::parts::StateVersion;
use super::schema_plan::PrivilegeChange;
use crate::operator::limits::MIGRATIONS;
use crate::operator::list::List;
use crate::operator::text::{ObjectName, Sha256, Uid, UserName};
use crate::operator::time::Moment;
use crate::operator::whole::Whole;

/// The approval that was accepted for a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordedApproval {
    /// Its name.
    pub name: ObjectName,
    /// Its UID.
    pub uid: Uid,
    /// Who approved, as the API server knew them.
    pub approver: UserName,
    /// When the approval was created.
    pub approved_at: Moment,
}

/// `status.plan` of a schema.
///
/// - **Who writes it:** the manager, when a plan is stored, and when an approval is accepted.
/// - **Who reads it:** the decision to apply; people.
/// - **When it is removed:** when the plan stops being current, or was carried out and settled.
/// - **Size:** under 6 KiB.
/// - **An old reader:** a manager that supports only a lower `controllerStateVersion` changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CurrentSchemaPlan {
    /// The plan's name.
    pub name: ObjectName,
    /// The plan's UID.
    pub uid: Uid,
    /// The fingerprint over all that it is bound to.
    pub fingerprint: Sha256,
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// What it is bound to.
    pub binding: PlanBinding,
    /// The digest of the plan file.
    pub content_digest: Sha256,
    /// The digest of the desired document.
    pub desired_digest: Sha256,
    /// The fingerprint of the state that it was computed from.
    pub actual_state_fingerprint: Sha256,
    /// The fingerprint of the state that it leads to.
    pub desired_state_fingerprint: Sha256,
    /// Whether it can lose something.
    pub destructive: bool,
    /// What it changes about rights, sorted, each once; may be empty.
    pub privilege_changes: List<PrivilegeChange, 16>,
    /// How many statements it has.
    pub statement_count: Whole<1, 1_000_000>,
    /// When it was stored.
    pub created_at: Moment,
    /// The manager that stored it. For an audit only.
    pub recorded_by: ManagerRecord,
    /// The approval that was accepted; absent until then, and where the policy needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<RecordedApproval>,
}

/// `status.plan` of a migration. Who writes and reads it, and when it goes, is as for a schema's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CurrentMigrationPlan {
    /// The plan's name.
    pub name: ObjectName,
    /// The plan's UID.
    pub uid: Uid,
    /// The fingerprint over all that it is bound to.
    pub fingerprint: Sha256,
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// What it is bound to.
    pub binding: PlanBinding,
    /// The fingerprint of the history that the sequence was chosen against.
    pub history_fingerprint: Sha256,
    /// The digest over the artifact's whole sequence.
    pub sequence_digest: Sha256,
    /// The digest over the rows of the history that were there before.
    pub applied_rows_digest: Sha256,
    /// How many migrations it runs.
    pub step_count: Whole<1, { MIGRATIONS as u64 }>,
    /// When it was stored.
    pub created_at: Moment,
    /// The manager that stored it. For an audit only.
    pub recorded_by: ManagerRecord,
    /// The approval that was accepted; absent until then, and where the policy needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<RecordedApproval>,
}

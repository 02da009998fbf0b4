//! `PtahMigrationPlan`: one ordered sequence that is to be run. It holds no SQL.

use kube::CustomResource;
use ptah_records::operator::latest::MigrationPlan;
use ptah_records::operator::list::List;
use ptah_records::operator::whole::Whole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::status::Condition;

/// The plan. It cannot be changed.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahMigrationPlan",
    namespaced,
    status = "PtahMigrationPlanStatus",
    derive = "PartialEq",
    shortname = "ptahmplan",
    category = "ptah",
    doc = "One plan of a migration: what an approval names. Only the manager writes it.",
    selectable = ".spec.migrationRef.name",
    printcolumn(name = "Migration", type_ = "string", json_path = ".spec.migrationRef.name"),
    printcolumn(name = "From", type_ = "string", json_path = ".spec.currentVersion"),
    printcolumn(name = "Steps", type_ = "integer", json_path = ".spec.stepCount"),
    printcolumn(name = "Fingerprint", type_ = "string", json_path = ".spec.fingerprint", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [{ "rule": "self == oldSelf", "message": "a plan cannot be changed" }]))]
#[serde(transparent)]
pub struct PtahMigrationPlanSpec(pub MigrationPlan);

/// Whether the plan is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtahMigrationPlanStatus {
    /// The generation of the plan that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<Whole<0, 9_007_199_254_740_991>>,
    /// What holds, one entry for each type. `Stored` is the record that the plan is whole: approving and applying need
    /// it.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: List<Condition, 18>,
}

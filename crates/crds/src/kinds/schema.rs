//! `PtahSchema`: a database that converges to a declared schema.

use kube::CustomResource;
use ptah_records::operator::latest::{Applied, CurrentSchemaPlan, PendingObservation, SecretKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::spec::{ArtifactSource, Between, Execution, SchemaPolicy, Target};
use crate::status::{CommonStatus, DriftStatus};

/// A database of the same engine in which the desired state is created in order to be read back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevDatabase {
    /// The Secret's key with its address. It reaches only the reading that plans, never a run.
    pub url_from: SecretKey,
}

/// What a schema is declared to be, where, and what is permitted on the way.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahSchema",
    namespaced,
    status = "PtahSchemaStatus",
    derive = "PartialEq",
    shortname = "ptahs",
    category = "ptah",
    doc = "A database that converges to a declared schema.",
    selectable = ".spec.target.coordinationKey",
    selectable = ".spec.target.realmRef.name",
    selectable = ".status.target.coordinationDigest",
    selectable = ".status.target.identity.databaseIdentity",
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Digest", type_ = "string", json_path = ".status.source.digest", priority = 1),
    printcolumn(
        name = "Drift",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"DriftDetected\")].status"
    ),
    printcolumn(
        name = "Approval",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"ApprovalRequired\")].status"
    ),
    printcolumn(name = "In Sync", type_ = "string", json_path = ".status.conditions[?(@.type==\"InSync\")].status"),
    printcolumn(name = "Ready", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].status"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].reason"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [
    {
        "rule": "!has(self.execution) || !has(self.execution.connectTimeout) || !has(self.execution.activeDeadlineSeconds) \
            || duration(self.execution.connectTimeout).getSeconds() <= self.execution.activeDeadlineSeconds",
        "message": "execution.connectTimeout may not exceed execution.activeDeadlineSeconds",
    },
    {
        "rule": "!has(self.policy) || !has(self.policy.lockTimeout) || !has(self.execution) \
            || !has(self.execution.activeDeadlineSeconds) \
            || duration(self.policy.lockTimeout).getSeconds() <= self.execution.activeDeadlineSeconds",
        "message": "policy.lockTimeout may not exceed execution.activeDeadlineSeconds",
    },
]))]
#[serde(rename_all = "camelCase")]
pub struct PtahSchemaSpec {
    /// The database that is claimed.
    pub target: Target,
    /// The artifact that declares the desired state.
    pub desired: ArtifactSource,
    /// A database in which the desired state is created in order to be read back; a scratch database on the target's
    /// server when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dev: Option<DevDatabase>,
    /// What is permitted.
    #[serde(default)]
    pub policy: SchemaPolicy,
    /// How often artifact and database are looked at, from 10s to 24h.
    #[serde(default = "ten_minutes")]
    pub interval: Between<10, 86_400>,
    /// Where and how long operation Pods run.
    #[serde(default)]
    pub execution: Execution,
    /// Whether nothing new is begun. What runs goes on, and what is owed is settled.
    #[serde(default)]
    pub suspend: bool,
}

pub(super) fn ten_minutes() -> Between<10, 86_400> {
    Between::seconds(600)
}

/// What the manager says about a schema.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtahSchemaStatus {
    /// What both families say.
    #[serde(flatten)]
    pub common: CommonStatus,
    /// How the database differs from what is wanted; absent before the first reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftStatus>,
    /// The plan that the resource stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<CurrentSchemaPlan>,
    /// The last Apply that a reading confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<Applied>,
    /// The reading that is owed after an Apply. While it stands, nothing else is begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_observation: Option<PendingObservation>,
}

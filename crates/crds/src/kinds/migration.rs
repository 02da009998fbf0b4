//! `PtahMigration`: a database that runs an ordered sequence of migrations.

use kube::CustomResource;
use ptah_records::operator::latest::{CurrentMigrationPlan, UnresolvedRun};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::ten_minutes;
use crate::spec::{ArtifactSource, Between, Execution, MigrationPolicy, Target};
use crate::status::{CommonStatus, HistoryStatus};

/// Which sequence is run, where, and what is permitted.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahMigration",
    namespaced,
    status = "PtahMigrationStatus",
    derive = "PartialEq",
    shortname = "ptahm",
    category = "ptah",
    doc = "A database that runs an ordered sequence of migrations.",
    selectable = ".spec.target.coordinationKey",
    selectable = ".spec.target.realmRef.name",
    selectable = ".status.target.coordinationDigest",
    selectable = ".status.target.identity.databaseIdentity",
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Current", type_ = "string", json_path = ".status.history.currentVersion"),
    printcolumn(name = "Pending", type_ = "integer", json_path = ".status.history.pendingCount"),
    printcolumn(name = "Outcome", type_ = "string", json_path = ".status.lastRun.outcome"),
    printcolumn(name = "Digest", type_ = "string", json_path = ".status.source.digest", priority = 1),
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
        "message": "policy.lockTimeout, 5m when absent, may not exceed execution.activeDeadlineSeconds",
    },
]))]
#[serde(rename_all = "camelCase")]
pub struct PtahMigrationSpec {
    /// The database that is claimed.
    pub target: Target,
    /// The artifact with the sequence.
    pub artifact: ArtifactSource,
    /// What is permitted.
    #[serde(default)]
    pub policy: MigrationPolicy,
    /// How often artifact and history are looked at, from 10s to 24h.
    #[serde(default = "ten_minutes")]
    pub interval: Between<10, 86_400>,
    /// Where and how long operation Pods run.
    #[serde(default)]
    pub execution: Execution,
    /// Whether nothing new is begun. What runs goes on, and what is owed is settled.
    #[serde(default)]
    pub suspend: bool,
}

/// What the manager says about a migration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtahMigrationStatus {
    /// What both families say.
    #[serde(flatten)]
    pub common: CommonStatus,
    /// The history as the last reading saw it; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryStatus>,
    /// The plan that the resource stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<CurrentMigrationPlan>,
    /// The run whose account is not settled. While it stands, nothing else is begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unresolved_run: Option<UnresolvedRun>,
}

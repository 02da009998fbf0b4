//! `PtahMigrationRunAcknowledgment`: a person says what became of a run that no reading can settle.
//!
//! It names the operation, and any admitted claimant of the same database, not only the resource whose run it was: that
//! one may be gone.

use kube::CustomResource;
use ptah_records::operator::latest::{ClaimantKind, Finding};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{ObjectName, OperationId, Sentence, Uid};
use ptah_records::operator::whole::Whole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::Identity;
use crate::status::Condition;

/// A resource that claims the database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcknowledgedClaimant {
    /// Its kind.
    pub kind: ClaimantKind,
    /// Its name.
    pub name: ObjectName,
    /// Its UID.
    pub uid: Uid,
}

/// What a person found. It cannot be changed. When it was said is the time at which it was created.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahMigrationRunAcknowledgment",
    namespaced,
    status = "AcknowledgmentStatus",
    derive = "PartialEq",
    shortname = "ptahmack",
    category = "ptah",
    doc = "A person says what became of a run that no reading can settle.",
    selectable = ".spec.claimantRef.name",
    selectable = ".spec.operationID",
    printcolumn(name = "Claimant", type_ = "string", json_path = ".spec.claimantRef.name"),
    printcolumn(name = "Finding", type_ = "string", json_path = ".spec.finding"),
    printcolumn(name = "Acknowledged By", type_ = "string", json_path = ".spec.acknowledgedBy.username"),
    printcolumn(name = "Consumed", type_ = "string", json_path = ".status.conditions[?(@.type==\"Consumed\")].status"),
    printcolumn(name = "Stale", type_ = "string", json_path = ".status.conditions[?(@.type==\"Stale\")].status"),
    printcolumn(name = "Operation", type_ = "string", json_path = ".spec.operationID", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [
    { "rule": "self == oldSelf", "message": "an acknowledgment cannot be changed" },
]))]
#[serde(rename_all = "camelCase")]
pub struct PtahMigrationRunAcknowledgmentSpec {
    /// An admitted claimant of the database; its own run or another's.
    pub claimant_ref: AcknowledgedClaimant,
    /// The operation, as the record and the condition of the claimant name it.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// What was found in the database.
    pub finding: Finding,
    /// Why, in the person's words: what was looked at, what was put right.
    pub reason: Sentence,
    /// Who acknowledged. It is set at admission, whatever the client wrote; an acknowledgment without it does not count.
    /// Where two people are asked for, it has to be another person than the one who approved the run or wrote its change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_by: Option<Identity>,
}

/// What the manager says about an acknowledgment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcknowledgmentStatus {
    /// The generation of the acknowledgment that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<Whole<0, 9_007_199_254_740_991>>,
    /// What holds, one entry for each type: `Accepted`, `Consumed`, `Stale`.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: List<Condition, 18>,
}

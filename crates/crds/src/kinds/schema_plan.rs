//! `PtahSchemaPlan`: one plan of a schema, with references to the pieces of its bytes.

use kube::CustomResource;
use ptah_records::operator::latest::SchemaPlan;
use ptah_records::operator::list::List;
use ptah_records::operator::text::{ObjectName, Uid};
use ptah_records::operator::whole::Whole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::status::Condition;

/// The plan. It cannot be changed.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahSchemaPlan",
    namespaced,
    status = "PtahSchemaPlanStatus",
    derive = "PartialEq",
    shortname = "ptahplan",
    category = "ptah",
    doc = "One plan of a schema: what an approval names. Only the manager writes it.",
    selectable = ".spec.schemaRef.name",
    printcolumn(name = "Schema", type_ = "string", json_path = ".spec.schemaRef.name"),
    printcolumn(name = "Fingerprint", type_ = "string", json_path = ".spec.fingerprint"),
    printcolumn(name = "Statements", type_ = "integer", json_path = ".spec.statementCount"),
    printcolumn(name = "Destructive", type_ = "boolean", json_path = ".spec.destructive"),
    printcolumn(name = "Privileges", type_ = "string", json_path = ".spec.privilegeChanges"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [{ "rule": "self == oldSelf", "message": "a plan cannot be changed" }]))]
#[serde(transparent)]
pub struct PtahSchemaPlanSpec(pub SchemaPlan);

/// A piece that is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishedChunk {
    /// The name of the object that holds it.
    pub name: ObjectName,
    /// The UID of the object that holds it.
    pub uid: Uid,
    /// Its place among the pieces of the plan, then among those of the desired document, from 0.
    pub index: Whole<0, 31>,
}

/// Whether the plan is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtahSchemaPlanStatus {
    /// The generation of the plan that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<Whole<0, 9_007_199_254_740_991>>,
    /// The pieces that are stored, in order; may be empty.
    #[serde(default)]
    pub published_chunks: List<PublishedChunk, 32>,
    /// What holds, one entry for each type. `Stored` is the record that the plan is whole: approving and applying need
    /// it.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: List<Condition, 18>,
}

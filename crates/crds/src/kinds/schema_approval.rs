//! `PtahSchemaApproval`: a person's consent to one exact plan of a schema, spent once.

use kube::CustomResource;
use ptah_records::operator::text::Sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::{ApprovalStatus, Identity, NamedObject};

/// The consent. It cannot be changed. When it was given is the time at which it was created.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahSchemaApproval",
    namespaced,
    status = "ApprovalStatus",
    derive = "PartialEq",
    shortname = "ptahapprove",
    category = "ptah",
    doc = "A person's consent to one exact plan of a schema, spent once.",
    selectable = ".spec.schemaRef.name",
    selectable = ".spec.planRef.name",
    printcolumn(name = "Schema", type_ = "string", json_path = ".spec.schemaRef.name"),
    printcolumn(name = "Plan", type_ = "string", json_path = ".spec.planRef.name"),
    printcolumn(name = "Approver", type_ = "string", json_path = ".spec.approver.username"),
    printcolumn(name = "Accepted", type_ = "string", json_path = ".status.conditions[?(@.type==\"Accepted\")].status"),
    printcolumn(name = "Consumed", type_ = "string", json_path = ".status.conditions[?(@.type==\"Consumed\")].status"),
    printcolumn(name = "Stale", type_ = "string", json_path = ".status.conditions[?(@.type==\"Stale\")].status"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [
    { "rule": "self == oldSelf", "message": "an approval cannot be changed" },
]))]
#[serde(rename_all = "camelCase")]
pub struct PtahSchemaApprovalSpec {
    /// The schema whose plan is approved.
    pub schema_ref: NamedObject,
    /// The plan that is approved. Published again under the same name, it is another plan.
    pub plan_ref: NamedObject,
    /// The fingerprint over all that the plan is bound to.
    pub plan_fingerprint: Sha256,
    /// Who approved. It is set at admission, whatever the client wrote; an approval without it does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver: Option<Identity>,
}

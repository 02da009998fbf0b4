//! What both kinds of approval have in common, and who may have given one.

use ptah_records::operator::list::List;
use ptah_records::operator::text::{ObjectName, OperationId, ShortText, Uid, UserName};
use ptah_records::operator::whole::Whole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::status::Condition;

/// One object of the same namespace. Deleted and created again under the same name, it is another object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedObject {
    /// Its name.
    pub name: ObjectName,
    /// Its UID.
    pub uid: Uid,
}

/// A person as the API server knew them when they wrote. Whatever a client writes here is overwritten at admission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The user's name.
    pub username: UserName,
    /// The user's UID, where the API server has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<ShortText>,
    /// The user's groups, the first 64; may be empty.
    #[serde(default)]
    pub groups: List<UserName, 64>,
}

/// The operation that spent an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Consumption {
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The plan that it carries out.
    #[serde(rename = "planUID")]
    pub plan_uid: Uid,
}

/// What the manager says about an approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalStatus {
    /// The generation of the approval that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<Whole<0, 9_007_199_254_740_991>>,
    /// The operation that spent it; absent until then. Nothing else can spend it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed_by: Option<Consumption>,
    /// What holds, one entry for each type: `Accepted`, `Consumed`, `Stale`.
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: List<Condition, 18>,
}

//! `PtahRealm`: which namespaces may write one physical database. It has no status: that would tell tenants of each other.

use kube::CustomResource;
use ptah_records::operator::list::List;
use ptah_records::operator::text::{EngineText, LabelName};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// How many resources may write the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Sharing {
    /// One. A second refuses all.
    Exclusive,
    /// Several, if each of them says that it shares.
    Shared,
}

/// The grant.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahRealm",
    derive = "PartialEq",
    shortname = "ptahr",
    category = "ptah",
    doc = "Which namespaces may write one physical database. An administrator writes it, the manager only reads it.",
    printcolumn(name = "Engine", type_ = "string", json_path = ".spec.engine"),
    printcolumn(name = "Sharing", type_ = "string", json_path = ".spec.sharing"),
    printcolumn(name = "Namespaces", type_ = "string", json_path = ".spec.namespaces"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
pub struct PtahRealmSpec {
    /// The engine. It cannot be changed, because it is a part of the database's name.
    #[schemars(extend("x-kubernetes-validations" = [
        { "rule": "self == oldSelf", "message": "the engine of a realm cannot be changed" },
    ]))]
    pub engine: EngineText,
    /// The namespaces whose resources may claim the database, by name, at least one. There is no selector on purpose:
    /// whoever may label a namespace could grant it a database.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(extend("x-kubernetes-list-type" = "set", "minItems" = 1))]
    pub namespaces: List<LabelName, 256>,
    /// How many resources may write the database.
    pub sharing: Sharing,
}

/// Reads a list that may not be empty.
fn at_least_one<'de, D: Deserializer<'de>>(from: D) -> Result<List<LabelName, 256>, D::Error> {
    let list: List<LabelName, 256> = List::deserialize(from)?;
    if list.is_empty() { Err(serde::de::Error::custom("a realm admits at least one namespace")) } else { Ok(list) }
}

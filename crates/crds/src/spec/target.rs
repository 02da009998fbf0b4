//! Which database a resource claims, and how it is reached.

use ptah_records::operator::latest::SecretKey;
use ptah_records::operator::text::{EngineText, ObjectName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::CoordinationKey;

/// The name of a `PtahRealm`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RealmName {
    /// The realm's name.
    pub name: ObjectName,
}

/// The database that a resource claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "has(self.coordinationKey) != has(self.realmRef)",
    "message": "exactly one of coordinationKey and realmRef names the database",
}]))]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// The engine, for example PostgreSQL. One that is not supported is stored, and the status says so.
    pub engine: EngineText,
    /// A stable name of the physical database that is not secret, valid within the namespace: every resource that can
    /// write this database names the same. It is hashed, and never copied into a status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordination_key: Option<CoordinationKey>,
    /// The realm that the database belongs to, where several namespaces may write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub realm_ref: Option<RealmName>,
    /// Whether this resource accepts other writers of the same database. More than one is refused unless all do, and
    /// the realm says Shared.
    #[serde(default)]
    pub shared_realm: bool,
    /// The Secret's key with the address of the database. Only the operation Pod reads it.
    pub url_from: SecretKey,
}

//! Parts that several records have in common: references, the target and its identity, tenures.

use serde::{Deserialize, Serialize};

use crate::operator::limits::{LEASE_LEAST, LEASE_MOST, WINDOW_MOST};
use crate::operator::text::{DataKey, EngineText, Epoch, ObjectName, Sha256, Uid};
use crate::operator::whole::Whole;

/// The version of the contract under which a record was written; see
/// [`CONTROLLER_STATE_VERSION`](crate::operator::CONTROLLER_STATE_VERSION).
pub type StateVersion = Whole<1, 2_147_483_647>;

/// Which of the two families a resource belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Family {
    /// A declared schema, to which the database converges.
    Schema,
    /// An ordered sequence of migrations.
    Migration,
}

/// One object of the same namespace. Deleted and created again under the same name, it is another object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObjectRef {
    /// Its name.
    pub name: ObjectName,
    /// Its UID, which decides whether it is still the same object.
    pub uid: Uid,
}

/// One plan, by object and by content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanRef {
    /// Its name.
    pub name: ObjectName,
    /// Its UID.
    pub uid: Uid,
    /// The fingerprint over all that it is bound to.
    pub fingerprint: Sha256,
}

/// One plan as a hold names it: by object and content, without its name, which may be gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HeldPlan {
    /// Its UID.
    pub uid: Uid,
    /// The fingerprint over all that it is bound to.
    pub fingerprint: Sha256,
}

/// The kind of a resource that claims a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ClaimantKind {
    /// A resource of the schema family.
    PtahSchema,
    /// A resource of the migration family.
    PtahMigration,
}

/// A resource that claims a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimantRef {
    /// Its kind.
    pub kind: ClaimantKind,
    /// Its name.
    pub name: ObjectName,
    /// Its UID.
    pub uid: Uid,
}

/// A key of a Secret in the same namespace. The manager never reads it: the kubelet gives it to the operation Pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretKey {
    /// The Secret's name.
    pub name: ObjectName,
    /// The key in it. It must exist: an optional key is not offered.
    pub key: DataKey,
}

/// A key of a ConfigMap in the same namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigMapKey {
    /// The ConfigMap's name.
    pub name: ObjectName,
    /// The key in it. It must exist: an optional key is not offered.
    pub key: DataKey,
}

/// How an operation Pod gets its registry credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RegistryAuthMode {
    /// From keys of the Secret, as variables of the fetching container.
    #[default]
    Environment,
    /// From a Docker configuration file in the Secret.
    DockerConfigJSON,
}

/// Credentials of a registry. Only the fetching container sees them, and that container has no database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("x-kubernetes-validations" = [{
    "rule": "!has(self.mode) || self.mode != 'DockerConfigJSON' || has(self.dockerConfigJSONKey)",
    "message": "the mode DockerConfigJSON needs dockerConfigJSONKey",
}])))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegistryAuth {
    /// The Secret's name.
    pub name: ObjectName,
    /// How the credentials are handed over; `Environment` when absent.
    #[serde(default)]
    pub mode: RegistryAuthMode,
    /// The key of the user's name; `username` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username_key: Option<DataKey>,
    /// The key of the password; `password` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_key: Option<DataKey>,
    /// The key of a token, used instead of name and password where it is there; `token` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_key: Option<DataKey>,
    /// The key of the Docker configuration file, in the mode `DockerConfigJSON`.
    #[serde(rename = "dockerConfigJSONKey", default, skip_serializing_if = "Option::is_none")]
    pub docker_config_json_key: Option<DataKey>,
}

/// How a registry is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("x-kubernetes-validations" = [{
    "rule": "!(has(self.plainHTTP) && self.plainHTTP && has(self.caFrom))",
    "message": "plainHTTP and caFrom exclude each other",
}])))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Transport {
    /// Whether the registry is spoken to without TLS; false when absent.
    #[serde(rename = "plainHTTP", default)]
    pub plain_http: bool,
    /// Where the certificates are that the registry's is checked against, at most 1 MiB; the system's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_from: Option<ConfigMapKey>,
}

/// How a database is reached, without anything secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetAccess {
    /// The engine, as the resource names it.
    pub engine: EngineText,
    /// Where the operation Pod gets the address from.
    pub url_from: SecretKey,
}

/// How an operation reaches its database and what it looks at there, as it was when the operation was decided: an edit of
/// the spec sends nobody elsewhere, and a settling reading asks nothing of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Access {
    /// The engine and where the address is.
    pub target: TargetAccess,
    /// How long connecting may take, in milliseconds.
    pub connect_timeout_milliseconds: Whole<1, 3_600_000>,
    /// How long waiting for the database's lock may take, in milliseconds.
    pub lock_timeout_milliseconds: Whole<1, 3_600_000>,
    /// How long the whole may take, in seconds.
    pub window_seconds: Whole<1, WINDOW_MOST>,
    /// The digest over what is compared and protected.
    pub scope_digest: Sha256,
    /// The digest over all timeouts and the transaction mode.
    pub execution_digest: Sha256,
}

/// Who said what a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum IdentitySource {
    /// The run itself: the server said it to the Pod that did the work.
    Reported,
    /// The plan: the run never said, and the plan named the database that it was made for.
    Planned,
}

/// Which database: the route that a Pod resolved, and what the server says it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetIdentity {
    /// The digest over the address without its credentials.
    pub route_digest: Sha256,
    /// The digest over what the server says it is. It names the database's own Lease.
    pub database_identity: Sha256,
    /// Whether the run reported it or only the plan named it.
    pub source: IdentitySource,
    /// The digest of the realm's name, where it is part of the name of the database's own Lease: the database says that it
    /// is another one, and is proven to be a copy. Absent otherwise, and in everything that a Pod reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<Sha256>,
}

/// What an operation holds: both Leases, each under the token of one unbroken tenure.
///
/// The realm's Lease is taken first, so the database's stands only beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tenure {
    /// The tenure of the realm's Lease; absent until it is taken, and always for a Refresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordination_epoch: Option<Epoch>,
    /// The tenure of the database's own Lease; absent until it is taken, and always for a Refresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_epoch: Option<Epoch>,
    /// How long both are taken for, in seconds. Kept here, because the spec may be edited while they are held.
    pub lease_duration_seconds: Whole<LEASE_LEAST, LEASE_MOST>,
    /// Whether a tenure was interrupted after the dispatch: somebody else may have written in between, and what the run
    /// reports is not believed.
    #[serde(default)]
    pub continuity_lost: bool,
}

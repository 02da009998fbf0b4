//! What a plan and an operation are bound to: components, policies, artifact, database.

use serde::{Deserialize, Serialize};

use super::parts::{StateVersion, TargetIdentity};
use crate::operator::text::{Epoch, Image, Sha256, Uid, VersionText};
use crate::operator::whole::Whole;

/// The components that carry operations out. Any change of one begins another epoch, also one back to equal values.
///
/// - **Who writes it:** the manager, when it first sees a resource and whenever a component differs.
/// - **Who reads it:** every pass, and the fence.
/// - **When it is removed:** with the resource; a new epoch replaces it.
/// - **Size:** under 1 KiB.
/// - **An old reader:** a manager that supports only a lower `controllerStateVersion` changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecutionBinding {
    /// The token of this set of components; random, never used again.
    pub epoch: Epoch,
    /// The version of the contract under which this resource's records are written.
    pub controller_state_version: StateVersion,
    /// The version of Ptah that carries plans out.
    pub ptah_version: VersionText,
    /// The image that carries plans out, by digest.
    pub executor_image: Image,
    /// The version of the documents that manager and runner exchange.
    pub runner_protocol_version: Whole<1, 1_000_000>,
}

/// Which manager did something. For an audit only: nothing is decided on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManagerRecord {
    /// The manager's image, by digest.
    pub controller_image: Image,
    /// The revision that it was built from.
    pub controller_revision: VersionText,
    /// The runner's image, by digest.
    pub runner_image: Image,
}

/// The policy under which an artifact was verified: an object and its bytes. The UID tells a ConfigMap that was deleted
/// and created again with the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyBinding {
    /// The ConfigMap's UID.
    pub uid: Uid,
    /// The digest of the selected key's bytes.
    pub digest: Sha256,
}

/// What a plan is bound to, in both families. If one of these differs at the dispatch, the plan does not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanBinding {
    /// The artifact's digest.
    pub artifact_digest: Sha256,
    /// The digest of the realm's name.
    pub coordination_digest: Sha256,
    /// The database.
    pub target_identity: TargetIdentity,
    /// The digest over what the resource's policy permits, `apply` included.
    pub policy_fingerprint: Sha256,
    /// The policy under which the artifact was verified.
    pub verification_policy: PolicyBinding,
    /// The epoch of the components; see `status.executionBinding`.
    #[serde(rename = "executionBindingID")]
    pub execution_binding_id: Epoch,
    /// The version of Ptah that planned and carries out.
    pub ptah_version: VersionText,
    /// The image that carries the plan out, by digest.
    pub executor_image: Image,
    /// The version of the documents that manager and runner exchange.
    pub runner_protocol_version: Whole<1, 1_000_000>,
}

//! Where the desired state or the sequence comes from, and under which policy it is trusted.

use ptah_records::operator::latest::{ConfigMapKey, RegistryAuth, Transport};
use ptah_records::operator::text::OciReference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An artifact in a registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactSource {
    /// Where the artifact is, by tag or digest.
    pub oci_ref: OciReference,
    /// The registry's credentials; absent for a public one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_auth_from: Option<RegistryAuth>,
    /// The key of the policy that the artifact is verified under. The ConfigMap must be immutable.
    pub verification_policy_from: ConfigMapKey,
    /// How the registry is reached; with TLS and the system's certificates when absent.
    #[serde(default)]
    pub transport: Transport,
}

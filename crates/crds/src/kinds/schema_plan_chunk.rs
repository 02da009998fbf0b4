//! `PtahSchemaPlanChunk`: a piece of a plan's bytes.
//!
//! It has a kind of its own so that one rule lets somebody read plans without reading ConfigMaps.

use k8s_openapi::ByteString;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::result_record::bytes;

/// The piece. It cannot be changed.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahSchemaPlanChunk",
    namespaced,
    derive = "PartialEq",
    shortname = "ptahchunk",
    category = "ptah",
    doc = "A piece of a plan or of a desired document. Only the manager writes it.",
    printcolumn(name = "Plan", type_ = "string", json_path = ".metadata.ownerReferences[0].name"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [{ "rule": "self == oldSelf", "message": "a piece cannot be changed" }]))]
pub struct PtahSchemaPlanChunkSpec {
    /// The bytes, at most 512 KiB. They can hold values that stand in statements.
    #[schemars(schema_with = "bytes")]
    pub data: ByteString,
}

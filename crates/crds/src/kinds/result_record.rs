//! `PtahResultRecord`: a piece of what a run reported, stored before it is acknowledged.
//!
//! The pieces of one delivery are named by operation, Pod and index, so that a repeat meets itself: with the same digest
//! it is a success, with another one the first stays and a conflict is recorded.

use k8s_openapi::ByteString;
use kube::CustomResource;
use ptah_records::operator::latest::StateVersion;
use ptah_records::operator::limits::PIECES;
use ptah_records::operator::text::{OperationId, Sha256, Uid};
use ptah_records::operator::whole::Whole;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ResultType {
    /// A piece of the delivery.
    Piece,
    /// The last word: how many pieces there are, and their digest. Without it the delivery is not there.
    Complete,
    /// A second delivery contradicted the first: a mutating run is unknown.
    Conflict,
}

/// What a complete delivery consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompletePart {
    /// How many pieces there are.
    pub pieces: Whole<1, { PIECES as u64 }>,
    /// How many bytes of the delivery are the frame; what is attached follows it.
    pub frame_size: Whole<1, 262_144>,
    /// How many bytes the delivery has.
    pub size: Whole<1, 17_039_360>,
    /// The digest of the whole delivery.
    pub digest: Sha256,
}

/// The piece. It cannot be changed. It can hold statements, so it is as confidential as the database's schema.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "operator.ptah.run",
    version = "v1alpha1",
    kind = "PtahResultRecord",
    namespaced,
    derive = "PartialEq",
    shortname = "ptahresult",
    category = "ptah",
    doc = "A piece of what a run reported, stored before it is acknowledged. Only the manager writes it.",
    selectable = ".spec.operationID",
    printcolumn(name = "Type", type_ = "string", json_path = ".spec.type"),
    printcolumn(name = "Operation", type_ = "string", json_path = ".spec.operationID"),
    printcolumn(name = "Late", type_ = "boolean", json_path = ".spec.late"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [
    { "rule": "self == oldSelf", "message": "a result cannot be changed" },
    {
        "rule": "(self.type == 'Piece') == has(self.data)",
        "message": "a piece, and nothing else, has bytes",
    },
    {
        "rule": "(self.type == 'Complete') == has(self.complete)",
        "message": "the last word, and nothing else, says what is complete",
    },
]))]
#[serde(rename_all = "camelCase")]
pub struct PtahResultRecordSpec {
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// The operation that reported.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The Pod that reported.
    #[serde(rename = "podUID")]
    pub pod_uid: Uid,
    /// What this record holds.
    #[serde(rename = "type")]
    pub kind: ResultType,
    /// The piece's place, from 0; 0 for what is no piece.
    pub index: Whole<0, { PIECES as u64 - 1 }>,
    /// The digest of the bytes: of this piece, of the whole delivery, or of what contradicted it.
    pub digest: Sha256,
    /// The digest of the key that it was delivered with; absent where the Pod's token vouched for it, which it does until a
    /// permit is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_digest: Option<Sha256>,
    /// Whether it came after the claim was retired. It is kept for people, and changes no record.
    #[serde(default)]
    pub late: bool,
    /// The bytes, at most 512 KiB; only for a piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "bytes")]
    pub data: Option<ByteString>,
    /// What is complete; only for the last word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<CompletePart>,
}

/// At most 512 KiB in base64, which has four characters for three bytes.
pub(super) fn bytes(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "byte", "minLength": 1, "maxLength": 699_052 })
}

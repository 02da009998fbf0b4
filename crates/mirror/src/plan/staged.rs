//! The pieces of a plan once more, in objects that a Pod can mount: a kubelet mounts no resource of ours.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use ptah_crds::PtahSchemaPlan;
use ptah_records::operator::latest::ChunkRef;
use ptah_records::operator::text::ObjectName;

use super::make::with_plan;

/// The key under which a staged piece has its bytes.
pub const PIECE_KEY: &str = "piece";

/// A piece of a plan, to be mounted under the name of the piece: immutable, and it goes with the plan. Whoever made another
/// object of that name first gains nothing, because the Pod compares the bytes with the digest that it was told.
pub fn staged(plan: &PtahSchemaPlan, name: &ObjectName, data: Vec<u8>) -> ConfigMap {
    ConfigMap {
        binary_data: Some(BTreeMap::from([(PIECE_KEY.to_owned(), ByteString(data))])),
        data: None,
        immutable: Some(true),
        metadata: with_plan(plan, name),
    }
}

/// The pieces that have to be staged before a run of this plan, in order: those of the plan, which the run mounts, and those
/// of the desired document, which a settling reading mounts later and where they still are there.
pub fn to_stage(plan: &PtahSchemaPlan) -> impl Iterator<Item = &ChunkRef> {
    let spec = &plan.spec.0;
    [&spec.content, &spec.desired].into_iter().flat_map(|content| content.chunks.as_slice())
}

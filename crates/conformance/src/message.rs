//! Requests as a host makes them.

use ptah_provider_api::contract::{CONTRACT_MINOR, REVISION};
use ptah_provider_api::feature::{REQUIRED, two_way_features};
use ptah_provider_wire::pb;

/// An ID that was never used.
pub(crate) fn fresh() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A word that was never used, fit for names of objects and files.
pub(crate) fn word() -> String {
    let id = uuid::Uuid::now_v7().simple().to_string();
    // The last digits are the random ones.
    id.get(16..).unwrap_or_default().to_owned()
}

/// Describe, from a host of this contract that lists these features.
pub(crate) fn describe(features: &[&str]) -> pb::DescribeRequest {
    pb::DescribeRequest {
        contract: Some(pb::ContractVersion { major: REVISION, minor: CONTRACT_MINOR }),
        host_features: features.iter().map(|feature| (*feature).to_owned()).collect(),
        required_features: REQUIRED.iter().map(|feature| (*feature).to_owned()).collect(),
        host: "ptah-provider-conformance".to_owned(),
    }
}

/// Describe, from a host that lists every two-way feature.
pub(crate) fn describe_all() -> pb::DescribeRequest {
    describe(two_way_features())
}

/// Units of SQL.
pub(crate) fn units(texts: &[&str]) -> Vec<pb::Unit> {
    let unit = |text: &&str| pb::Unit { unit: Some(pb::unit::Unit::Sql((*text).to_owned())) };
    texts.iter().map(unit).collect()
}

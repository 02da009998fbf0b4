//! What this host acts on, and the first thing that it says.

use std::collections::BTreeSet;

use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::DescribeRequest;
use ptah_provider_api::feature::{REQUIRED, two_way_features};

/// The features that the host lists: every two-way one. A one-way feature needs no listing by the host.
pub fn host_features() -> BTreeSet<String> {
    two_way_features().iter().map(|feature| (*feature).to_owned()).collect()
}

/// What the host says first. `host` is its program name and version, `contract` what it speaks.
pub(crate) fn describe_request(host: &str, contract: ContractVersion) -> DescribeRequest {
    DescribeRequest {
        contract,
        host_features: host_features(),
        required_features: REQUIRED.iter().map(|feature| (*feature).to_owned()).collect(),
        host: host.to_owned(),
    }
}

//! What a description must be before anything is served, and what of it a host gets.

use std::collections::BTreeSet;

use ptah_provider_api::Violation;
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{DescribeRequest, Description};
use ptah_provider_api::feature::{DEFAULT_CAPABILITIES, REQUIRED, two_way_features};

/// Why a provider is not served: for its author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// The description breaks the contract.
    #[error("the description breaks the contract")]
    Broken(#[from] Violation),
    /// A service that every provider has is not listed.
    #[error("the description does not list the feature {0}, which every provider has")]
    Missing(&'static str),
    /// The description states another contract version than this SDK speaks.
    #[error("the description states contract {0}, and this SDK speaks {current}", current = ContractVersion::CURRENT)]
    Contract(ContractVersion),
    /// No engine offers a service that the description lists.
    #[error("the description lists the feature {0}, and no engine offers it")]
    Unoffered(&'static str),
}

/// Refuses a description that no host could use. What an engine lists and the description does not is among what
/// `Description::validate` finds.
pub(crate) fn check(description: &Description) -> Result<(), DescriptionError> {
    description.validate()?;
    if description.contract != ContractVersion::CURRENT {
        return Err(DescriptionError::Contract(description.contract));
    }
    if let Some(missing) = REQUIRED.into_iter().find(|f| !description.features.contains(*f)) {
        return Err(DescriptionError::Missing(missing));
    }
    let gates = ptah_provider_api::feature::gated_calls().iter().map(|(feature, _)| *feature);
    let unoffered = |feature: &&str| {
        let offered = description.engines.iter().any(|e| e.features.contains(*feature));
        description.features.contains(*feature) && !offered
    };
    gates.into_iter().find(unoffered).map_or(Ok(()), |feature| Err(DescriptionError::Unoffered(feature)))
}

/// The description as this host can use it: two-way features that it did not list are gone, with all that they carry.
pub(crate) fn narrow(mut description: Description, asked: &DescribeRequest) -> Description {
    let keep = |features: &mut BTreeSet<String>| {
        features.retain(|f| !two_way_features().contains(&f.as_str()) || asked.host_features.contains(f));
    };
    keep(&mut description.features);
    for engine in &mut description.engines {
        keep(&mut engine.features);
        if !description.features.contains(DEFAULT_CAPABILITIES) {
            engine.default_capabilities.clear();
        }
    }
    description
}

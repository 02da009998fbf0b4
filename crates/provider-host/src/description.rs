//! The checks of a description against what was expected, in the order in which they explain most.

use std::collections::BTreeSet;
use std::fmt;

use ptah_model::{EngineName, ProviderId};
use ptah_provider_api::contract::{ContractVersion, REVISION};
use ptah_provider_api::describe::Description;
use ptah_provider_api::feature::{DEFAULT_CAPABILITIES, REQUIRED};
use ptah_provider_wire::{OnWire, pb};

use crate::catalogue::{CatalogueEngine, Entry, Origin};
use crate::error::{HostError, lacks_identifier_rules};

/// One difference between the engines that were expected and those that are described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineDifference {
    /// An engine that was expected and is not described.
    Missing(EngineName),
    /// An engine that is described and was not expected.
    Unexpected(EngineName),
    /// An alias that was expected and is not described.
    AliasMissing(EngineName, EngineName),
    /// An alias that is described and was not expected.
    AliasUnexpected(EngineName, EngineName),
}

impl fmt::Display for EngineDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(engine) => write!(f, "it lacks engine `{engine}`"),
            Self::Unexpected(engine) => write!(f, "it also has engine `{engine}`"),
            Self::AliasMissing(engine, alias) => write!(f, "engine `{engine}` lacks alias `{alias}`"),
            Self::AliasUnexpected(engine, alias) => write!(f, "engine `{engine}` also has alias `{alias}`"),
        }
    }
}

/// Proves that the message describes the provider that was expected, in a contract that this host speaks.
///
/// Identity and version are judged on the message itself: that of another major need not have our form. The build comes
/// before the version, because another build explains all other differences.
pub(crate) fn accept(
    message: pb::Description,
    expected: &Entry,
    ours: ContractVersion,
) -> Result<Description, HostError> {
    let provider = &expected.provider;
    let invalid = |source| HostError::DescriptionInvalid { provider: provider.clone(), source };
    check_id(&message.provider_id, provider)?;
    if let Origin::Bundled(program) = &expected.origin
        && message.build_id.as_ref() != Some(&program.build_id)
    {
        return Err(HostError::Replaced);
    }
    let theirs = message.contract.as_ref().map_or(0, |version| version.major);
    check_major(theirs, provider)?;
    let mut description = Description::from_wire(message).map_err(|broken| {
        if lacks_identifier_rules(&broken) {
            // Which of several engines it is cannot be told from a message that is not understood.
            let engine = expected.engines.first().map(|engine| engine.name.clone());
            return engine.map_or_else(|| invalid(broken), |engine| HostError::IdentifierRule { engine });
        }
        invalid(broken)
    })?;
    if let Some(min) = description.min_contract {
        check_minimum(min, ours, provider)?;
    }
    check_features(&description, provider)?;
    check_engines(&description, expected)?;
    description.validate().map_err(invalid)?;
    check_rules(&description)?;
    narrow(&mut description);
    Ok(description)
}

fn check_id(found: &str, expected: &ProviderId) -> Result<(), HostError> {
    match ProviderId::new(found) {
        Ok(found) if found != *expected => Err(HostError::IdMismatch { expected: expected.clone(), found }),
        // One that is no ID at all is told by the conversion.
        _ => Ok(()),
    }
}

fn check_major(theirs: u32, provider: &ProviderId) -> Result<(), HostError> {
    // Zero is an absent version, which the conversion tells.
    if theirs == REVISION || theirs == 0 {
        return Ok(());
    }
    Err(HostError::ContractMajor { provider: provider.clone(), theirs, ours: REVISION })
}

/// Refuses a provider that cannot work with a host as old as this one.
pub(crate) fn check_minimum(
    needs: ContractVersion,
    ours: ContractVersion,
    provider: &ProviderId,
) -> Result<(), HostError> {
    if needs.major == ours.major && needs > ours {
        return Err(HostError::ContractTooNew { provider: provider.clone(), needs, ours });
    }
    Ok(())
}

fn check_features(description: &Description, provider: &ProviderId) -> Result<(), HostError> {
    let features: Vec<_> = REQUIRED.into_iter().filter(|feature| !description.features.contains(*feature)).collect();
    if features.is_empty() {
        return Ok(());
    }
    Err(HostError::FeatureMissing { provider: provider.clone(), features })
}

fn check_engines(description: &Description, expected: &Entry) -> Result<(), HostError> {
    let mut differences = Vec::new();
    for engine in &expected.engines {
        match description.engines.iter().find(|e| e.name == engine.name) {
            Some(described) => differences.extend(alias_differences(engine, &described.aliases)),
            None => differences.push(EngineDifference::Missing(engine.name.clone())),
        }
    }
    let extra = description.engines.iter().filter(|e| expected.engines.iter().all(|known| known.name != e.name));
    differences.extend(extra.map(|e| EngineDifference::Unexpected(e.name.clone())));
    if differences.is_empty() {
        return Ok(());
    }
    let said_by = expected.origin.said_by();
    Err(HostError::EngineMismatch { provider: expected.provider.clone(), said_by, differences })
}

fn alias_differences(expected: &CatalogueEngine, described: &[EngineName]) -> Vec<EngineDifference> {
    let (wanted, found): (BTreeSet<_>, BTreeSet<_>) = (expected.aliases.iter().collect(), described.iter().collect());
    let name = || expected.name.clone();
    let missing = wanted.difference(&found).map(|alias| EngineDifference::AliasMissing(name(), (*alias).clone()));
    let extra = found.difference(&wanted).map(|alias| EngineDifference::AliasUnexpected(name(), (*alias).clone()));
    missing.chain(extra).collect()
}

fn check_rules(description: &Description) -> Result<(), HostError> {
    let silent = description.engines.iter().find(|engine| engine.identifier_rules.is_none());
    silent.map_or(Ok(()), |engine| Err(HostError::IdentifierRule { engine: engine.name.clone() }))
}

/// Takes away what comes only under a two-way feature that the provider does not list.
fn narrow(description: &mut Description) {
    if !description.features.contains(DEFAULT_CAPABILITIES) {
        for engine in &mut description.engines {
            engine.default_capabilities.clear();
        }
    }
}

#[cfg(test)]
mod tests;

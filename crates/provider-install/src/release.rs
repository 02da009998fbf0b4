//! A release as its author describes it, with every value in its form. What a descriptor says is a claim: the digests are
//! checked when files arrive, and the rest when the provider has been started.

use std::collections::BTreeSet;

use ptah_model::{EngineName, ProviderId};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_host::catalogue::CatalogueEngine;
use ptah_records::provider::{ArtifactV1, ReleaseEngineV1, ReleaseV1};
use semver::Version;

use crate::http::Url;
use crate::path::InnerPath;
use crate::platform::Platform;

/// The largest archive: 1 GiB. A provider with a whole database engine inside has a tenth of that.
pub(crate) const ARCHIVE_LIMIT: u64 = 1024 * 1024 * 1024;

/// The longest version.
const VERSION_LIMIT: usize = 128;

/// One release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Release {
    pub(crate) provider: ProviderId,
    pub(crate) version: Version,
    pub(crate) contract: ContractVersion,
    pub(crate) min_contract: Option<ContractVersion>,
    /// At least one.
    pub(crate) engines: Vec<CatalogueEngine>,
    /// At least one, each for another platform.
    pub(crate) artifacts: Vec<Artifact>,
}

/// One build of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Artifact {
    pub(crate) platform: Platform,
    pub(crate) at: At,
    pub(crate) sha256: [u8; 32],
    /// In bytes; at most [`ARCHIVE_LIMIT`].
    pub(crate) size: u64,
    /// Within the archive.
    pub(crate) executable: InnerPath,
    pub(crate) executable_sha256: [u8; 32],
}

/// Where an archive is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Below the folder of the descriptor.
    File(InnerPath),
    /// Anywhere.
    Url(Url),
}

/// What is wrong with a descriptor: the key, and the sentence that it breaks. Holds no value of the descriptor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {sentence}")]
pub struct ReleaseFault {
    key: &'static str,
    sentence: &'static str,
}

fn fault(key: &'static str, sentence: &'static str) -> ReleaseFault {
    ReleaseFault { key, sentence }
}

impl Release {
    /// Checks a descriptor.
    pub(crate) fn of(document: ReleaseV1) -> Result<Self, ReleaseFault> {
        let ReleaseV1 { schema: _, provider_id, version, contract, min_contract, engines, artifacts } = document;
        let provider = ProviderId::new(provider_id).map_err(|_| fault("provider_id", "it is no provider's ID"))?;
        let version = (version.len() <= VERSION_LIMIT).then(|| Version::parse(&version).ok()).flatten();
        let version = version.ok_or(fault("version", "it is three numbers with dots, and what may follow them"))?;
        let contract = contract_of("contract", &contract)?;
        let min_contract = min_contract.map(|min| contract_of("min_contract", &min)).transpose()?;
        if min_contract.is_some_and(|min| min > contract || min.major != contract.major) {
            return Err(fault("min_contract", "it is of the contract's major, and not above it"));
        }
        let release = Self {
            provider,
            version,
            contract,
            min_contract,
            engines: engines_of(engines)?,
            artifacts: artifacts.into_iter().map(Artifact::of).collect::<Result<_, _>>()?,
        };
        release.check()?;
        Ok(release)
    }

    fn check(&self) -> Result<(), ReleaseFault> {
        if self.engines.is_empty() {
            return Err(fault("engines", "a release has at least one"));
        }
        let names: Vec<_> = self.engines.iter().flat_map(|e| std::iter::once(&e.name).chain(&e.aliases)).collect();
        if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
            return Err(fault("engines", "each name and alias stands once"));
        }
        if self.artifacts.is_empty() {
            return Err(fault("artifacts", "a release has at least one"));
        }
        let platforms: BTreeSet<_> = self.artifacts.iter().map(|artifact| &artifact.platform).collect();
        if platforms.len() < self.artifacts.len() {
            return Err(fault("artifacts", "each platform stands once"));
        }
        Ok(())
    }

    /// Whether it is a release of the provider or the engine of this name.
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        let is_named = |engine: &CatalogueEngine| {
            engine.name.as_str() == name || engine.aliases.iter().any(|alias| alias.as_str() == name)
        };
        self.provider.as_str() == name || self.engines.iter().any(is_named)
    }

    /// The build for a machine. One that names the machine goes before one that fits any.
    pub(crate) fn artifact_for(&self, machine: &Platform) -> Option<&Artifact> {
        let exact = self.artifacts.iter().find(|artifact| artifact.platform == *machine);
        exact.or_else(|| self.artifacts.iter().find(|artifact| artifact.platform.runs_on(machine)))
    }
}

impl Artifact {
    fn of(document: ArtifactV1) -> Result<Self, ReleaseFault> {
        let ArtifactV1 { os, arch, file, url, sha256, size, executable, executable_sha256 } = document;
        let at = match (file, url) {
            (Some(file), None) => At::File(
                InnerPath::new(&file).map_err(|_| fault("file", "it is a path below the descriptor's folder"))?,
            ),
            (None, Some(url)) => At::Url(
                Url::parse(&url).map_err(|_| fault("url", "it is an https address without a user or a password"))?,
            ),
            _ => return Err(fault("artifacts", "each has either `file` or `url`")),
        };
        if size == 0 || size > ARCHIVE_LIMIT {
            return Err(fault("size", "it is 1 to 1073741824 bytes"));
        }
        Ok(Self {
            platform: Platform::new(&os, &arch).ok_or(fault("os, arch", "they are words such as linux and x86_64"))?,
            at,
            sha256: digest("sha256", &sha256)?,
            size,
            executable: InnerPath::new(&executable).map_err(|_| fault("executable", "it is a path in the archive"))?,
            executable_sha256: digest("executable_sha256", &executable_sha256)?,
        })
    }
}

fn engines_of(engines: Vec<ReleaseEngineV1>) -> Result<Vec<CatalogueEngine>, ReleaseFault> {
    let name = |text: String| EngineName::new(text).map_err(|_| fault("engines", "a name is one of an engine"));
    let engine = |engine: ReleaseEngineV1| {
        let aliases = engine.aliases.into_iter().map(name).collect::<Result<_, _>>()?;
        Ok(CatalogueEngine { name: name(engine.name)?, aliases, schemes: Vec::new() })
    };
    engines.into_iter().map(engine).collect()
}

fn contract_of(key: &'static str, text: &str) -> Result<ContractVersion, ReleaseFault> {
    ContractVersion::parse(text).ok_or(fault(key, "it is two numbers with a dot"))
}

/// The bytes of a SHA-256.
pub(crate) fn digest(key: &'static str, digits: &str) -> Result<[u8; 32], ReleaseFault> {
    let mut bytes = [0; 32];
    let is_one = digits.len() == 64 && hex::decode_to_slice(digits, &mut bytes).is_ok();
    is_one.then_some(bytes).ok_or(fault(key, "a SHA-256 has 64 hexadecimal digits"))
}

#[cfg(test)]
pub(crate) mod tests;

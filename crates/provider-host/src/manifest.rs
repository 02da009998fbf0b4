//! `ptah-providers.yaml`: which providers there are besides the bundled ones, and which bytes each must have.
//!
//! Reading it starts nothing and opens no executable. It tells all that is wrong at once, as far as the text can be
//! read at all. Values of environment entries are never quoted.

mod check;
mod read;
mod yaml;

use std::fmt;
use std::path::PathBuf;

use ptah_model::{Code, EngineName, ProviderId};
use ptah_provider_api::contract::ContractVersion;

/// The file's usual name.
pub const FILE_NAME: &str = "ptah-providers.yaml";

/// The largest manifest, in bytes.
pub const SIZE_LIMIT: u64 = 1024 * 1024;

/// The file cannot be read, or others may write it.
pub const FILE: Code = Code("manifest.file");
/// The text is no manifest: not YAML, a key that is unknown, missing or twice, a value of the wrong type.
pub const SYNTAX: Code = Code("manifest.syntax");
/// A value does not have the form that its key asks for.
pub const VALUE: Code = Code("manifest.value");
/// A name is claimed twice.
pub const DUPLICATE: Code = Code("manifest.duplicate");
/// A variable belongs to the bootstrap.
pub const RESERVED: Code = Code("manifest.reserved");

/// A manifest that passed every check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Its providers, in the order of the file, with distinct IDs and distinct engine names.
    pub providers: Vec<ManifestProvider>,
}

/// One provider of a manifest.
#[derive(Clone, PartialEq, Eq)]
pub struct ManifestProvider {
    /// Who it must say that it is.
    pub id: ProviderId,
    /// Its executable; a relative path of the file was joined to the manifest's folder.
    pub executable: PathBuf,
    /// What the executable's bytes must be.
    pub sha256: [u8; 32],
    /// Its engines, at least one: exactly those that it must describe.
    pub engines: Vec<ManifestEngine>,
    /// What its environment has besides the bootstrap: names and values, exactly as written. May hold secrets.
    pub environment: Vec<(String, String)>,
    /// The oldest host that it works with, as its author published it; absent means any of this major.
    pub min_contract: Option<ContractVersion>,
}

/// One engine of a manifest's provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestEngine {
    /// Its name.
    pub name: EngineName,
    /// Its other names; a scheme of an address selects the engine when it is one of them or the name.
    pub aliases: Vec<EngineName>,
}

impl fmt::Debug for ManifestProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.environment.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ManifestProvider")
            .field("id", &self.id)
            .field("executable", &self.executable)
            .field("engines", &self.engines)
            .field("environment_names", &names)
            .field("min_contract", &self.min_contract)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! The catalogue: which provider serves an engine, an alias or a scheme of an address.
//!
//! It holds the providers that are part of the program and those of manifests. A name belongs to one provider: two
//! claims on it are refused, and nothing is ever preferred by order. Nothing is started here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use ptah_model::{EngineName, ProviderId};
use ptah_provider_api::contract::ContractVersion;

use crate::bootstrap::BUNDLED_ARGUMENT;
use crate::error::{Asked, HostError};
use crate::manifest::Manifest;

/// A provider that is the program itself, executed again.
#[derive(Clone, Debug)]
pub struct Bundled {
    /// Who it says that it is.
    pub provider: ProviderId,
    /// Its engines.
    pub engines: Vec<CatalogueEngine>,
    /// How it is executed.
    pub program: Program,
}

/// The running program as an executable.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program's own file, opened when the command started, so that an upgrade cannot put another one in its place.
    pub file: Arc<OwnedFd>,
    /// What the provider sees as its own name.
    pub name: OsString,
    /// The arguments: [`BUNDLED_ARGUMENT`], and whatever tells the providers of one program apart.
    pub arguments: Vec<OsString>,
    /// The build that host and provider must share.
    pub build_id: String,
}

/// An engine as the catalogue knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueEngine {
    /// Its name.
    pub name: EngineName,
    /// Its other names.
    pub aliases: Vec<EngineName>,
    /// The schemes of addresses that select it, besides name and aliases.
    pub schemes: Vec<EngineName>,
}

/// A provider of the catalogue.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Who it must say that it is.
    pub provider: ProviderId,
    /// Exactly the engines that it must describe.
    pub engines: Vec<CatalogueEngine>,
    /// The oldest host that it works with, if that is known before it is started.
    pub min_contract: Option<ContractVersion>,
    /// Where its executable comes from.
    pub origin: Origin,
}

/// Where a provider's executable comes from.
#[derive(Clone)]
pub enum Origin {
    /// The program itself.
    Bundled(Program),
    /// A file that a manifest names.
    Manifest {
        /// The executable.
        executable: PathBuf,
        /// What its bytes must be.
        sha256: [u8; 32],
        /// What its environment has besides the bootstrap. May hold secrets.
        environment: Vec<(String, String)>,
    },
}

/// The providers that there are.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    entries: Vec<Entry>,
}

/// What a name selects.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// The provider.
    pub entry: &'a Entry,
    /// The engine, by its own name and not an alias.
    pub engine: &'a EngineName,
}

impl Program {
    /// The program with the one argument that makes it serve as a provider.
    pub fn new(file: Arc<OwnedFd>, name: impl Into<OsString>, build_id: impl Into<String>) -> Self {
        Self { file, name: name.into(), arguments: vec![BUNDLED_ARGUMENT.into()], build_id: build_id.into() }
    }
}

impl CatalogueEngine {
    fn is_named(&self, name: &str) -> bool {
        self.name.as_str() == name || self.aliases.iter().any(|alias| alias.as_str() == name)
    }

    fn has_scheme(&self, scheme: &str) -> bool {
        self.is_named(scheme) || self.schemes.iter().any(|s| s.as_str() == scheme)
    }

    /// Every name that selects it, each once.
    fn names(&self) -> Vec<&EngineName> {
        let mut names: Vec<_> = std::iter::once(&self.name).chain(&self.aliases).chain(&self.schemes).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Catalogue {
    /// A catalogue of the providers that are part of the program, and those of manifests.
    ///
    /// **Errors.** [`HostError::EngineConflict`] when two providers claim one engine name, alias or scheme; also when a
    /// manifest claims one of a bundled engine, whatever ID it gives.
    pub fn new(bundled: Vec<Bundled>, manifests: Vec<Manifest>) -> Result<Self, HostError> {
        let bundled = bundled.into_iter().map(|b| Entry {
            provider: b.provider,
            engines: b.engines,
            min_contract: None,
            origin: Origin::Bundled(b.program),
        });
        let listed = manifests.into_iter().flat_map(|manifest| manifest.providers).map(|p| Entry {
            provider: p.id,
            engines: p
                .engines
                .into_iter()
                .map(|e| CatalogueEngine { name: e.name, aliases: e.aliases, schemes: Vec::new() })
                .collect(),
            min_contract: p.min_contract,
            origin: Origin::Manifest { executable: p.executable, sha256: p.sha256, environment: p.environment },
        });
        let catalogue = Self { entries: bundled.chain(listed).collect() };
        catalogue.check()?;
        Ok(catalogue)
    }

    /// The providers, the bundled ones first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The names of all engines, sorted.
    pub fn engine_names(&self) -> Vec<EngineName> {
        let mut names: Vec<_> = self.choices().map(|(choice, _)| choice.engine.clone()).collect();
        names.sort_unstable();
        names
    }

    /// The provider of an engine that was named, of an address's scheme, or of both when they agree.
    ///
    /// **Errors.** [`HostError::NotFound`] with the engines that there are; [`HostError::Ambiguous`] when name and
    /// scheme lead to different engines; [`HostError::NotNamed`] when there is neither.
    pub fn choose(&self, engine: Option<&str>, scheme: Option<&str>) -> Result<Choice<'_>, HostError> {
        let named = engine.map(|name| self.by_name(name)).transpose()?;
        let addressed = scheme.map(|scheme| self.by_scheme(scheme)).transpose();
        match (named, addressed?, scheme) {
            (Some(named), Some(addressed), Some(scheme)) if named.engine != addressed.engine => {
                Err(HostError::Ambiguous {
                    engine: named.engine.clone(),
                    scheme: EngineName::new(scheme).unwrap_or_else(|_| addressed.engine.clone()),
                    other: addressed.engine.clone(),
                })
            }
            (Some(choice), _, _) | (None, Some(choice), _) => Ok(choice),
            (None, None, _) => Err(HostError::NotNamed { known: self.engine_names() }),
        }
    }

    fn by_name(&self, name: &str) -> Result<Choice<'_>, HostError> {
        let found = self.choices().find(|(_, engine)| engine.is_named(name));
        found.map(|(choice, _)| choice).ok_or_else(|| self.not_found(Asked::Engine(name.to_owned())))
    }

    /// Schemes of addresses are written in either case.
    fn by_scheme(&self, scheme: &str) -> Result<Choice<'_>, HostError> {
        let lower = scheme.to_ascii_lowercase();
        let found = self.choices().find(|(_, engine)| engine.has_scheme(&lower));
        found.map(|(choice, _)| choice).ok_or_else(|| self.not_found(Asked::Scheme(scheme.to_owned())))
    }

    fn not_found(&self, asked: Asked) -> HostError {
        HostError::NotFound { asked, known: self.engine_names() }
    }

    fn choices(&self) -> impl Iterator<Item = (Choice<'_>, &CatalogueEngine)> {
        self.entries
            .iter()
            .flat_map(|entry| entry.engines.iter().map(move |engine| (Choice { entry, engine: &engine.name }, engine)))
    }

    fn check(&self) -> Result<(), HostError> {
        let mut claims: BTreeMap<&EngineName, &ProviderId> = BTreeMap::new();
        for (choice, engine) in self.choices() {
            for name in engine.names() {
                if let Some(first) = claims.insert(name, &choice.entry.provider) {
                    return Err(HostError::EngineConflict {
                        name: name.clone(),
                        first: first.clone(),
                        second: choice.entry.provider.clone(),
                    });
                }
            }
        }
        Ok(())
    }
}

impl Origin {
    /// The file, for people.
    pub fn shown(&self) -> String {
        match self {
            Self::Bundled(program) => program.name.to_string_lossy().into_owned(),
            Self::Manifest { executable, .. } => executable.display().to_string(),
        }
    }
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bundled(program) => f.debug_tuple("Bundled").field(program).finish(),
            Self::Manifest { executable, .. } => {
                f.debug_struct("Manifest").field("executable", executable).finish_non_exhaustive()
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! The catalogue: which provider serves an engine, an alias or a scheme of an address.
//!
//! It holds the providers that are part of the program, those of manifests and those that were installed. A name belongs
//! to one provider: two claims on it are refused, and nothing is ever preferred by order. Only where several places name
//! the *same* provider is there an order: a manifest goes before another one that is given later, and before an
//! installation. Nothing is started here.

mod origin;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use ptah_model::{EngineName, ProviderId};
use ptah_provider_api::contract::ContractVersion;

use crate::bootstrap::BUNDLED_ARGUMENT;
use crate::error::{Asked, HostError};
use crate::manifest::{Manifest, ManifestEngine, ManifestProvider};

pub use self::origin::Origin;

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
    /// What names the same provider and is not used, because this entry goes before it. In the order of choice.
    pub instead_of: Vec<Origin>,
}

/// A provider that was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Who it must say that it is.
    pub provider: ProviderId,
    /// The version of its release.
    pub version: String,
    /// Its executable.
    pub executable: PathBuf,
    /// What the executable's bytes must be.
    pub sha256: [u8; 32],
    /// Exactly the engines that it must describe.
    pub engines: Vec<CatalogueEngine>,
    /// The oldest host that it works with, as its release says; absent means any of this major.
    pub min_contract: Option<ContractVersion>,
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
    /// **Errors.** As for [`Catalogue::with_installed`].
    pub fn new(bundled: Vec<Bundled>, manifests: Vec<Manifest>) -> Result<Self, HostError> {
        Self::with_installed(bundled, manifests, Vec::new())
    }

    /// A catalogue of the providers that are part of the program, those of manifests, and those that were installed.
    /// Where several manifests name one provider, the first counts.
    ///
    /// **Errors.** [`HostError::EngineConflict`] when two providers claim one engine name, alias or scheme; also when a
    /// manifest or an installation claims one of a bundled engine, whatever ID it gives.
    pub fn with_installed(
        bundled: Vec<Bundled>,
        manifests: Vec<Manifest>,
        installed: Vec<Installed>,
    ) -> Result<Self, HostError> {
        let mut entries: Vec<Entry> = bundled.into_iter().map(Entry::from).collect();
        let listed = manifests.into_iter().flat_map(|manifest| manifest.providers).map(Entry::from);
        for entry in listed.chain(installed.into_iter().map(Entry::from)) {
            let is_same = |known: &&mut Entry| known.provider == entry.provider && !known.is_bundled();
            match entries.iter_mut().find(is_same) {
                Some(known) => known.instead_of.push(entry.origin),
                None => entries.push(entry),
            }
        }
        let catalogue = Self { entries };
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

impl Entry {
    fn is_bundled(&self) -> bool {
        matches!(self.origin, Origin::Bundled(_))
    }
}

impl From<Bundled> for Entry {
    fn from(bundled: Bundled) -> Self {
        let Bundled { provider, engines, program } = bundled;
        Self { provider, engines, min_contract: None, origin: Origin::Bundled(program), instead_of: Vec::new() }
    }
}

impl From<ManifestProvider> for Entry {
    fn from(listed: ManifestProvider) -> Self {
        let ManifestProvider { id, executable, sha256, engines, environment, min_contract } = listed;
        let engine = |e: ManifestEngine| CatalogueEngine { name: e.name, aliases: e.aliases, schemes: Vec::new() };
        Self {
            provider: id,
            engines: engines.into_iter().map(engine).collect(),
            min_contract,
            origin: Origin::Manifest { executable, sha256, environment },
            instead_of: Vec::new(),
        }
    }
}

impl From<Installed> for Entry {
    fn from(installed: Installed) -> Self {
        let Installed { provider, version, executable, sha256, engines, min_contract } = installed;
        let origin = Origin::Installed { executable, sha256, version };
        Self { provider, engines, min_contract, origin, instead_of: Vec::new() }
    }
}

#[cfg(test)]
mod tests;

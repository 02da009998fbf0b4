//! Choosing and starting the provider of a command.

use ptah_drive::Engine;
use ptah_provider_host::start::StartOptions;
use ptah_provider_host::{Catalogue, Manifest, start};
use ptah_provider_install::Record;

use crate::bundled;
use crate::failure::Failure;
use crate::settings::{EngineChoice, Places, Target};

/// The bundled providers, those of the manifests, and those that were installed.
pub(super) fn catalogue(places: &Places) -> Result<Catalogue, Failure> {
    let installed = installed(places)?.into_iter().map(|record| record.installed).collect();
    Ok(Catalogue::with_installed(bundled::for_catalogue()?, manifests(places)?, installed)?)
}

/// The manifests, in the order in which they count.
pub(super) fn manifests(places: &Places) -> Result<Vec<Manifest>, Failure> {
    Ok(places.manifests.iter().map(|path| Manifest::read(path)).collect::<Result<_, _>>()?)
}

/// What is installed.
pub(super) fn installed(places: &Places) -> Result<Vec<Record>, Failure> {
    places.installations.as_ref().map_or(Ok(Vec::new()), |folder| Ok(folder.installed()?))
}

/// How providers are started.
pub(super) fn options() -> StartOptions {
    StartOptions::new(concat!("ptah/", env!("CARGO_PKG_VERSION")))
}

/// Starts the provider of the engine that is meant: the one that was named, else that of the address's scheme, else the
/// only bundled one.
pub(super) async fn engine(choice: &EngineChoice, target: Option<&Target>) -> Result<Engine, Failure> {
    let catalogue = catalogue(&choice.places)?;
    let scheme = target.and_then(|target| target.scheme.as_deref());
    let named = choice.engine.as_ref().map(ptah_model::EngineName::as_str);
    let named = named.or_else(|| if scheme.is_none() { bundled::only() } else { None });
    let chosen = catalogue.choose(named, scheme)?;
    let provider = start(chosen.entry, &options()).await?;
    Ok(Engine::new(provider, chosen.engine.clone()))
}

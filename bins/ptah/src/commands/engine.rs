//! Choosing and starting the provider of a command.

use ptah_drive::Engine;
use ptah_provider_host::start::StartOptions;
use ptah_provider_host::{Catalogue, Manifest, start};

use crate::bundled;
use crate::failure::Failure;
use crate::settings::{EngineChoice, Target};

/// The bundled providers and those of the manifest.
pub(super) fn catalogue(choice: &EngineChoice) -> Result<Catalogue, Failure> {
    let manifests = choice.manifest.iter().map(|path| Manifest::read(path)).collect::<Result<_, _>>()?;
    Ok(Catalogue::new(bundled::for_catalogue()?, manifests)?)
}

/// How providers are started.
pub(super) fn options() -> StartOptions {
    StartOptions::new(concat!("ptah/", env!("CARGO_PKG_VERSION")))
}

/// Starts the provider of the engine that is meant: the one that was named, else that of the address's scheme, else the
/// only bundled one.
pub(super) async fn engine(choice: &EngineChoice, target: Option<&Target>) -> Result<Engine, Failure> {
    let catalogue = catalogue(choice)?;
    let scheme = target.and_then(|target| target.scheme.as_deref());
    let named = choice.engine.as_ref().map(ptah_model::EngineName::as_str);
    let named = named.or_else(|| if scheme.is_none() { bundled::only() } else { None });
    let chosen = catalogue.choose(named, scheme)?;
    let provider = start(chosen.entry, &options()).await?;
    Ok(Engine::new(provider, chosen.engine.clone()))
}

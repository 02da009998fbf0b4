//! `ptah providers`: which there are, and whether they can be used.

use ptah_provider_host::catalogue::{CatalogueEngine, Entry, Origin};
use ptah_provider_host::{Provider, start};

use super::Context;
use super::engine::{catalogue, options};
use crate::arguments::EngineFlags;
use crate::failure::{Exit, Failure};
use crate::settings::EngineChoice;
use crate::view::failure::error_part;
use crate::view::providers::{DescribedPart, EnginePart, ProviderPart, ProvidersDocument, page};

/// `ptah providers list`: starts nothing.
pub(super) fn list(context: &Context, flags: &EngineFlags) -> Result<Exit, Failure> {
    let choice = EngineChoice::resolve(flags, &context.around)?;
    let catalogue = catalogue(&choice)?;
    let entries = catalogue.entries().iter().filter(|entry| is_wanted(entry, &choice));
    answer(context, &ProvidersDocument::new("listed", entries.map(part).collect()));
    Ok(Exit::Done)
}

/// `ptah providers check`: starts each, one after the other, and ends it.
pub(super) async fn check(context: &Context, flags: &EngineFlags) -> Result<Exit, Failure> {
    let choice = EngineChoice::resolve(flags, &context.around)?;
    let catalogue = catalogue(&choice)?;
    let mut parts = Vec::new();
    for entry in catalogue.entries().iter().filter(|entry| is_wanted(entry, &choice)) {
        let phase = context.output.phase(&format!("starting {}", entry.provider));
        let mut part = part(entry);
        match start(entry, &options()).await {
            Ok(provider) => {
                part.described = Some(described(&provider));
                provider.end().await;
            }
            Err(error) => part.error = Some(error_part(&error.into())),
        }
        drop(phase);
        parts.push(part);
    }
    let good = parts.iter().all(|part| part.error.is_none());
    answer(context, &ProvidersDocument::new(if good { "compatible" } else { "incompatible" }, parts));
    Ok(if good { Exit::Done } else { Exit::Finding })
}

/// All of them, or those that have the engine that was named.
fn is_wanted(entry: &Entry, choice: &EngineChoice) -> bool {
    let has = |engine: &CatalogueEngine| {
        choice.engine.as_ref().is_none_or(|wanted| engine.name == *wanted || engine.aliases.contains(wanted))
    };
    entry.engines.iter().any(has)
}

fn part(entry: &Entry) -> ProviderPart {
    let words = |names: &[ptah_model::EngineName]| names.iter().map(ToString::to_string).collect();
    let engine = |engine: &CatalogueEngine| EnginePart {
        name: engine.name.to_string(),
        aliases: words(&engine.aliases),
        schemes: words(&engine.schemes),
    };
    let (origin, executable) = match &entry.origin {
        Origin::Bundled(_) => ("bundled", None),
        Origin::Manifest { executable, .. } => ("manifest", Some(executable.display().to_string())),
    };
    ProviderPart {
        id: entry.provider.to_string(),
        origin,
        executable,
        engines: entry.engines.iter().map(engine).collect(),
        described: None,
        error: None,
    }
}

fn described(provider: &Provider) -> DescribedPart {
    let description = provider.description();
    DescribedPart {
        name: description.display_name.clone(),
        version: description.version.clone(),
        contract: description.contract.to_string(),
        features: description.features.iter().cloned().collect(),
    }
}

fn answer(context: &Context, document: &ProvidersDocument) {
    if context.output.json() {
        context.output.document(document);
    } else {
        context.output.answer(&page(document));
    }
}

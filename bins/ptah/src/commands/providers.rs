//! `ptah providers`: which there are, whether they can be used, and what is installed.

mod install;
mod remove;

use ptah_provider_host::catalogue::{CatalogueEngine, Entry, Origin};
use ptah_provider_host::{HostError, Provider, start};
use ptah_provider_install::{InstallError, Record, differences};

use super::Context;
use super::engine::{catalogue, installed, options};
use crate::arguments::{EngineFlags, ProvidersDescribe};
use crate::failure::{Exit, Failure};
use crate::settings::{EngineChoice, Places};
use crate::view::failure::error_part;
use crate::view::providers::{
    DescribedEngine, DescribedPart, DescriptionDocument, EnginePart, InsteadPart, ProviderPart, ProvidersDocument,
    description_page, page,
};

pub(super) use install::install;
pub(super) use remove::remove;

/// `ptah providers list`: starts nothing.
pub(super) fn list(context: &Context, flags: &EngineFlags) -> Result<Exit, Failure> {
    let choice = EngineChoice::resolve(flags, &context.around)?;
    let catalogue = catalogue(&choice.places)?;
    let entries = catalogue.entries().iter().filter(|entry| is_wanted(entry, &choice));
    answer(context, &ProvidersDocument::new("listed", entries.map(part).collect()));
    Ok(Exit::Done)
}

/// `ptah providers check`: starts each, one after the other, and ends it.
pub(super) async fn check(context: &Context, flags: &EngineFlags) -> Result<Exit, Failure> {
    let choice = EngineChoice::resolve(flags, &context.around)?;
    let (catalogue, records) = (catalogue(&choice.places)?, installed(&choice.places)?);
    let (mut parts, mut exit) = (Vec::new(), Exit::Done);
    for entry in catalogue.entries().iter().filter(|entry| is_wanted(entry, &choice)) {
        let phase = context.output.phase(&format!("starting {}", entry.provider));
        let mut part = part(entry);
        match begin(entry, &records).await {
            Ok(provider) => {
                part.described = Some(described(&provider));
                provider.end().await;
            }
            Err(error) => {
                exit = worse(exit, &error);
                part.error = Some(error_part(&error.into()));
            }
        }
        drop(phase);
        parts.push(part);
    }
    let outcome = match exit {
        Exit::Done => "compatible",
        Exit::Finding => "incompatible",
        Exit::Refused | Exit::MayHaveRun => "unknown",
    };
    answer(context, &ProvidersDocument::new(outcome, parts));
    Ok(exit)
}

/// `ptah providers describe`: starts one, and shows all that it and its release say.
pub(super) async fn describe(context: &Context, flags: &ProvidersDescribe) -> Result<Exit, Failure> {
    let places = Places::resolve(&flags.places, &context.around)?;
    let (catalogue, records) = (catalogue(&places)?, installed(&places)?);
    let is_meant = |entry: &&Entry| entry.provider.as_str() == flags.name;
    let entry = match catalogue.entries().iter().find(is_meant) {
        Some(entry) => entry,
        None => catalogue.choose(Some(&flags.name), None)?.entry,
    };
    let phase = context.output.phase(&format!("starting {}", entry.provider));
    let provider = begin(entry, &records).await?;
    let mut part = part(entry);
    part.described = Some(described(&provider));
    let description = provider.description();
    let engines = description.engines.iter().map(DescribedEngine::of).collect();
    let release = record_of(entry, &records).map(|record| record.document.clone());
    let document = DescriptionDocument::new(part, engines, release);
    provider.end().await;
    drop(phase);
    if context.output.json() {
        context.output.document(&document);
    } else {
        context.output.answer(&description_page(&document));
    }
    Ok(Exit::Done)
}

/// Starts a provider; an installed one also has to say what its release said.
async fn begin(entry: &Entry, records: &[Record]) -> Result<Provider, InstallError> {
    let provider = start(entry, &options()).await?;
    let Some(record) = record_of(entry, records) else { return Ok(provider) };
    let min_contract = record.installed.min_contract;
    let differences = differences(provider.description(), &record.document.version, record.contract, min_contract);
    if differences.is_empty() {
        return Ok(provider);
    }
    provider.end().await;
    Err(InstallError::Differs { provider: entry.provider.clone(), differences })
}

/// The record of an entry that an installation made.
fn record_of<'a>(entry: &Entry, records: &'a [Record]) -> Option<&'a Record> {
    let is_installed = matches!(entry.origin, Origin::Installed { .. });
    records.iter().find(|record| is_installed && record.installed.provider == entry.provider)
}

/// A provider that is no good is a finding; where this machine was in the way, nothing is known of it.
fn worse(exit: Exit, error: &InstallError) -> Exit {
    match error {
        InstallError::Host(HostError::StartTimeout { .. } | HostError::StartFailed { .. }) if exit == Exit::Done => {
            Exit::Refused
        }
        InstallError::Host(HostError::StartTimeout { .. } | HostError::StartFailed { .. }) => exit,
        _ => Exit::Finding,
    }
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
    let InsteadPart { origin, executable, version } = place(&entry.origin);
    ProviderPart {
        id: entry.provider.to_string(),
        origin,
        version,
        executable,
        engines: entry.engines.iter().map(engine).collect(),
        instead_of: entry.instead_of.iter().map(place).collect(),
        described: None,
        error: None,
    }
}

fn place(origin: &Origin) -> InsteadPart {
    let (word, executable, version) = match origin {
        Origin::Bundled(_) => ("bundled", None, None),
        Origin::Manifest { executable, .. } => ("manifest", Some(executable), None),
        Origin::Installed { executable, version, .. } => ("installed", Some(executable), Some(version.clone())),
    };
    InsteadPart { origin: word, executable: executable.map(|path| path.display().to_string()), version }
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

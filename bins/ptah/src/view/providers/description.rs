//! All that is known of one provider.

use std::collections::BTreeMap;

use ptah_provider_api::describe::Engine;
use ptah_records::provider::InstallRecordV1;
use serde::Serialize;

use super::{ProviderPart, head};
use crate::output::Page;
use crate::view::failure::CONTRACT_VERSION;

/// What `providers describe --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DescriptionDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// Always `described`.
    pub outcome: &'static str,
    /// Who it is and what it offers.
    pub provider: ProviderPart,
    /// What it says of each engine.
    pub engines: Vec<DescribedEngine>,
    /// The install record with the digests for all platforms; null when it was not installed.
    pub record: Option<InstallRecordV1>,
}

/// What a provider says of one engine.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DescribedEngine {
    /// Its name.
    pub name: String,
    /// Schemes of addresses that select it. May be empty.
    pub schemes: Vec<String>,
    /// What it offers, sorted. May be empty.
    pub features: Vec<String>,
    /// Facts for commands that open no session. May be empty.
    pub default_capabilities: BTreeMap<String, bool>,
    /// The kinds of objects that it reads.
    pub kinds: Vec<String>,
}

impl DescribedEngine {
    /// The part of an engine.
    pub fn of(engine: &Engine) -> Self {
        Self {
            name: engine.name.to_string(),
            schemes: engine.url_schemes.iter().map(ToString::to_string).collect(),
            features: engine.features.iter().cloned().collect(),
            default_capabilities: engine.default_capabilities.clone(),
            kinds: engine.models.iter().map(|model| model.kind.to_string()).collect(),
        }
    }
}

impl DescriptionDocument {
    /// The document.
    pub fn new(provider: ProviderPart, engines: Vec<DescribedEngine>, record: Option<InstallRecordV1>) -> Self {
        Self { contract_version: CONTRACT_VERSION, outcome: "described", provider, engines, record }
    }
}

/// For people.
pub fn description_page(document: &DescriptionDocument) -> Page {
    let mut page = Page::new();
    head(&mut page, &document.provider);
    if let Some(described) = &document.provider.described {
        page.line(&format!("  version     {} {}", described.name, described.version));
        page.line(&format!("  contract    {}", described.contract));
        list(&mut page, "offers", described.features.iter());
    }
    for engine in &document.engines {
        page.gap().line(&format!("engine {}", engine.name));
        list(&mut page, "schemes", engine.schemes.iter());
        list(&mut page, "offers", engine.features.iter());
        list(&mut page, "kinds", engine.kinds.iter());
        for (fact, holds) in &engine.default_capabilities {
            page.line(&format!("  fact        {fact} {}", if *holds { "yes" } else { "no" }));
        }
    }
    if let Some(record) = &document.record {
        page.gap().line(&format!("release {}", record.version));
        page.line(&format!("  source      {}", record.source));
        page.line(&format!("  installed   {}", record.installed_at));
        let needs = record.min_contract.as_deref().unwrap_or("any of its major");
        page.line(&format!("  contract    {}, needs {needs}", record.contract));
        for artifact in &record.artifacts {
            page.line(&format!("  {}/{}", artifact.os, artifact.arch));
            page.line(&format!("    archive     {}", artifact.sha256));
            page.line(&format!("    executable  {}", artifact.executable_sha256));
        }
    }
    page
}

/// A list under one word, one line each.
fn list<'a>(page: &mut Page, word: &str, things: impl Iterator<Item = &'a String>) {
    for (at, thing) in things.enumerate() {
        page.line(&format!("  {:<11} {thing}", if at == 0 { word } else { "" }));
    }
}

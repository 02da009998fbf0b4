//! Which build this is, and what it speaks.

use serde::Serialize;

use super::failure::CONTRACT_VERSION;
use crate::bundled::BundledEngine;
use crate::output::{Page, style};

/// What `version --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VersionDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// Always `version`.
    pub outcome: &'static str,
    /// The version.
    pub version: &'static str,
    /// The build: two builds of one version differ in it.
    pub build: &'static str,
    /// The contract that it speaks with providers.
    pub provider_contract: String,
    /// The format of plan files that it writes.
    pub plan_format: u64,
    /// The engines that it brings along.
    pub bundled_engines: Vec<&'static str>,
}

impl VersionDocument {
    /// The document.
    pub fn new(build: &'static str, provider_contract: String, engines: &[BundledEngine]) -> Self {
        Self {
            contract_version: CONTRACT_VERSION,
            outcome: "version",
            version: env!("CARGO_PKG_VERSION"),
            build,
            provider_contract,
            plan_format: ptah_records::plan_file::FORMAT_VERSION,
            bundled_engines: engines.iter().map(|engine| engine.name).collect(),
        }
    }
}

/// For people.
pub fn page(document: &VersionDocument) -> Page {
    let mut page = Page::new();
    page.paint(style::STRONG, &format!("ptah {}", document.version)).end();
    page.line(&format!("build              {}", document.build));
    page.line(&format!("provider contract  {}", document.provider_contract));
    page.line(&format!("plan format        {}", document.plan_format));
    page.line(&format!("bundled engines    {}", document.bundled_engines.join(", ")));
    page
}

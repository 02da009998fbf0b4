//! What came of installing or removing a provider.

use ptah_provider_install::Skipped;
use ptah_records::provider::InstallRecordV1;
use serde::Serialize;

use super::{ProviderPart, head};
use crate::output::{Page, style};
use crate::view::failure::CONTRACT_VERSION;

/// What `providers install --json` and `providers remove --json` say.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InstallationDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// `installed`, `unchanged` (it was installed already, and is whole) or `removed`.
    pub outcome: &'static str,
    /// The provider.
    pub provider: ProviderPart,
    /// The version that was installed before, or null.
    pub former: Option<String>,
    /// Releases that would have gone before it and cannot be used here. May be empty.
    pub skipped: Vec<SkippedPart>,
    /// The install record.
    pub record: InstallRecordV1,
}

/// A release that was passed over.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SkippedPart {
    /// Which.
    pub release: String,
    /// Why.
    pub reason: String,
}

impl SkippedPart {
    /// The part of a release.
    pub fn of(skipped: &Skipped) -> Self {
        Self { release: skipped.release.clone(), reason: skipped.why.to_string() }
    }
}

impl InstallationDocument {
    /// Of an installation.
    pub fn installed(
        changed: bool,
        provider: ProviderPart,
        former: Option<String>,
        skipped: Vec<SkippedPart>,
        record: InstallRecordV1,
    ) -> Self {
        let outcome = if changed { "installed" } else { "unchanged" };
        Self { contract_version: CONTRACT_VERSION, outcome, provider, former, skipped, record }
    }

    /// Of a removal.
    pub fn removed(provider: ProviderPart, record: InstallRecordV1) -> Self {
        let contract_version = CONTRACT_VERSION;
        Self { contract_version, outcome: "removed", provider, former: None, skipped: Vec::new(), record }
    }
}

/// For people.
pub fn installation_page(document: &InstallationDocument) -> Page {
    let mut page = Page::new();
    head(&mut page, &document.provider);
    let (word, more) = match (document.outcome, &document.former) {
        ("installed", Some(former)) if *former != document.record.version => {
            ("installed", format!(" in place of version {former}"))
        }
        ("installed", Some(_)) => ("installed", " once more".to_owned()),
        ("unchanged", _) => ("installed", " already, and whole".to_owned()),
        (outcome, _) => (outcome, String::new()),
    };
    page.text("  ").paint(style::GOOD, word).line(&more);
    page
}

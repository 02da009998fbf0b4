//! The providers that there are, whether each can be used, and what came of an installation.

mod description;
mod installation;

use serde::Serialize;

pub use description::{DescribedEngine, DescriptionDocument, description_page};
pub use installation::{InstallationDocument, SkippedPart, installation_page};

use super::failure::{CONTRACT_VERSION, ErrorPart};
use crate::output::{Page, style};

/// What `providers list --json` and `providers check --json` say.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProvidersDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// `listed`, `compatible`, `incompatible`, or `unknown` when this machine was in the way.
    pub outcome: &'static str,
    /// The providers, the bundled ones first. May be empty.
    pub providers: Vec<ProviderPart>,
}

/// One provider.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProviderPart {
    /// Who it is.
    pub id: String,
    /// `bundled`, `manifest` or `installed`.
    pub origin: &'static str,
    /// The version of its release, or null when it was not installed.
    pub version: Option<String>,
    /// Its executable, or null for a bundled one.
    pub executable: Option<String>,
    /// Its engines.
    pub engines: Vec<EnginePart>,
    /// What names the same provider and is not used, because this one goes before it. May be empty.
    pub instead_of: Vec<InsteadPart>,
    /// What it said of itself; null when it was not started or could not be used.
    pub described: Option<DescribedPart>,
    /// Why it cannot be used, or null.
    pub error: Option<ErrorPart>,
}

/// What names a provider that is taken from elsewhere.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InsteadPart {
    /// `bundled`, `manifest` or `installed`.
    pub origin: &'static str,
    /// Its executable, or null for a bundled one.
    pub executable: Option<String>,
    /// The version of its release, or null when it was not installed.
    pub version: Option<String>,
}

/// One engine.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnginePart {
    /// Its name.
    pub name: String,
    /// Its other names. May be empty.
    pub aliases: Vec<String>,
    /// Schemes of addresses that select it, besides its names. May be empty.
    pub schemes: Vec<String>,
}

/// What a provider said of itself.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DescribedPart {
    /// What people call it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The contract that it speaks.
    pub contract: String,
    /// What it offers, sorted.
    pub features: Vec<String>,
}

/// For people.
pub fn page(document: &ProvidersDocument) -> Page {
    let mut page = Page::new();
    for provider in &document.providers {
        page.gap();
        head(&mut page, provider);
        if let Some(described) = &provider.described {
            page.line(&format!("  version     {} {}", described.name, described.version));
            page.line(&format!("  contract    {}", described.contract));
            page.text("  ").paint(style::GOOD, "can be used").end();
        }
        if let Some(error) = &provider.error {
            page.text("  ").paint(style::BAD, "cannot be used:").line(&format!(" {}", error.message));
            if let Some(hint) = &error.hint {
                page.text("  ").hint(hint);
            }
        }
    }
    page
}

/// Who it is, where it comes from, and its engines.
fn head(page: &mut Page, provider: &ProviderPart) {
    let version = provider.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    page.paint(style::STRONG, &provider.id).text(&format!("  {}{version}", provider.origin)).end();
    if let Some(executable) = &provider.executable {
        page.line(&format!("  executable  {executable}"));
    }
    for other in &provider.instead_of {
        let what = other.version.as_ref().map(|version| format!(" version {version}")).unwrap_or_default();
        let executable = other.executable.as_deref().unwrap_or("ptah");
        page.line(&format!("  instead of  the {}{what}, {executable}", one(other.origin)));
    }
    for engine in &provider.engines {
        let mut others: Vec<&str> = engine.aliases.iter().chain(&engine.schemes).map(String::as_str).collect();
        others.retain(|other| *other != engine.name);
        others.dedup();
        let others = if others.is_empty() { String::new() } else { format!(" (also {})", others.join(", ")) };
        page.line(&format!("  engine      {}{others}", engine.name));
    }
}

/// An origin as a thing.
fn one(origin: &str) -> &str {
    if origin == "manifest" { "other manifest's" } else { origin }
}

impl ProvidersDocument {
    /// The document.
    pub fn new(outcome: &'static str, providers: Vec<ProviderPart>) -> Self {
        Self { contract_version: CONTRACT_VERSION, outcome, providers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_that_cannot_be_used_says_why_and_what_to_do() {
        let error = ErrorPart {
            code: "provider_digest_mismatch".to_owned(),
            message: "the file changed".to_owned(),
            hint: Some("find out why".to_owned()),
        };
        let engine = EnginePart { name: "zorp".to_owned(), aliases: vec!["zorpdb".to_owned()], schemes: Vec::new() };
        let provider = ProviderPart {
            id: "example.org/zorp".to_owned(),
            origin: "manifest",
            version: None,
            executable: Some("/opt/zorp".to_owned()),
            engines: vec![engine],
            instead_of: vec![InsteadPart {
                origin: "installed",
                executable: Some("/srv/zorp".to_owned()),
                version: Some("1.2.0".to_owned()),
            }],
            described: None,
            error: Some(error),
        };
        assert_eq!(
            page(&ProvidersDocument::new("incompatible", vec![provider])).plain(),
            "example.org/zorp  manifest\n  executable  /opt/zorp\n  instead of  the installed version 1.2.0, /srv/zorp\n  \
             engine      zorp (also zorpdb)\n  cannot be used: the file changed\n  hint: find out why\n"
        );
    }
}

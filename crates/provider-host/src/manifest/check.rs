//! From what is written to a manifest: every value in its form, every name once.

use std::collections::BTreeMap;
use std::path::Path;

use ptah_model::{Diagnostic, EngineName, ProviderId};
use ptah_provider_api::contract::{ContractVersion, REVISION};
use serde_saphyr::Spanned;

use super::yaml::{Document, EngineEntry, Entry, Places};
use super::{DUPLICATE, Manifest, ManifestEngine, ManifestProvider, RESERVED, VALUE};
use crate::bootstrap;

/// The manifest, or all that is wrong with it.
pub(super) fn manifest(document: Document, folder: &Path, places: &Places<'_>) -> Result<Manifest, Vec<Diagnostic>> {
    let mut check = Check { places, findings: Vec::new(), ids: BTreeMap::new(), names: BTreeMap::new() };
    let entries = document.providers.into_iter();
    let providers: Vec<_> = entries.filter_map(|entry| check.provider(entry, folder)).collect();
    if check.findings.is_empty() { Ok(Manifest { providers }) } else { Err(check.findings) }
}

struct Check<'a> {
    places: &'a Places<'a>,
    findings: Vec<Diagnostic>,
    /// Provider IDs, with the line of each.
    ids: BTreeMap<String, u32>,
    /// Engine names and aliases, with the line of each.
    names: BTreeMap<String, u32>,
}

impl Check<'_> {
    /// The provider, when nothing of it is wrong. All of it is looked at either way.
    fn provider(&mut self, entry: Entry, folder: &Path) -> Option<ManifestProvider> {
        let Entry { id, executable, sha256, engines, environment, min_contract } = entry;
        let id = self.id(&id);
        let executable = self.value(&executable, executable.value.is_empty(), "an executable is not empty", |e| {
            // An absolute path replaces the folder.
            folder.join(e)
        });
        let sha256 = self.sha256(&sha256);
        if engines.value.is_empty() {
            self.refuse(&engines, "a provider has at least one engine");
        }
        let engines: Vec<Option<ManifestEngine>> = engines.value.iter().map(|engine| self.engine(engine)).collect();
        let environment = self.environment(&environment);
        let min_contract = match min_contract {
            Some(version) => self.version(&version).map(Some),
            None => Some(None),
        };
        Some(ManifestProvider {
            id: id?,
            executable: executable?,
            sha256: sha256?,
            engines: engines.into_iter().collect::<Option<_>>()?,
            environment: environment?,
            min_contract: min_contract?,
        })
    }

    fn id(&mut self, id: &Spanned<String>) -> Option<ProviderId> {
        if let Some(line) = self.ids.insert(id.value.clone(), self.places.of(id).line) {
            self.find(
                DUPLICATE,
                id,
                format!("the provider `{}` stands on line {line} already", id.value.escape_debug()),
            );
        }
        let made = ProviderId::new(id.value.clone());
        made.map_err(|error| self.refuse(id, &error.to_string())).ok()
    }

    fn engine(&mut self, engine: &EngineEntry) -> Option<ManifestEngine> {
        let name = self.name(&engine.name);
        let aliases: Vec<Option<EngineName>> = engine.aliases.iter().map(|alias| self.name(alias)).collect();
        Some(ManifestEngine { name: name?, aliases: aliases.into_iter().collect::<Option<_>>()? })
    }

    /// An engine name or alias, claimed once in the whole manifest.
    fn name(&mut self, name: &Spanned<String>) -> Option<EngineName> {
        let made = EngineName::new(name.value.clone()).map_err(|error| self.refuse(name, &error.to_string())).ok()?;
        if let Some(line) = self.names.insert(name.value.clone(), self.places.of(name).line) {
            self.find(DUPLICATE, name, format!("the name `{made}` is claimed on line {line} already"));
        }
        Some(made)
    }

    fn sha256(&mut self, digits: &Spanned<String>) -> Option<[u8; 32]> {
        let mut bytes = [0; 32];
        let whole = digits.value.len() == 64 && hex::decode_to_slice(&digits.value, &mut bytes).is_ok();
        self.value(digits, !whole, "a SHA-256 has 64 hexadecimal digits", |_| bytes)
    }

    fn version(&mut self, version: &Spanned<String>) -> Option<ContractVersion> {
        let parsed = ContractVersion::parse(&version.value);
        let sentence = format!("a contract version is `{REVISION}.` and a minor");
        let Some(parsed) = parsed.filter(|v| v.major == REVISION) else {
            self.refuse(version, &sentence);
            return None;
        };
        Some(parsed)
    }

    fn environment(&mut self, entries: &[Spanned<String>]) -> Option<Vec<(String, String)>> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let before = self.findings.len();
        for entry in entries {
            let Some((name, value)) = entry.value.split_once('=').filter(|(name, _)| !name.is_empty()) else {
                self.refuse(entry, "an environment entry is NAME=value");
                continue;
            };
            if entry.value.contains('\0') {
                self.refuse(entry, "an environment entry has no NUL");
            } else if bootstrap::is_reserved(name) {
                let sentence = format!("the variable `{}` belongs to the bootstrap", name.escape_debug());
                self.find(RESERVED, entry, sentence);
            } else if pairs.iter().any(|(seen, _)| seen == name) {
                self.find(DUPLICATE, entry, format!("the variable `{}` stands twice", name.escape_debug()));
            } else {
                pairs.push((name.to_owned(), value.to_owned()));
            }
        }
        (self.findings.len() == before).then_some(pairs)
    }

    /// Takes a value, unless it is wrong.
    fn value<T>(
        &mut self,
        written: &Spanned<String>,
        wrong: bool,
        sentence: &str,
        take: impl FnOnce(&str) -> T,
    ) -> Option<T> {
        if wrong {
            self.refuse(written, sentence);
            return None;
        }
        Some(take(&written.value))
    }

    fn refuse<T>(&mut self, written: &Spanned<T>, sentence: &str) {
        self.find(VALUE, written, sentence.to_owned());
    }

    fn find<T>(&mut self, code: ptah_model::Code, written: &Spanned<T>, sentence: String) {
        self.findings.push(Diagnostic::error(code, sentence).at(self.places.of(written)));
    }
}

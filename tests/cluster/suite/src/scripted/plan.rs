//! The plan of a schema, and the desired document: JSON, as they are attached to a frame and given back to a run.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use ptah_model::Digest;
use ptah_records::operator::latest::{Encoding, PrivilegeChange, StoredContent};
use ptah_records::operator::text::{Sha256, ShortText};
use serde::{Deserialize, Serialize};

use super::database::{Objects, Step};

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SchemaPlan {
    /// What is left out of every comparison.
    pub exclude: Vec<ShortText>,
    /// Whether all of it is one transaction.
    pub in_transaction: bool,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// What leads from one state to another: what is missing or different first, then what is too much, each by name.
pub(super) fn steps(actual: &Objects, desired: &Objects) -> Vec<Step> {
    let put = desired.iter().filter(|(name, text)| actual.get(*name) != Some(*text));
    let put = put.map(|(name, text)| Step::Put(name.clone(), text.clone()));
    let drop = actual.keys().filter(|name| !desired.contains_key(*name));
    put.chain(drop.map(|name| Step::Drop(name.clone()))).collect()
}

/// Whether steps can lose something.
pub(super) fn is_destructive(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step, Step::Drop(_)))
}

/// Whether steps take something from a protected table.
pub(super) fn hurts(steps: &[Step], protected: &[ShortText]) -> bool {
    let is_protected = |name: &str| protected.iter().any(|table| table.as_str() == name);
    steps.iter().any(|step| matches!(step, Step::Drop(name) if is_protected(name)))
}

/// What steps change about rights, sorted, each once.
pub(super) fn privileges(steps: &[Step]) -> Vec<PrivilegeChange> {
    let mut changes: Vec<_> = steps
        .iter()
        .filter(|step| step.name().starts_with("grant:"))
        .map(|step| if matches!(step, Step::Put(..)) { PrivilegeChange::Grant } else { PrivilegeChange::Revoke })
        .collect();
    changes.sort_unstable();
    changes.dedup();
    changes
}

/// Reads content that was staged: the files of a folder one after the other, by name. Nothing where one is not there.
pub(super) fn staged(folder: &Path, content: &StoredContent) -> Result<Option<Vec<u8>>> {
    ensure!(content.encoding == Encoding::Identity, "what is planned here is never packed");
    let mut files: Vec<_> =
        content.chunks.as_slice().iter().map(|chunk| folder.join(format!("{:04}", chunk.index.get()))).collect();
    files.sort();
    let mut bytes = Vec::new();
    for file in files {
        match std::fs::read(&file) {
            Ok(piece) => bytes.extend(piece),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("{}", file.display())),
        }
    }
    ensure!(Sha256::from(&Digest::of(&bytes)) == content.digest, "what was staged is something else");
    Ok(Some(bytes))
}

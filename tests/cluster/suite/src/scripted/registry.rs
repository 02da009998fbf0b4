//! The scripted registry: references, and what they lead to.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use ptah_model::{Digest, DigestBuilder};
use ptah_records::operator::latest::{MigrationStep, Resolved, StepTransaction};
use ptah_records::operator::text::{MediaType, MigrationKey, OciReference, Sha256, ShortText};
use ptah_records::operator::whole::Whole;
use serde::{Deserialize, Serialize};

use super::database::{Objects, Step};

/// A registry. What was pushed once stays under its digest, whatever a tag says later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Registry {
    /// What each reference leads to, by digest.
    pub tags: BTreeMap<String, String>,
    /// What there is, by digest.
    pub artifacts: BTreeMap<String, Artifact>,
}

/// An artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// What is in it.
    pub content: Content,
    /// Whether every policy trusts it.
    pub trusted: bool,
}

/// What is in an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Content {
    /// A schema: what is wanted.
    Schema(Objects),
    /// A sequence of migrations.
    Migrations(Vec<Migration>),
}

/// A migration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Migration {
    /// Its version.
    pub version: MigrationKey,
    /// What it is about.
    pub description: Option<ShortText>,
    /// Whether it stands for all versions before it.
    pub checkpoint: bool,
    /// How it relates to transactions; absent where the engine chooses, which here is none.
    pub transaction: Option<StepTransaction>,
    /// Its statements.
    pub steps: Vec<Step>,
}

impl Registry {
    /// Pushes content under a reference, and says its digest.
    pub fn push(&mut self, reference: &str, content: Content) -> Result<Sha256> {
        let digest = Sha256::from(&Digest::of(&serde_json::to_vec(&content)?));
        self.tags.insert(reference.to_owned(), digest.to_string());
        self.artifacts.insert(digest.to_string(), Artifact { content, trusted: true });
        Ok(digest)
    }

    /// What a reference leads to: by the digest that is wanted or that it has itself, by its tag otherwise.
    pub(crate) fn resolve(&self, reference: &OciReference, wanted: Option<&Sha256>) -> Option<(Sha256, &Artifact)> {
        let text = reference.as_str();
        let pinned = text.rsplit_once('@').map(|(_, digest)| digest);
        let tagged = || self.tags.get(text).map(String::as_str);
        let digest = wanted.map(Sha256::as_str).or(pinned).or_else(tagged)?;
        Some((Sha256::new(digest).ok()?, self.artifacts.get(digest)?))
    }

    /// What a digest leads to.
    pub(crate) fn by_digest(&self, digest: &Sha256) -> Option<&Content> {
        self.artifacts.get(digest.as_str()).map(|artifact| &artifact.content)
    }
}

impl Content {
    /// What a reference led to, in the words of a frame.
    pub(crate) fn resolved(&self, reference: &OciReference, digest: &Sha256) -> Result<Resolved> {
        let repository = repository(reference.as_str());
        let kind = match self {
            Self::Schema(_) => "application/vnd.ptah.schema.v1",
            Self::Migrations(_) => "application/vnd.ptah.migrations.v1",
        };
        Ok(Resolved {
            reference: OciReference::new(format!("{repository}@{digest}"))?,
            digest: digest.clone(),
            media_type: MediaType::new("application/vnd.oci.image.manifest.v1+json")?,
            artifact_type: Some(MediaType::new(kind)?),
            size: Whole::new(u64::try_from(serde_json::to_vec(self)?.len())?)?,
        })
    }

    /// The digest over its files.
    pub(crate) fn files_digest(&self) -> Result<Sha256> {
        let files = DigestBuilder::new("ptah.scripted.files.v1").bytes(&serde_json::to_vec(self)?);
        Ok(Sha256::from(&files.finish()))
    }
}

/// A reference without its tag and its digest.
fn repository(reference: &str) -> &str {
    let named = reference.split('@').next().unwrap_or(reference);
    let after_path = named.rfind('/').map_or(0, |slash| slash + 1);
    let tag = named[after_path..].find(':');
    tag.map_or(named, |tag| &named[..after_path + tag])
}

impl Migration {
    /// A migration in a transaction of its own.
    pub fn new(version: &str, steps: Vec<Step>) -> Result<Self> {
        let version = MigrationKey::new(version).context("a migration's version")?;
        Ok(Self { version, description: None, checkpoint: false, transaction: Some(StepTransaction::File), steps })
    }

    /// The checksum of its file.
    pub fn checksum(&self) -> Result<MigrationKey> {
        let file = DigestBuilder::new("ptah.scripted.migration.v1").bytes(&serde_json::to_vec(&self.steps)?);
        Ok(MigrationKey::new(format!("h1:{}", file.finish().short()))?)
    }

    /// The same in the words of a plan; `mode` is what the resource says about transactions.
    pub(crate) fn step(&self, mode: Option<StepTransaction>) -> Result<MigrationStep> {
        Ok(MigrationStep {
            version: self.version.clone(),
            description: self.description.clone(),
            checksum: self.checksum()?,
            checkpoint: self.checkpoint,
            transaction_mode: self.transaction.or(mode),
        })
    }
}

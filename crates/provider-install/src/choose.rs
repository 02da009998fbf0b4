//! Which release is installed: the newest that this host can run, decided from descriptors alone, before anything of a
//! release is fetched. Pure: releases and wishes in, a choice out, with every release that was passed over and why.

use std::fmt;

use ptah_model::{Code, Diagnostic, ProviderId};
use ptah_provider_api::contract::{ContractVersion, REVISION};
use ptah_records::provider::DocumentError;
use semver::Version;

use crate::platform::Platform;
use crate::release::{Artifact, Release, ReleaseFault};
use crate::source::Place;

/// A release that is offered, or why it cannot be read.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    /// Where its relative files are.
    pub(crate) place: Place,
    pub(crate) release: Result<Release, Why>,
}

/// What is wanted.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    /// A provider's ID, or an engine's name or alias; absent where there is only one provider.
    pub(crate) name: Option<&'a str>,
    /// The version; absent means the newest.
    pub(crate) version: Option<&'a Version>,
    pub(crate) machine: &'a Platform,
    /// What this host speaks.
    pub(crate) contract: ContractVersion,
}

/// What was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) place: Place,
    pub(crate) release: Release,
    pub(crate) artifact: Artifact,
    /// What would have gone before it and cannot be used.
    pub(crate) skipped: Vec<Skipped>,
}

/// A release that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Which: its provider and version, or its place in the index.
    pub release: String,
    /// Why.
    pub why: Why,
}

/// Why a release was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It needs a newer host.
    TooNew {
        /// The oldest contract that it works with.
        needs: ContractVersion,
        /// Ours.
        ours: ContractVersion,
    },
    /// It is of another major.
    Major {
        /// Its contract.
        theirs: ContractVersion,
    },
    /// It has no build for this machine.
    Platform {
        /// This machine.
        machine: Platform,
        /// What it has builds for.
        builds: Vec<Platform>,
    },
    /// It is a preview, and was not asked for by its version.
    Preview,
    /// Its descriptor is of another form or is none.
    Document(DocumentError),
    /// A value in its descriptor is not in its form.
    Value(ReleaseFault),
    /// The index says that it lies outside of the index's folder.
    Folder,
}

/// Why nothing was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unchosen {
    /// Nothing that is offered has that name.
    Unnamed { known: Vec<ProviderId>, skipped: Vec<Skipped> },
    /// Several providers are offered, and nothing says which is meant.
    Several { providers: Vec<ProviderId> },
    /// Nothing has that version.
    NoVersion { known: Vec<Version>, skipped: Vec<Skipped> },
    /// One version of one provider stands twice.
    Twice { provider: ProviderId, version: Version },
    /// Nothing that has the name, and the version, can be used.
    NothingFits { skipped: Vec<Skipped> },
}

/// Chooses.
pub(crate) fn choose(offers: Vec<Offer>, wanted: &Wanted<'_>) -> Result<Chosen, Unchosen> {
    let mut skipped = Vec::new();
    let mut readable = Vec::new();
    for (at, Offer { place, release }) in offers.into_iter().enumerate() {
        match release {
            Ok(release) => readable.push((place, release)),
            Err(why) => skipped.push(Skipped { release: format!("release {} of the index", at + 1), why }),
        }
    }
    let mut known: Vec<ProviderId> = readable.iter().map(|(_, release)| release.provider.clone()).collect();
    known.sort_unstable();
    known.dedup();
    readable.retain(|(_, release)| wanted.name.is_none_or(|name| release.answers_to(name)));
    let mut providers: Vec<ProviderId> = readable.iter().map(|(_, release)| release.provider.clone()).collect();
    providers.sort_unstable();
    providers.dedup();
    match providers.len() {
        0 => return Err(Unchosen::Unnamed { known, skipped }),
        1 => {}
        _ => return Err(Unchosen::Several { providers }),
    }
    readable.sort_by(|(_, a), (_, b)| b.version.cmp(&a.version));
    let twice = readable.iter().zip(readable.iter().skip(1)).find(|((_, a), (_, b))| a.version == b.version);
    if let Some(((_, twice), _)) = twice {
        return Err(Unchosen::Twice { provider: twice.provider.clone(), version: twice.version.clone() });
    }
    if let Some(version) = wanted.version {
        let known: Vec<Version> = readable.iter().map(|(_, release)| release.version.clone()).collect();
        readable.retain(|(_, release)| release.version == *version);
        if readable.is_empty() {
            return Err(Unchosen::NoVersion { known, skipped });
        }
    }
    for (place, release) in readable {
        match fits(&release, wanted) {
            Ok(artifact) => return Ok(Chosen { place, artifact: artifact.clone(), release, skipped }),
            Err(why) => {
                skipped.push(Skipped { release: format!("{} {}", release.provider, release.version), why });
            }
        }
    }
    Err(Unchosen::NothingFits { skipped })
}

/// The build of a release that can be used here, or why there is none.
fn fits<'a>(release: &'a Release, wanted: &Wanted<'_>) -> Result<&'a Artifact, Why> {
    if release.contract.major != REVISION {
        return Err(Why::Major { theirs: release.contract });
    }
    if let Some(needs) = release.min_contract.filter(|needs| *needs > wanted.contract) {
        return Err(Why::TooNew { needs, ours: wanted.contract });
    }
    if !release.version.pre.is_empty() && wanted.version.is_none() {
        return Err(Why::Preview);
    }
    release.artifact_for(wanted.machine).ok_or_else(|| Why::Platform {
        machine: wanted.machine.clone(),
        builds: release.artifacts.iter().map(|artifact| artifact.platform.clone()).collect(),
    })
}

/// A release that was passed over, as a finding.
pub const SKIPPED: Code = Code("release.skipped");

impl Skipped {
    /// As a finding.
    pub fn finding(&self) -> Diagnostic {
        Diagnostic::note(SKIPPED, self.to_string())
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.release, self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooNew { needs, ours } => {
                write!(f, "it needs a host of contract {needs} or later, and this host speaks {ours}")
            }
            Self::Major { theirs } => write!(f, "it speaks contract {theirs}, and this host speaks {REVISION}"),
            Self::Platform { machine, builds } => {
                let builds: Vec<String> = builds.iter().map(ToString::to_string).collect();
                write!(f, "it has no build for {machine}, only for {}", builds.join(", "))
            }
            Self::Preview => f.write_str("it is a preview, which is installed only when its version is asked for"),
            Self::Document(DocumentError::Malformed(problem)) => write!(f, "its descriptor is malformed: {problem}"),
            Self::Document(other) => write!(f, "its descriptor is not read: {other}"),
            Self::Folder => f.write_str("its folder is no path below the index"),
            Self::Value(fault) => write!(f, "its descriptor is not used: {fault}"),
        }
    }
}

#[cfg(test)]
mod tests;

//! Describe: negotiation, and what a provider declares about itself and its engines.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{EngineName, IdentifierRules, Kind, KindModel, ProviderId};

use crate::Violation;
use crate::contract::{ContractVersion, REVISION};
use crate::feature;

/// What the host says first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeRequest {
    /// The contract version that the host speaks.
    pub contract: ContractVersion,
    /// The features that the host acts on.
    pub host_features: BTreeSet<String>,
    /// The features without which the host refuses: [`feature::REQUIRED`].
    pub required_features: BTreeSet<String>,
    /// The host's program name and version, for the provider's own records.
    pub host: String,
}

/// What a provider is. Narrowed by the SDK to what the host can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Who made it.
    pub provider_id: ProviderId,
    /// What people call it; one line.
    pub display_name: String,
    /// Its own version, without a leading `v`.
    pub version: String,
    /// For a provider that is part of the host's own executable: the build both must share. Absent otherwise.
    pub build_id: Option<String>,
    /// The contract version that it speaks.
    pub contract: ContractVersion,
    /// The oldest host that it works with; absent means the first minor of the major.
    pub min_contract: Option<ContractVersion>,
    /// What it offers.
    pub features: BTreeSet<String>,
    /// Its engines, at least one, with distinct names and aliases.
    pub engines: Vec<Engine>,
}

/// One engine of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// Its name.
    pub name: EngineName,
    /// Other names that select it.
    pub aliases: Vec<EngineName>,
    /// The schemes of addresses that select it, without `://`.
    pub url_schemes: Vec<EngineName>,
    /// What it offers of the provider's features, and promises of its own.
    pub features: BTreeSet<String>,
    /// How names compare unless a session says otherwise. Absent is refused where a decision hangs on it.
    pub identifier_rules: Option<IdentifierRules>,
    /// Facts for commands that open no session. Present only under `engine.default-capabilities`.
    pub default_capabilities: BTreeMap<String, bool>,
    /// The kinds of objects it reads.
    pub models: Vec<KindModel>,
}

impl Engine {
    /// Whether a name selects this engine, as its name, an alias or a scheme.
    pub fn answers_to(&self, name: &str) -> bool {
        let all = self.aliases.iter().chain(&self.url_schemes);
        self.name.as_str() == name || all.map(EngineName::as_str).any(|n| n == name)
    }
}

impl Description {
    /// The engine that a name selects.
    pub fn engine(&self, name: &str) -> Option<&Engine> {
        self.engines.iter().find(|e| e.answers_to(name))
    }

    /// Proves what the contract promises of a description, apart from versions and required features, which the host
    /// judges because it explains them in its own words.
    pub fn validate(&self) -> Result<(), Violation> {
        const M: &str = "Description";
        let one_line = |t: &str| !t.is_empty() && t.len() <= 255 && !t.chars().any(char::is_control);
        Violation::unless(one_line(&self.display_name), M, "display_name", "is one line of 1 to 255 bytes")?;
        Violation::unless(one_line(&self.version), M, "version", "is one line of 1 to 255 bytes")?;
        Violation::unless(!self.engines.is_empty(), M, "engines", "has at least one engine")?;
        let named = self.features.iter().all(|f| feature::is_feature_name(f));
        Violation::unless(named, M, "features", "is a list of feature names")?;
        let same_major = self.min_contract.is_none_or(|v| v.major == REVISION);
        Violation::unless(same_major, M, "min_contract", "is of the same major")?;
        let mut names = BTreeSet::new();
        for engine in &self.engines {
            engine.validate(self)?;
            let fresh = names.insert(&engine.name);
            Violation::unless(fresh, M, "engines.name", "is distinct among names and aliases")?;
            for alias in &engine.aliases {
                let fresh = names.insert(alias);
                Violation::unless(fresh, M, "engines.aliases", "is distinct among names and aliases")?;
            }
        }
        // A scheme may repeat the engine's own names. One of another engine would select whichever comes first.
        let shared = |(place, engine): (usize, &Engine)| {
            let others = self.engines.iter().enumerate().filter(|(other, _)| *other != place);
            others.map(|(_, other)| other).any(|other| engine.url_schemes.iter().any(|s| other.answers_to(s.as_str())))
        };
        let apart = !self.engines.iter().enumerate().any(shared);
        Violation::unless(apart, M, "engines.url_schemes", "select no other engine")
    }
}

impl Engine {
    fn validate(&self, of: &Description) -> Result<(), Violation> {
        const M: &str = "Engine";
        let named = self.features.iter().all(|f| feature::is_feature_name(f));
        Violation::unless(named, M, "features", "is a list of feature names")?;
        let offered = feature::gated_calls()
            .iter()
            .all(|(name, _)| !self.features.contains(*name) || of.features.contains(*name));
        Violation::unless(offered, M, "features", "offers no service that the provider does not")?;
        let kinds: BTreeSet<&Kind> = self.models.iter().map(|m| &m.kind).collect();
        Violation::unless(kinds.len() == self.models.len(), M, "models", "declares each kind once")?;
        let parents = self.models.iter().filter_map(|m| m.parent.as_ref()).all(|p| kinds.contains(p));
        Violation::unless(parents, M, "models.parent", "is a declared kind")?;
        let members = self.models.iter().all(|m| !m.member || m.parent.is_some());
        Violation::unless(members, M, "models.member", "has a parent")
    }
}

//! What is known about a database and its server.

use std::collections::BTreeMap;

use ptah_provider_api::claim::ClaimsReading;
use ptah_provider_api::session::{IdentityState, Session};
use serde::Serialize;

use super::failure::CONTRACT_VERSION;
use crate::output::{Page, style};

/// What `db capabilities --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CapabilitiesDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// Always `read`.
    pub outcome: &'static str,
    /// The engine.
    pub engine: String,
    /// What people call the database.
    pub database: String,
    /// Whether it is there.
    pub exists: bool,
    /// The server's version.
    pub server_version: String,
    /// The schema that unqualified names mean, or null.
    pub default_schema: Option<String>,
    /// Which database it is.
    pub identity: IdentityPart,
    /// How many operations in it nobody finished; null when it keeps no record of them.
    pub unfinished_operations: Option<usize>,
    /// What the session offers, sorted.
    pub features: Vec<String>,
    /// Named facts: an absent one is not known, which is not the same as false.
    pub capabilities: BTreeMap<String, bool>,
    /// What opening it took. May be empty.
    pub notes: Vec<String>,
}

/// Which database it is.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IdentityPart {
    /// `new`, `same` or `moved-or-copied`.
    pub state: &'static str,
    /// Our UUID in it; null before the first apply.
    pub uuid: Option<String>,
    /// What the server says it is.
    pub physical: String,
    /// The route that led there.
    pub route: String,
}

impl CapabilitiesDocument {
    /// The document of a session, and of what the database remembers.
    pub fn of(session: &Session, claims: Option<&ClaimsReading>) -> Self {
        let identity = claims.map_or(&session.identity, |claims| &claims.identity);
        let state = match identity.state() {
            IdentityState::New => "new",
            IdentityState::Same => "same",
            IdentityState::MovedOrCopied => "moved-or-copied",
        };
        Self {
            contract_version: CONTRACT_VERSION,
            outcome: "read",
            engine: session.engine.to_string(),
            database: session.database.clone(),
            exists: session.exists,
            server_version: session.server_version.clone(),
            default_schema: session.default_schema.clone(),
            identity: IdentityPart {
                state,
                uuid: identity.uuid.clone(),
                physical: identity.physical.clone(),
                route: identity.route.clone(),
            },
            unfinished_operations: claims.map(|claims| claims.unfinished().count()),
            features: session.features.iter().cloned().collect(),
            capabilities: session.capabilities.clone(),
            notes: session.notes.clone(),
        }
    }
}

/// For people.
pub fn page(document: &CapabilitiesDocument) -> Page {
    let mut page = Page::new();
    let mut say = |label: &str, fact: &str| {
        page.paint(style::FAINT, &format!("{label:<16}")).line(fact);
    };
    say("database", &document.database);
    say("exists", if document.exists { "yes" } else { "no" });
    say("engine", &format!("{} {}", document.engine, document.server_version));
    if let Some(schema) = &document.default_schema {
        say("default schema", schema);
    }
    let identity = match (document.identity.state, &document.identity.uuid) {
        ("same", Some(uuid)) => uuid.clone(),
        ("moved-or-copied", Some(uuid)) => format!("{uuid}, moved or copied since"),
        _ => format!("{} (weak: ptah never changed it)", document.identity.route),
    };
    say("identity", &identity);
    if let Some(unfinished) = document.unfinished_operations {
        say("unfinished", &format!("operations: {unfinished}"));
    }
    say("features", &document.features.join(", "));
    for (name, value) in &document.capabilities {
        say(if *value { "yes" } else { "no" }, name);
    }
    for note in &document.notes {
        say("note", note);
    }
    page
}

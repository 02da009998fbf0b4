//! What was said without a session, with the words that it is weaker.

use ptah_drive::{Engine, offline};
use ptah_model::{Diagnostic, Risk};
use ptah_plan::Desired;
use ptah_plan::offline::{Difference, Offline, OfflineChange};
use ptah_records::report::v1::DiagnosticV1;
use serde::Serialize;

use super::counted;
use super::failure::{CONTRACT_VERSION, diagnostics};
use super::schema::DefinitionPart;
use crate::output::{Page, style};

/// Why an offline answer is weaker.
const WEAKER: &str = "no session was opened, so this is what the sources say and not what the engine makes of them";

/// What took the place of what a session states.
#[derive(Clone, Debug, Serialize)]
pub struct Defaults {
    /// The engine.
    pub engine: String,
    /// Always the same sentence: why this is weaker than an answer that is not offline.
    pub weaker: &'static str,
    /// What the engine says of itself: whether statements of the schema can be part of a transaction. Null where it
    /// says nothing.
    pub ddl_inside_transaction: Option<bool>,
}

/// What `schema render --offline --json` says.
#[derive(Debug, Serialize)]
pub struct OfflineRendering {
    /// See [`CONTRACT_VERSION`].
    pub contract_version: u64,
    /// Always `rendered`.
    pub outcome: &'static str,
    /// What it rests on.
    pub offline: Defaults,
    /// The statements in an order in which they can be run. May be empty.
    pub definitions: Vec<DefinitionPart>,
}

/// What `schema diff --offline --json` says.
#[derive(Debug, Serialize)]
pub struct OfflineComparison {
    /// See [`CONTRACT_VERSION`].
    pub contract_version: u64,
    /// `changes` or `no-changes`.
    pub outcome: &'static str,
    /// What it rests on.
    pub offline: Defaults,
    /// The differences. May be empty.
    pub changes: Vec<OfflinePart>,
    /// The statements that would end them, in order; null when only a plan could tell them.
    pub statements: Option<Vec<String>>,
    /// What was found. May be empty.
    pub diagnostics: Vec<DiagnosticV1>,
}

/// One difference.
#[derive(Debug, Serialize)]
pub struct OfflinePart {
    /// What would be done, for people.
    pub change: String,
    /// The object.
    pub object: String,
    /// The class that the kind alone gives.
    pub risk: String,
}

impl Defaults {
    /// What an engine declares.
    pub fn of(engine: &Engine) -> Self {
        let ddl_inside_transaction = offline::ddl_inside_transaction(engine);
        Self { engine: engine.name().to_string(), weaker: WEAKER, ddl_inside_transaction }
    }

    /// For people.
    pub fn page(&self) -> Page {
        let engine = &self.engine;
        let fact = match self.ddl_inside_transaction {
            Some(true) => format!("`{engine}` says of itself that statements of a schema can run in one transaction"),
            Some(false) => format!("`{engine}` says of itself that statements of a schema run outside of transactions"),
            None => format!("`{engine}` does not say whether statements of a schema can run in one transaction"),
        };
        let mut page = Page::new();
        page.paint(style::WARN, "offline:").text(" ").line(self.weaker);
        page.paint(style::WARN, "offline:").text(" ").line(&fact);
        page
    }
}

/// The differences.
pub fn page(compared: &Offline) -> Page {
    let mut page = Page::new();
    if compared.changes.is_empty() {
        page.paint(style::GOOD, "the same").line(": both say the same");
        return page;
    }
    let differences = counted(compared.changes.len(), "difference");
    page.paint(style::STRONG, &format!("the first schema differs: {differences}")).end();
    for change in &compared.changes {
        match change.risk {
            Risk::Safe => page.text("     "),
            Risk::Warning => page.paint(style::WARN, "  !  "),
            Risk::Destructive => page.paint(style::BAD, "  !! "),
        };
        page.line(&sentence(change));
    }
    if compared.statements.is_none() {
        page.gap().paint(style::BAD, "no statements").line(": what these changes take, only a plan can tell");
        page.hint("leave out --offline, so that both schemas are created in dev databases and read back");
    }
    page
}

fn sentence(change: &OfflineChange) -> String {
    let object = &change.object;
    match change.difference {
        Difference::Create => format!("create {object}"),
        Difference::Drop => format!("drop {object}"),
        Difference::Redefine => format!("{object} is defined in another way"),
        Difference::Rename => format!("rename to or in {object}"),
    }
}

impl OfflineRendering {
    /// The document of a rendering.
    pub fn of(desired: &Desired, offline: Defaults) -> Self {
        let part = |statement: &ptah_plan::DesiredStatement| DefinitionPart {
            object: statement.object.to_string(),
            sql: statement.text.clone(),
        };
        let definitions = desired.statements.iter().map(part).collect();
        Self { contract_version: CONTRACT_VERSION, outcome: "rendered", offline, definitions }
    }
}

impl OfflineComparison {
    /// The document of a comparison.
    pub fn of(compared: &Offline, notes: &[Diagnostic], offline: Defaults) -> Self {
        let part = |change: &OfflineChange| OfflinePart {
            change: sentence(change),
            object: change.object.to_string(),
            risk: change.risk.to_string(),
        };
        Self {
            contract_version: CONTRACT_VERSION,
            outcome: if compared.changes.is_empty() { "no-changes" } else { "changes" },
            offline,
            changes: compared.changes.iter().map(part).collect(),
            statements: compared.statements.clone(),
            diagnostics: diagnostics(notes),
        }
    }
}

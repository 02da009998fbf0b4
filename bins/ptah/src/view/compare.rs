//! How two schemas differ, and the statements that would end it.

use ptah_diff::Change;
use ptah_drive::look::Compared;
use ptah_model::Risk;
use ptah_plan::document::explanation;
use ptah_records::report::v1::{DiagnosticV1, ExplanationV1};
use serde::Serialize;

use super::counted;
use super::failure::{CONTRACT_VERSION, diagnostics};
use super::plan::steps;
use crate::output::{Page, style};

/// What was compared with what is wanted.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A database, by what people call it.
    Database(&'a str),
    /// Other sources.
    Sources,
}

/// The differences, and the steps that would end them where `with_steps` says so.
pub fn page(compared: &Compared, subject: Subject<'_>, with_steps: bool) -> Page {
    let mut page = Page::new();
    let subject = match subject {
        Subject::Database(name) => name,
        Subject::Sources => "the first schema",
    };
    if compared.changes.is_empty() {
        page.paint(style::GOOD, "in sync").line(&format!(": {subject} is as it is wanted"));
        return page;
    }
    let differences = counted(compared.changes.len(), "difference");
    page.paint(style::STRONG, &format!("{subject} differs: {differences}")).end();
    for change in &compared.changes {
        difference(&mut page, change);
    }
    if with_steps && !compared.explanations.is_empty() {
        page.gap().paint(style::STRONG, "What would end the differences").end();
        steps(&mut page, &compared.explanations, false);
    }
    page
}

fn difference(page: &mut Page, change: &Change) {
    match change.risk {
        Risk::Safe => page.text("     "),
        Risk::Warning => page.paint(style::WARN, "  !  "),
        Risk::Destructive => page.paint(style::BAD, "  !! "),
    };
    page.line(&change.to_string());
}

/// What `schema compare`, `schema drift` and `schema diff` say with `--json`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparisonDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// `changes` or `no-changes`.
    pub outcome: &'static str,
    /// What people call the database; null when none was compared.
    pub database: Option<String>,
    /// Whether the differences make the command fail.
    pub failed: bool,
    /// The highest class of the differences and of the steps that would end them; null when there is none.
    pub highest_risk: Option<String>,
    /// The differences. May be empty.
    pub changes: Vec<ChangePart>,
    /// The statements that would end them, in order. May be empty.
    pub statements: Vec<String>,
    /// The steps that would end them. May be empty.
    pub steps: Vec<ExplanationV1>,
    /// What was found. May be empty.
    pub diagnostics: Vec<DiagnosticV1>,
}

/// One difference.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangePart {
    /// What would be done, for people.
    pub change: String,
    /// The object.
    pub object: String,
    /// The member of it, or null.
    pub member: Option<String>,
    /// The class that the kinds alone give.
    pub risk: String,
    /// What would be lost, or null.
    pub loss: Option<String>,
}

impl ComparisonDocument {
    /// The document of a comparison.
    pub fn of(compared: &Compared, database: Option<String>, failed: bool) -> Self {
        let part = |change: &Change| ChangePart {
            change: change.to_string(),
            object: change.object.to_string(),
            member: change.member.as_ref().map(ToString::to_string),
            risk: change.risk.to_string(),
            loss: change.loss.map(|loss| loss.to_string()),
        };
        let risks = compared.changes.iter().map(|c| c.risk).chain(compared.explanations.iter().map(|e| e.risk));
        Self {
            contract_version: CONTRACT_VERSION,
            outcome: if compared.changes.is_empty() { "no-changes" } else { "changes" },
            database,
            failed,
            highest_risk: risks.max().map(|risk| risk.to_string()),
            changes: compared.changes.iter().map(part).collect(),
            statements: compared.explanations.iter().flat_map(|e| e.statements.clone()).collect(),
            steps: compared.explanations.iter().map(explanation).collect(),
            diagnostics: diagnostics(&compared.findings),
        }
    }
}

#[cfg(test)]
mod tests {
    use ptah_diff::{Action, ChangeId};
    use ptah_model::{Comparison, Kind, Loss, Name, ObjectId};

    use super::*;

    fn compared(changes: Vec<Change>) -> Compared {
        Compared { changes, explanations: Vec::new(), findings: Vec::new() }
    }

    fn dropped() -> Change {
        let name = Name::new("old", Comparison::Exact);
        let object = ObjectId { kind: Kind::table(), schema: None, owner: None, name };
        let (risk, loss) = (Risk::Destructive, Some(Loss::Rows));
        Change { id: ChangeId(0), object, member: None, action: Action::Drop, risk, loss }
    }

    #[test]
    fn differences_are_counted_and_marked() {
        let text = |changes| page(&compared(changes), Subject::Database("app.db"), true).plain();
        assert_eq!(text(vec![]), "in sync: app.db is as it is wanted\n");
        assert_eq!(text(vec![dropped()]), "app.db differs: 1 difference\n  !! drop table old\n");
    }

    #[test]
    fn a_document_without_differences_has_empty_lists() {
        insta::assert_json_snapshot!(ComparisonDocument::of(&compared(vec![]), None, false));
        let document = ComparisonDocument::of(&compared(vec![dropped()]), Some("app.db".to_owned()), true);
        assert_eq!(document.highest_risk.as_deref(), Some("destructive"));
        assert_eq!(document.changes[0].loss.as_deref(), Some("rows"));
    }
}

//! A command that ended early: for people, and as the document that a caller gets in place of the answer.

use ptah_model::Diagnostic;
use ptah_plan::document::diagnostic;
use ptah_records::report::v1::DiagnosticV1;
use serde::Serialize;

use super::diagnostics::{Texts, page as findings_page};
use crate::failure::Failure;
use crate::output::{Page, style};

pub use ptah_records::report::CONTRACT_VERSION;

/// The document of a command that ended early.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FailureDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// Always `failed`.
    pub outcome: &'static str,
    /// Why.
    pub error: ErrorPart,
    /// What was found. May be empty.
    pub diagnostics: Vec<DiagnosticV1>,
}

/// Why a command ended early.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorPart {
    /// A stable code.
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do, or null.
    pub hint: Option<String>,
}

/// The findings as parts of a document.
pub fn diagnostics(findings: &[Diagnostic]) -> Vec<DiagnosticV1> {
    findings.iter().map(diagnostic).collect()
}

/// The document.
pub fn document(failure: &Failure) -> FailureDocument {
    FailureDocument {
        contract_version: CONTRACT_VERSION,
        outcome: "failed",
        error: error_part(failure),
        diagnostics: diagnostics(&failure.findings),
    }
}

/// Why, as part of a document.
pub fn error_part(failure: &Failure) -> ErrorPart {
    ErrorPart { code: failure.code.clone(), message: failure.message.clone(), hint: failure.hint.clone() }
}

/// For people: the findings first, then the one line that says why the command ended.
pub fn page(failure: &Failure, texts: &Texts<'_>) -> Page {
    let mut page = findings_page(&failure.findings, texts);
    page.gap().paint(style::BAD, "error:").text(" ").line(&failure.message);
    if let Some(hint) = &failure.hint {
        page.hint(hint);
    }
    page
}

#[cfg(test)]
mod tests {
    use ptah_model::Code;

    use super::*;

    #[test]
    fn a_failure_is_one_line_and_what_to_do_apart_from_it() {
        let failure = Failure::usage("no database is named").hint("name one with --db-url");
        assert_eq!(
            page(&failure, &Texts::default()).plain(),
            "error: no database is named\nhint: name one with --db-url\n"
        );
    }

    #[test]
    fn a_failures_document_has_lists_even_when_they_are_empty() {
        let failure = Failure::usage("no database is named");
        insta::assert_json_snapshot!(document(&failure));
        let findings = vec![Diagnostic::note(Code("c"), "n")];
        assert_eq!(document(&Failure::sources(findings)).diagnostics.len(), 1);
    }
}

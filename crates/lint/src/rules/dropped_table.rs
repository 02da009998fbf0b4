//! DS101: a table goes, with its rows.

use ptah_diff::Action;
use ptah_model::{Code, Diagnostic, Holds, Severity};

use crate::{Rule, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code("DS101"),
    severity: Severity::Warning,
    sentence: "dropping a table loses its rows",
    hint: "save what is needed first, or keep the table in the sources",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    let told = |change| rule.about(change, subject, format!("{} is dropped with its rows", change.object));
    subject.with(&Action::Drop, Holds::Rows).map(told).collect()
}

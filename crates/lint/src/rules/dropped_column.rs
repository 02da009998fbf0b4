//! DS102: a column goes, with its value in every row.

use ptah_diff::Action;
use ptah_model::{Code, Diagnostic, Holds, Severity};

use crate::{Rule, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code("DS102"),
    severity: Severity::Warning,
    sentence: "dropping a column loses its value in every row",
    hint: "save what is needed first, and drop it once nothing reads it any more",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    let told = |change: &ptah_diff::Change| {
        let summary = format!("{} is dropped with its value in every row", change.subject());
        rule.about(change, subject, summary)
    };
    subject.with(&Action::Drop, Holds::Values).map(told).collect()
}

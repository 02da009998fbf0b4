//! DD101: a column that refuses to be empty is added to a table that may have rows, with nothing to put into them.

use ptah_diff::{Action, Change};
use ptah_model::{Code, Diagnostic, Holds, Severity};

use crate::{Rule, Subject, facet};

pub(super) const RULE: Rule = Rule {
    code: Code("DD101"),
    severity: Severity::Warning,
    sentence: "a column that may not be null and has no default cannot be added to a table with rows",
    hint: "give it a default, or add it as nullable, fill it, and forbid null afterwards",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    let added = subject.with(&Action::Create, Holds::Values);
    added
        .filter(|change| {
            let unfilled = |c: &Change| !subject.wants(c, facet::DEFAULT) && !subject.wants(c, facet::GENERATED);
            subject.exists(&change.object) && subject.wants(change, facet::NOT_NULL) && unfilled(change)
        })
        .map(|change| {
            let summary = format!("{} may not be null, has no default, and the table may have rows", change.subject());
            rule.about(change, subject, summary)
        })
        .collect()
}

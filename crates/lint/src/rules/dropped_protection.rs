//! DS103: a key, a check or a reference goes, and wrong rows are let in from then on.

use ptah_diff::{Action, Change};
use ptah_model::{Code, Diagnostic, Holds, Severity};

use crate::{Rule, Subject, kind};

pub(super) const RULE: Rule = Rule {
    code: Code("DS103"),
    severity: Severity::Warning,
    sentence: "dropping a constraint lets rows in that it kept out, and adding it again can fail on them",
    hint: "keep it in the sources unless such rows are wanted",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    // A constraint that says something else is dropped and added: that is a change of it, and its own rule tells.
    let replaced = |gone: &&Change| {
        let new = |c: &&Change| c.object == gone.object && c.action == Action::Create && kind(c) == kind(gone);
        subject.changes.iter().any(|c| new(&c))
    };
    let dropped = subject.with(&Action::Drop, Holds::Protection);
    dropped
        .filter(|change| !replaced(change))
        .map(|change| rule.about(change, subject, format!("{} no longer keeps wrong rows out", change.subject())))
        .collect()
}

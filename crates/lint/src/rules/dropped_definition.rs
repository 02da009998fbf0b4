//! DS104: a view or a trigger goes, and nothing takes its name.

use ptah_diff::{Action, Change};
use ptah_model::{Code, Diagnostic, Holds, Severity};

use crate::{Rule, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code("DS104"),
    severity: Severity::Warning,
    sentence: "a view or a trigger that is dropped and not made again stops what relied on it",
    hint: "make sure that nothing reads it or relies on what it does",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    let made_again = |gone: &Change| {
        let (schema, name) = (&gone.object.schema, &gone.object.name);
        let same = |c: &Change| c.object.schema == *schema && c.object.name == *name;
        let made = |c: &Change| c.member.is_none() && c.action == Action::Create;
        subject.changes.iter().any(|c| made(c) && same(c))
    };
    let dropped = subject.with(&Action::Drop, Holds::Definition);
    dropped
        .filter(|change| !made_again(change))
        .map(|change| rule.about(change, subject, format!("{} is dropped and not made again", change.subject())))
        .collect()
}

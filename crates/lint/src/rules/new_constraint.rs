//! DD102: a key, a check, a reference or a unique index over rows that are there already.

use ptah_diff::{Action, Change};
use ptah_model::{Code, Diagnostic, Holds, Severity};

use crate::{Rule, Subject, facet};

pub(super) const RULE: Rule = Rule {
    code: Code("DD102"),
    severity: Severity::Warning,
    sentence: "a constraint over rows that exist fails when one of them breaks it",
    hint: "look for rows that break it, and change them first",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    let over_rows = |change: &&Change| {
        if change.action != Action::Create {
            return false;
        }
        match &change.member {
            Some(member) => subject.holds(&member.kind) == Some(Holds::Protection) && subject.exists(&change.object),
            None => subject.wants(change, facet::UNIQUE) && subject.owner_exists(&change.object),
        }
    };
    let new = subject.changes.iter().filter(over_rows);
    new.map(|change| {
        let counted = if subject.is_checked(change) { "; the plan counts them before anything runs" } else { "" };
        let summary = format!("{} fails if rows that exist break it{counted}", change.subject());
        rule.about(change, subject, summary)
    })
    .collect()
}

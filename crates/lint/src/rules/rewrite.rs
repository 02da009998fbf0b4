//! LK101: every row of a table is written again, and nobody else can use it meanwhile.

use std::collections::BTreeSet;

use ptah_model::{Code, Diagnostic, Severity};

use crate::{Rule, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code("LK101"),
    severity: Severity::Warning,
    sentence: "writing a table again takes time and space in proportion to its size, under a lock",
    hint: "run it when the table is little used, and make sure that there is room for a second copy",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    let mut told = BTreeSet::new();
    let mut findings = Vec::new();
    for step in subject.steps {
        for lock in step.locks.iter().filter(|l| l.rewrites) {
            // Several steps of one rebuild say so of the same table.
            if told.insert(&lock.object) {
                let summary =
                    format!("{} is written again ({} lock): {}", lock.object, lock.mode, subject.served(step));
                findings.push(rule.finding(summary, subject.place(&lock.object, None)));
            }
        }
    }
    findings
}

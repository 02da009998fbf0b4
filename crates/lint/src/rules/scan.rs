//! LK102: every row of a table is read under a lock.

use std::collections::BTreeSet;

use ptah_model::{Code, Diagnostic, Severity};

use crate::{Rule, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code("LK102"),
    severity: Severity::Note,
    sentence: "reading a whole table under a lock takes time in proportion to its size",
    hint: "run it when the table is little used",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    let locks = || subject.steps.iter().flat_map(|s| &s.locks);
    // What is written again is read as well, and the worse of the two is told.
    let mut told: BTreeSet<_> = locks().filter(|l| l.rewrites).map(|l| &l.object).collect();
    let mut findings = Vec::new();
    for step in subject.steps {
        for lock in step.locks.iter().filter(|l| l.scans && subject.exists(&l.object)) {
            if told.insert(&lock.object) {
                let summary = format!("{} is read whole ({} lock): {}", lock.object, lock.mode, subject.served(step));
                findings.push(rule.finding(summary, subject.place(&lock.object, None)));
            }
        }
    }
    findings
}

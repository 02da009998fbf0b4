//! BC101: a drop and an addition that look like a rename. Found by the comparison, which has both models; passed on.

use ptah_model::{Code, Diagnostic, Severity};

use crate::{Rule, Subject};

pub(super) const RULE: Rule = Rule {
    code: Code("BC101"),
    severity: Severity::Warning,
    sentence: "a drop and an addition of the same shape may be a rename, which would keep the data",
    hint: "say so with `-- ptah:renamed from=<old name>` directly above the definition",
    check,
};

fn check(subject: &Subject<'_>, rule: &Rule) -> Vec<Diagnostic> {
    let possible = ptah_diff::code::POSSIBLE_RENAME;
    let found = subject.findings.iter().filter(|d| d.code == possible.0);
    found
        .map(|finding| Diagnostic { code: rule.code.to_string(), severity: rule.severity, ..finding.clone() })
        .collect()
}

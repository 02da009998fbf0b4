//! A desired state that is empty, or that would leave no table: a wrong folder or an empty pipe looks just so.

use ptah_diff::{Action, Change};
use ptah_model::{Diagnostic, Holds, Kind};

use super::{Case, code};

pub(super) fn judge(case: &Case<'_>) -> Option<Diagnostic> {
    if case.policy.allow_empty {
        return None;
    }
    if case.desired.is_empty() {
        let finding = Diagnostic::error(code::EMPTY, "the sources declare nothing at all");
        return Some(finding.hint("check the path; `--allow-empty` says that nothing is wanted"));
    }
    let holds_rows = |kind: &Kind| case.kinds.get(kind).is_some_and(|m| m.holds == Holds::Rows);
    let tables = case.current.objects().filter(|o| holds_rows(&o.id.kind)).count();
    let drops = |c: &&Change| c.member.is_none() && c.action == Action::Drop && holds_rows(&c.object.kind);
    let dropped = case.phases.iter().flat_map(|p| &p.changes).filter(drops).count();
    (tables > 0 && dropped >= tables).then(|| {
        let summary = format!("the plan drops every table ({dropped} of {tables})");
        Diagnostic::error(code::DROPS_ALL, summary).hint("check the path; `--allow-empty` says that this is meant")
    })
}

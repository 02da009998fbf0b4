//! Which hints of one place act, and in which order their names can be given one by one.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{Code, Comparison, Diagnostic, Name};

use super::{RenameHint, code, new_name, subject};

/// The names of one place.
pub(super) struct Names {
    /// What is there and was read.
    pub(super) current: BTreeSet<Name>,
    /// What is there and could not be read.
    pub(super) unread: BTreeSet<Name>,
    /// What is declared.
    pub(super) desired: BTreeSet<Name>,
}

/// One name that becomes another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) from: Name,
    pub(super) to: Name,
}

/// The hints that act. No two share an old name or a new one, so they form paths and cycles.
#[derive(Default)]
pub(super) struct Resolved {
    /// Each from the last move to the first, so that every new name is free in its turn.
    pub(super) paths: Vec<Vec<Move>>,
    /// Each in such an order too, but for its first move, whose new name is the old one of the last.
    pub(super) cycles: Vec<Vec<Move>>,
    pub(super) findings: Vec<Diagnostic>,
}

/// Decides which hints act.
pub(super) fn resolve(hints: &[&RenameHint], names: &Names, carried_out: impl Fn(&RenameHint) -> bool) -> Resolved {
    let mut resolved = Resolved::default();
    let exists = |name: &Name| names.current.contains(name) || names.unread.contains(name);
    let open: Vec<&RenameHint> =
        hints.iter().copied().filter(|h| exists(&h.from) && !(exists(new_name(h)) && carried_out(h))).collect();
    let (open, twice): (Vec<_>, Vec<_>) = open.iter().copied().partition(|h| is_alone(h, &open));
    resolved.findings.extend(twice.iter().map(|h| asked_twice(h)));
    let acting = fixpoint(open.clone(), names);
    let idle = open.iter().filter(|h| !acting.contains(h));
    resolved.findings.extend(idle.map(|h| contradiction(h, names)));
    split(&acting, &mut resolved);
    resolved
}

/// No other hint that finds its old name wants the same old or the same new name.
fn is_alone(hint: &RenameHint, all: &[&RenameHint]) -> bool {
    let meets = |other: &RenameHint| other.from == hint.from || new_name(other) == new_name(hint);
    all.iter().filter(|other| meets(other)).count() == 1
}

/// The largest set of hints in which each finds its old name read, its new name free or freed by another one, and its
/// old name not declared or filled by another one.
fn fixpoint<'a>(mut acting: Vec<&'a RenameHint>, names: &Names) -> Vec<&'a RenameHint> {
    loop {
        let freed: BTreeSet<&Name> = acting.iter().map(|h| &h.from).collect();
        let filled: BTreeSet<&Name> = acting.iter().map(|h| new_name(h)).collect();
        let acts = |h: &&RenameHint| {
            let to = new_name(h);
            names.current.contains(&h.from)
                && !names.unread.contains(to)
                && (!names.current.contains(to) || freed.contains(to))
                && (!names.desired.contains(&h.from) || filled.contains(&h.from))
        };
        let kept: Vec<_> = acting.iter().copied().filter(acts).collect();
        if kept.len() == acting.len() {
            return kept;
        }
        acting = kept;
    }
}

/// Cuts the acting hints into paths and cycles.
fn split(acting: &[&RenameHint], resolved: &mut Resolved) {
    let mut by_new: BTreeMap<&Name, Move> = acting
        .iter()
        .map(|h| {
            let to = new_name(h);
            (to, Move { from: h.from.clone(), to: to.clone() })
        })
        .collect();
    let old: BTreeSet<&Name> = acting.iter().map(|h| &h.from).collect();
    let ends: Vec<&Name> = by_new.keys().copied().filter(|to| !old.contains(to)).collect();
    for end in ends {
        resolved.paths.push(walk(end.clone(), &mut by_new));
    }
    while let Some(start) = by_new.keys().next().copied() {
        resolved.cycles.push(walk(start.clone(), &mut by_new));
    }
}

/// Follows the moves backwards from a new name.
fn walk(mut name: Name, by_new: &mut BTreeMap<&Name, Move>) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some(step) = by_new.remove(&name) {
        name = step.from.clone();
        moves.push(step);
    }
    moves
}

/// All moves in an order in which each new name is free in its turn; a cycle goes through a temporary name.
pub(super) fn in_order(resolved: &Resolved, taken: impl Fn(&Name) -> bool) -> Vec<Move> {
    let mut ordered: Vec<Move> = resolved.paths.iter().flatten().cloned().collect();
    let mut free =
        (1_u32..).map(|n| Name::new(format!("ptah_swap_{n}"), Comparison::Exact)).filter(|name| !taken(name));
    for cycle in &resolved.cycles {
        let (Some(first), Some(temporary)) = (cycle.first(), free.next()) else {
            continue;
        };
        ordered.push(Move { from: first.from.clone(), to: temporary.clone() });
        // The first move freed the old name of the cycle's first; the others follow, and the first comes last.
        ordered.extend(cycle.iter().skip(1).cloned());
        ordered.push(Move { from: temporary, to: first.to.clone() });
    }
    ordered
}

fn asked_twice(hint: &RenameHint) -> Diagnostic {
    let summary = format!(
        "{} is renamed from `{}`, and another directive asks for the same old or new name",
        subject(hint),
        hint.from.shown()
    );
    error(hint, code::TWICE, summary).hint("keep the directive that is meant")
}

/// Why a hint that finds its old name does not act.
fn contradiction(hint: &RenameHint, names: &Names) -> Diagnostic {
    let (to, from) = (new_name(hint), hint.from.shown());
    let what = subject(hint);
    if names.unread.contains(&hint.from) || names.unread.contains(to) {
        let summary = format!("{what} cannot be renamed from `{from}`: one of the two could not be read");
        return error(hint, code::NOT_DESCRIBED, summary);
    }
    if names.current.contains(to) {
        let summary = format!("{what} is renamed from `{from}`, and both names exist");
        return error(hint, code::BOTH_EXIST, summary).hint("remove the directive if the rename was made before");
    }
    let summary = format!("{what} is renamed from `{from}`, which is still declared or cannot be freed");
    error(hint, code::STILL_DECLARED, summary).hint("remove the old definition or the directive")
}

fn error(hint: &RenameHint, code: Code, summary: String) -> Diagnostic {
    Diagnostic::error(code, summary).at(hint.position.clone())
}

//! The comparison of one object that both sides have: its facets, its members, and their order.

use ptah_model::{Diagnostic, Facets, Holds, Kind, Member, MemberId, Object, Risk};

use crate::change::{Action, Change, FacetChange};
use crate::compare::{ColumnOrder, Found, Sides, UnknownKind, code};

/// Compares both readings of one object.
pub(crate) fn compare_object(
    sides: &Sides<'_>,
    current: &Object,
    desired: &Object,
    found: &mut Found,
) -> Result<(), UnknownKind> {
    let id = &desired.id;
    let facets = facet_changes(&current.facets, &desired.facets);
    if !facets.is_empty() {
        let action = Action::Alter(facets);
        found.changes.push(Change::unnumbered(id, None, action, Risk::Warning, None));
    }
    for member in &current.members {
        let holds = sides.kind(&member.id.kind)?.holds;
        if desired.member(&member.id).is_none() {
            let (risk, loss) = (holds.drop_risk(), holds.drop_loss());
            let drop = Change::unnumbered(id, Some(&member.id), Action::Drop, risk, loss);
            found.changes.push(drop);
        }
    }
    for member in &desired.members {
        let holds = sides.kind(&member.id.kind)?.holds;
        if let Some(change) = wanted_member(current, desired, member, holds) {
            found.changes.push(change);
        }
    }
    order(sides, current, desired, found);
    Ok(())
}

/// What has to be done for one member that is wanted, if anything.
fn wanted_member(current: &Object, desired: &Object, member: &Member, holds: Holds) -> Option<Change> {
    let (action, risk) = match current.member(&member.id) {
        // A rule over rows that exist can be refused by them.
        None if holds == Holds::Protection => (Action::Create, Risk::Warning),
        None => (Action::Create, Risk::Safe),
        Some(there) => {
            let facets = facet_changes(&there.facets, &member.facets);
            if facets.is_empty() {
                return None;
            }
            (Action::Alter(facets), Risk::Warning)
        }
    };
    Some(Change::unnumbered(&desired.id, Some(&member.id), action, risk, None))
}

/// The facets that differ, in the order of their names.
fn facet_changes(current: &Facets, desired: &Facets) -> Vec<FacetChange> {
    let mut names: Vec<_> = current.keys().chain(desired.keys()).collect();
    names.sort();
    names.dedup();
    let differs = |name: &&String| {
        current.get(name).map(|f| f.canonical.as_str()) != desired.get(name).map(|f| f.canonical.as_str())
    };
    names
        .into_iter()
        .filter(differs)
        .map(|name| FacetChange {
            name: name.clone(),
            from: current.get(name).cloned(),
            to: desired.get(name).cloned(),
        })
        .collect()
}

/// Looks at the order of the members of each ordered kind.
fn order(sides: &Sides<'_>, current: &Object, desired: &Object, found: &mut Found) {
    let ordered = sides.kinds.iter().filter(|m| m.member && m.ordered);
    let mut differing = ordered.filter(|m| order_differs(&m.kind, current, desired)).peekable();
    if differing.peek().is_none() {
        return;
    }
    match sides.options.column_order {
        ColumnOrder::Exact => {
            let reorder = Change::unnumbered(&desired.id, None, Action::Reorder, Risk::Warning, None);
            found.changes.push(reorder);
        }
        ColumnOrder::Ignore => found.notes.extend(differing.map(|m| {
            let summary = format!("the order of the {} members of {} differs and is left alone", m.kind, desired.id);
            Diagnostic::note(code::ORDER, summary).hint("`--column-order=exact` makes it a difference")
        })),
    }
}

/// Whether the order would differ after all other changes: what stays keeps its order, and what is new comes last.
fn order_differs(kind: &Kind, current: &Object, desired: &Object) -> bool {
    let stays = current.members_of(kind).filter(|m| desired.member(&m.id).is_some());
    let comes = desired.members_of(kind).filter(|m| current.member(&m.id).is_none());
    let after: Vec<&MemberId> = stays.chain(comes).map(|m| &m.id).collect();
    let wanted: Vec<&MemberId> = desired.members_of(kind).map(|m| &m.id).collect();
    after != wanted
}

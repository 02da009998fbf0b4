//! A drop and an addition that look like a rename which nobody asked for.
//!
//! Only a finding, never a change: the sources alone say that something was renamed. It is told only where a drop
//! would lose rows or values, and only for kinds that a directive may rename.

use std::collections::BTreeMap;

use ptah_model::{Diagnostic, Facets, Holds, Kind, MemberId, Name, Object, ObjectId};

use crate::change::{Action, Change};
use crate::compare::{Sides, code};

/// What two things share when one may be the other under a new name: their place, their kind, and what they are made
/// of. Equal keys mean that; spellings and the order of members are left out.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shape<'a> {
    place: Place<'a>,
    kind: &'a Kind,
    facets: Canonical<'a>,
    members: Vec<(&'a MemberId, Canonical<'a>)>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Place<'a> {
    In(&'a ObjectId),
    Beside(Option<&'a Name>, Option<&'a Name>),
}

/// Facets by name, in the form that equality rests on.
type Canonical<'a> = Vec<(&'a str, &'a str)>;

/// The drops that have a likely new name among the additions, each with all of its candidates.
pub(crate) fn find(sides: &Sides<'_>, changes: &[Change]) -> Vec<Diagnostic> {
    let mut created: BTreeMap<Shape<'_>, Vec<&Name>> = BTreeMap::new();
    for change in changes.iter().filter(|c| c.action == Action::Create) {
        if let Some(shape) = shape(sides, change) {
            created.entry(shape).or_default().push(name(change));
        }
    }
    let dropped = changes.iter().filter(|c| c.action == Action::Drop);
    dropped.filter_map(|gone| Some(finding(gone, created.get(&shape(sides, gone)?)?))).collect()
}

fn finding(gone: &Change, candidates: &[&Name]) -> Diagnostic {
    let names: Vec<String> = candidates.iter().map(|n| format!("`{}`", n.shown())).collect();
    let summary = format!("{} may have been renamed to {}", gone.subject(), names.join(" or "));
    let hint = format!(
        "to keep what is in it, write `-- ptah:renamed from={}` directly above the definition of {}",
        name(gone).shown(),
        if names.len() == 1 { &names[0] } else { "the new one" },
    );
    Diagnostic::warning(code::POSSIBLE_RENAME, summary).hint(hint)
}

/// The shape of what is dropped or created. Absent for what has no name, keeps nothing, or cannot be renamed.
fn shape<'a>(sides: &Sides<'a>, change: &'a Change) -> Option<Shape<'a>> {
    let model = if change.action == Action::Drop { sides.current } else { sides.desired };
    let object = model.get(&change.object)?;
    let kind = change.member.as_ref().map_or(&change.object.kind, |m| &m.kind);
    if !(name(change).is_named() && worth_keeping(sides, kind)) {
        return None;
    }
    let Some(member) = &change.member else {
        let id = &change.object;
        return whole(object, Place::Beside(id.schema.as_ref(), id.owner.as_ref()));
    };
    let facets = canonical(&object.member(member)?.facets);
    Some(Shape { place: Place::In(&change.object), kind, facets, members: Vec::new() })
}

/// The shape of an object; absent for one without members, of which every two are alike.
fn whole<'a>(object: &'a Object, place: Place<'a>) -> Option<Shape<'a>> {
    let mut members: Vec<_> = object.members.iter().map(|m| (&m.id, canonical(&m.facets))).collect();
    members.sort();
    (!members.is_empty()).then(|| Shape { place, kind: &object.id.kind, facets: canonical(&object.facets), members })
}

fn canonical(facets: &Facets) -> Canonical<'_> {
    facets.iter().map(|(name, facet)| (name.as_str(), facet.canonical.as_str())).collect()
}

fn worth_keeping(sides: &Sides<'_>, kind: &Kind) -> bool {
    let held = |h: Holds| matches!(h, Holds::Rows | Holds::Values);
    sides.kinds.get(kind).is_some_and(|m| m.renamable && held(m.holds))
}

fn name(change: &Change) -> &Name {
    change.member.as_ref().map_or(&change.object.name, |m| &m.name)
}

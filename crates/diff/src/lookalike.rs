//! A drop and an addition that look like a rename which nobody asked for.
//!
//! Only a finding, never a change: the sources alone say that something was renamed. It is told only where a drop
//! would lose rows or values, and only for kinds that a directive may rename.

use ptah_model::{Diagnostic, Facets, Holds, Kind, MemberId, Name, Object};

use crate::change::{Action, Change};
use crate::compare::{Sides, code};

/// One thing that goes or comes.
struct Moved<'a> {
    change: &'a Change,
    /// What it is made of, without its name.
    content: Content<'a>,
}

/// What two things share when one may be the other under a new name.
#[derive(PartialEq, Eq)]
struct Content<'a> {
    facets: &'a Facets,
    /// Sorted by identity, because the order of members is no difference.
    members: Vec<(&'a MemberId, &'a Facets)>,
}

/// The drops that have a likely new name among the additions, each with all of its candidates.
pub(crate) fn find(sides: &Sides<'_>, changes: &[Change]) -> Vec<Diagnostic> {
    let dropped = pick(sides, changes, &Action::Drop);
    let created = pick(sides, changes, &Action::Create);
    dropped
        .iter()
        .filter_map(|gone| {
            let alike =
                created.iter().filter(|new| siblings(gone.change, new.change) && gone.content.alike(&new.content));
            let names: Vec<String> = alike.map(|new| format!("`{}`", name(new.change).shown())).collect();
            (!names.is_empty()).then(|| finding(gone.change, &names))
        })
        .collect()
}

fn finding(gone: &Change, names: &[String]) -> Diagnostic {
    let old = name(gone);
    let summary = format!("{} may have been renamed to {}", gone.subject(), names.join(" or "));
    let hint = format!(
        "to keep what is in it, write `-- ptah:renamed from={}` directly above the definition of {}",
        old.shown(),
        if names.len() == 1 { &names[0] } else { "the new one" },
    );
    Diagnostic::warning(code::POSSIBLE_RENAME, summary).hint(hint)
}

fn pick<'a>(sides: &Sides<'a>, changes: &'a [Change], action: &Action) -> Vec<Moved<'a>> {
    let model = if *action == Action::Drop { sides.current } else { sides.desired };
    changes
        .iter()
        .filter(|c| c.action == *action && name(c).is_named() && worth_keeping(sides, kind(c)))
        .filter_map(|change| {
            let object = model.get(&change.object)?;
            let content = match &change.member {
                Some(member) => Content { facets: &object.member(member)?.facets, members: Vec::new() },
                None => whole(object)?,
            };
            Some(Moved { change, content })
        })
        .collect()
}

/// What an object is made of; absent for one without members, of which every two are alike.
fn whole(object: &Object) -> Option<Content<'_>> {
    let mut members: Vec<_> = object.members.iter().map(|m| (&m.id, &m.facets)).collect();
    members.sort_by_key(|(id, _)| *id);
    (!members.is_empty()).then_some(Content { facets: &object.facets, members })
}

impl Content<'_> {
    /// Equal but for spellings.
    fn alike(&self, other: &Self) -> bool {
        let same = |a: &Facets, b: &Facets| {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.0 == y.0 && x.1.canonical == y.1.canonical)
        };
        same(self.facets, other.facets)
            && self.members.len() == other.members.len()
            && self.members.iter().zip(&other.members).all(|(x, y)| x.0 == y.0 && same(x.1, y.1))
    }
}

/// Of one kind, in one place.
fn siblings(a: &Change, b: &Change) -> bool {
    match (&a.member, &b.member) {
        (Some(x), Some(y)) => a.object == b.object && x.kind == y.kind,
        (None, None) => {
            a.object.kind == b.object.kind && a.object.schema == b.object.schema && a.object.owner == b.object.owner
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn worth_keeping(sides: &Sides<'_>, kind: &Kind) -> bool {
    let held = |h: Holds| matches!(h, Holds::Rows | Holds::Values);
    sides.kinds.get(kind).is_some_and(|m| m.renamable && held(m.holds))
}

fn kind(change: &Change) -> &Kind {
    change.member.as_ref().map_or(&change.object.kind, |m| &m.kind)
}

fn name(change: &Change) -> &Name {
    change.member.as_ref().map_or(&change.object.name, |m| &m.name)
}

//! Foreign keys and the tables that they refer to: whether a key fits, what it would leave without a parent, and which
//! tables have to be changed before which.

use std::collections::{BTreeMap, BTreeSet};

use ptah_provider_api::step::Check;

use super::case::Case;
use super::check;
use super::places::Places;
use super::refusal::Because;
use super::request::Asked;
use super::rows::Rows;
use super::scene::Scene;
use super::side::{Side, foreign_keys};
use super::value;
use crate::sql::ast::{Column, ConstraintKind, Declaration, ForeignKey, IndexedColumn, Table};

/// The new or changed foreign keys of a table.
pub(super) fn new_keys<'a>(case: &'a Case<'_>) -> Vec<&'a ForeignKey> {
    let created = case.created_constraints.keys().copied();
    let altered = case.altered_constraints.iter().map(|altered| altered.new);
    let constraints = created.chain(altered).filter_map(|at| case.new.constraint(at));
    constraints
        .filter_map(|constraint| match &constraint.kind {
            ConstraintKind::ForeignKey(key) => Some(key),
            _ => None,
        })
        .collect()
}

/// The question which rows a new key would leave without a parent. `None` where SQLite could not answer it either,
/// because the key does not fit its parent.
pub(super) fn orphans(scene: &Scene<'_>, rows: &Rows<'_>, key: &ForeignKey) -> Option<Check> {
    let parent = &key.parent.folded;
    let (current, desired) = (scene.current.table(parent), scene.desired.table(parent));
    let Some(wanted) = desired else {
        // A table that goes has no rows in the end either.
        let is_something_else = scene.desired.is_used(parent) || (scene.current.is_used(parent) && current.is_none());
        return (!is_something_else).then(|| check::orphan(rows, key, None));
    };
    let columns = check::parent_columns(key, wanted)?;
    // A parent that is not there yet has no rows.
    let parent = current.map(|current| (Rows::new(current, wanted), columns));
    Some(check::orphan(rows, key, parent))
}

/// The questions about keys that stay and come to mean something else: other columns, where a key names none and the
/// primary key changes, or columns that compare in another way.
pub(super) fn moved_keys(case: &Case<'_>) -> Vec<Check> {
    let (scene, own) = (case.scene, &case.name.normalized);
    let mut checks = Vec::new();
    for child in scene.desired.referring(own) {
        let Some(there) = scene.current.table(&child.header.name.folded) else { continue };
        let stays = |key: &&ForeignKey| foreign_keys(there).any(|old| old.canonical() == key.canonical());
        let keys = foreign_keys(child).filter(|key| key.parent.folded == *own);
        let moved = |key: &&ForeignKey| {
            let columns = check::parent_columns(key, case.new.table);
            let anew = |name: &String| match (case.old.column(name), case.new.column(name)) {
                (Some(old), Some(new)) => compares_anew(old, new),
                _ => true,
            };
            check::parent_columns(key, case.old.table) != columns || columns.is_some_and(|c| c.iter().any(anew))
        };
        let rows = Rows::new(there, child);
        checks.extend(keys.filter(stays).filter(moved).filter_map(|key| orphans(scene, &rows, key)));
    }
    checks
}

/// Whether a comparison treats a column in another way.
pub(super) fn compares_anew(old: &Column, new: &Column) -> bool {
    let collation = |column: &Column| column.collation.as_ref().map(|collation| collation.name.folded.clone());
    !value::compares_alike(old, new) || collation(old) != collation(new)
}

/// Tables that change, each after those that it has a foreign key to.
pub(super) fn order(desired: &Side<'_>, asked: &Asked<'_>) -> Places {
    let parents = |name: &str| -> BTreeSet<String> {
        let table = desired.table(name);
        table.into_iter().flat_map(foreign_keys).map(|key| key.parent.folded.clone()).collect()
    };
    let tables = asked.tables.keys().map(|name| name.normalized.as_str());
    let mentions: BTreeMap<String, BTreeSet<String>> = tables.map(|name| (name.to_owned(), parents(name))).collect();
    Places::sorted(mentions)
}

/// Which unique indexes count when it is asked whether a key fits.
#[derive(Clone, Copy)]
enum Indexes<'a> {
    /// Those of a reading.
    Of(&'a Side<'a>),
    /// Those that are there right after the table was rebuilt: the ones that stay.
    Staying(&'a Case<'a>),
}

/// Whether SQLite can hold rows against a key: its parent has a key or unique index over exactly these columns.
fn fits(key: &ForeignKey, parent: &Table, indexes: Indexes<'_>) -> bool {
    let Some(wanted) = check::parent_columns(key, parent) else { return false };
    let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let compares = |column: &IndexedColumn| {
        let own = column.column.as_ref().and_then(|name| parent.column(name));
        let of_column = own.and_then(|own| own.collation.as_ref()).map_or("binary", |c| c.name.folded.as_str());
        own.is_some() && column.collation.as_ref().is_none_or(|collation| collation.folded == of_column)
    };
    let is_it = |columns: &[IndexedColumn]| {
        let names: BTreeSet<&str> =
            columns.iter().filter_map(|c| c.column.as_ref()).map(|n| n.folded.as_str()).collect();
        columns.len() == wanted.len() && names == wanted && columns.iter().all(compares)
    };
    let by_key = parent.constraints.iter().any(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey { columns, .. } | ConstraintKind::Unique { columns, .. } => is_it(columns),
        _ => false,
    });
    let side = match indexes {
        Indexes::Of(side) => side,
        Indexes::Staying(case) => &case.scene.current,
    };
    let mut owned = side.owned(&parent.header.name.folded).iter().filter(|stored| match indexes {
        Indexes::Of(_) => true,
        Indexes::Staying(case) => !case.scene.asked.objects.contains_key(&stored.id),
    });
    by_key
        || owned.any(|stored| match stored.declaration() {
            Some(Declaration::Index(index)) => {
                index.header.unique && index.condition.is_none() && is_it(&index.columns)
            }
            _ => false,
        })
}

fn mismatch(child: &str, parent: &str) -> Because {
    let reason = format!("a foreign key of `{child}` would not fit `{parent}`: no key of it has exactly these columns");
    Because::new("foreign-key.mismatch", reason).hint(format!(
        "give `{parent}` a primary key, UNIQUE constraint or unique index over the columns, or change the key"
    ))
}

/// Why the keys of a table, or keys to it, stand against its rebuild: a rebuild is undone when a key fits no more that
/// fitted, or is new and does not fit.
pub(super) fn stand_against_rebuild(case: &Case<'_>) -> Option<Because> {
    own_keys(case).or_else(|| keys_to_it(case))
}

fn own_keys(case: &Case<'_>) -> Option<Because> {
    let scene = case.scene;
    let own = &case.name.normalized;
    for key in foreign_keys(case.new.table) {
        let parent = &key.parent.folded;
        let Some(wanted) = scene.desired.table(parent) else { continue };
        let was = foreign_keys(case.old.table).any(|old| old.canonical() == key.canonical());
        let fitted = scene.current.table(parent).is_some_and(|there| fits(key, there, Indexes::Of(&scene.current)));
        if was && !fitted {
            continue;
        }
        let is_itself = parent == own;
        let fits_then = if is_itself {
            fits(key, wanted, Indexes::Staying(case))
        } else {
            fits(key, wanted, Indexes::Of(&scene.desired))
        };
        if !fits_then {
            return Some(mismatch(case.shown(), &key.parent.text));
        }
        // The parent changes later: what it will have is not there yet.
        let later = scene.table_places.read_first(parent) > scene.table_places.read_first(own);
        if !is_itself && !fitted && scene.changes(parent) && later {
            let reason = format!("`{}` and `{}` get new keys to each other", case.shown(), key.parent);
            let hint = "add one of the two foreign keys in a plan of its own";
            return Some(Because::new("foreign-key.circle", reason).hint(hint));
        }
    }
    None
}

fn keys_to_it(case: &Case<'_>) -> Option<Because> {
    let scene = case.scene;
    let own = &case.name.normalized;
    for child in scene.desired.referring(own).iter().filter(|child| child.header.name.folded != *own) {
        let Some(there) = scene.current.table(&child.header.name.folded) else { continue };
        for key in foreign_keys(there).filter(|key| key.parent.folded == *own) {
            let stays = foreign_keys(child).any(|wanted| wanted.canonical() == key.canonical());
            let fitted = fits(key, case.old.table, Indexes::Of(&scene.current));
            if stays && fitted && !fits(key, case.new.table, Indexes::Of(&scene.desired)) {
                return Some(mismatch(&child.header.name.text, case.shown()));
            }
        }
    }
    None
}

/// Other tables whose keys to this one are checked before and after its rebuild: those that do not change such a key
/// themselves, and whose keys fit right after it.
pub(super) fn children(case: &Case<'_>) -> Vec<String> {
    let scene = case.scene;
    let own = &case.name.normalized;
    let keys = |table: &Table| -> BTreeSet<String> {
        foreign_keys(table).filter(|key| key.parent.folded == *own).map(ForeignKey::canonical).collect()
    };
    let is_checked = |child: &&Table| {
        let wanted = scene.desired.table(&child.header.name.folded);
        let same = wanted.is_none_or(|wanted| keys(wanted) == keys(child));
        let mut to_it = foreign_keys(child).filter(|key| key.parent.folded == *own);
        let fits_then = to_it.all(|key| {
            fits(key, case.new.table, Indexes::Staying(case)) || !fits(key, case.old.table, Indexes::Of(&scene.current))
        });
        same && fits_then
    };
    let referring = scene.current.referring(own).into_iter().filter(|child| child.header.name.folded != *own);
    referring.filter(is_checked).map(|child| child.header.name.text.clone()).collect()
}

/// The first key of a table that does not fit its parent in the reading that is wanted.
pub(super) fn misfit<'a>(desired: &Side<'_>, keys: impl Iterator<Item = &'a ForeignKey>) -> Option<&'a ForeignKey> {
    let mut keys = keys;
    keys.find(|key| desired.table(&key.parent.folded).is_some_and(|parent| !fits(key, parent, Indexes::Of(desired))))
}

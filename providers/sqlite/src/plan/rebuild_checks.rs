//! What a rebuild asks about rows before it starts.

use std::collections::BTreeSet;

use ptah_provider_api::step::Check;

use super::case::Case;
use super::check;
use super::copy::Copy;
use super::parents::{compares_anew, moved_keys, new_keys, orphans};
use super::rows::Rows;
use super::side::{foreign_keys, key_columns};
use super::text::is_null;
use super::value;
use crate::sql::ast::{Column, ConstraintKind, Declaration, ForeignKey, StrictType, Table};
use crate::sql::name::Name;

/// All questions, in the order in which a person would ask them: values, then each rule.
pub(super) fn all(case: &Case<'_>) -> Vec<Check> {
    let mut checks = values(case);
    checks.extend(missing_values(case));
    checks.extend(conditions(case));
    checks.extend(duplicates(case));
    checks.extend(held_keys(case).into_iter().filter_map(|key| orphans(case.scene, &rows(case), key)));
    checks.extend(moved_keys(case));
    checks
}

/// The foreign keys that no row may break: new ones, those whose columns hold or compute something else, and all where
/// rows get other row IDs, because then nobody can tell an orphan that was there from one that the rebuild made, and it
/// is undone.
fn held_keys<'a>(case: &'a Case<'_>) -> Vec<&'a ForeignKey> {
    if !Copy::of(case).keeps_row_ids {
        return foreign_keys(case.new.table).collect();
    }
    let mut held = new_keys(case);
    let is_new = |key: &ForeignKey| held.iter().any(|new| new.canonical() == key.canonical());
    let changes = |key: &&ForeignKey| key.columns.iter().any(|column| becomes_another(case, &column.folded));
    let changed: Vec<_> = foreign_keys(case.new.table).filter(changes).filter(|key| !is_new(key)).collect();
    held.extend(changed);
    held
}

/// Whether a column that stays holds, compares or computes something else than before. By its folded name.
fn becomes_another(case: &Case<'_>, name: &str) -> bool {
    match (case.old.column(name), case.new.column(name)) {
        (Some(old), Some(new)) => !value::is_kept(old, new) || compares_anew(old, new) || computes_anew(case, new),
        _ => false,
    }
}

fn rows<'a>(case: &Case<'a>) -> Rows<'a> {
    Rows::new(case.old.table, case.new.table)
}

/// Columns that both tables have: the old one, the new one.
fn common<'a>(case: &Case<'a>) -> Vec<(&'a Column, &'a Column)> {
    let (old, new) = (case.old.table, case.new.table);
    new.columns.iter().filter_map(|column| Some((old.column(&column.name)?, column))).collect()
}

/// Values that change, are refused, or go because their column is computed from now on.
fn values(case: &Case<'_>) -> Vec<Check> {
    let old = case.old.table;
    let mut checks = Vec::new();
    for (from, to) in common(case) {
        match (&from.generated, &to.generated) {
            (None, Some(_)) => checks.extend(check::computed_value(&rows(case), old, from, to)),
            (_, None) => {
                checks.extend(check::changed_value(old, from, to));
                let was = if is_row_id(case.old.table, from) { Some(StrictType::Integer) } else { from.strict_type };
                let will = if is_row_id(case.new.table, to) { Some(StrictType::Integer) } else { to.strict_type };
                if let Some(strict) = will.filter(|strict| !is_sure(was, *strict)) {
                    checks.extend(check::refused_value(old, from, strict));
                }
            }
            (Some(_), Some(_)) => {}
        }
    }
    let new = case.created_columns.keys().filter_map(|at| case.new.table.columns.get(*at));
    let new = new.filter(|column| !rows(case).is_numbered(column));
    checks.extend(new.filter_map(|column| check::refused_default(&rows(case), column)));
    let computed = case.new.table.columns.iter().filter(|column| computes_anew(case, column));
    checks.extend(computed.filter_map(|column| check::refused_computation(&rows(case), column)));
    checks
}

/// Whether a column of a STRICT table may be computed to something else than before, or was not held to its type.
fn computes_anew(case: &Case<'_>, column: &Column) -> bool {
    let Some(generated) = &column.generated else { return false };
    let used = &generated.expression.canonical.references.columns;
    let same = |name: &String| match (case.old.column(name), case.new.column(name)) {
        // Through other computed columns as well; SQLite takes no circle of them.
        (Some(old), Some(new)) => {
            let alike = old.affinity == new.affinity && old.generated.is_some() == new.generated.is_some();
            alike && (new.generated.is_none() || !computes_anew(case, new))
        }
        (None, None) => true,
        _ => false,
    };
    let before = case.old.column(&column.name.folded);
    let was =
        before.and_then(|old| Some((old.generated.as_ref()?.expression.canonical.text.as_str(), old.strict_type)));
    was != Some((generated.expression.canonical.text.as_str(), column.strict_type)) || !used.iter().all(same)
}

fn is_row_id(table: &Table, column: &Column) -> bool {
    table.rowid_alias.and_then(|at| table.columns.get(at)).is_some_and(|alias| alias.name == column.name)
}

/// Whether values of one type are certainly values of the other.
fn is_sure(was: Option<StrictType>, will: StrictType) -> bool {
    let integer = |strict| matches!(strict, StrictType::Int | StrictType::Integer);
    was.is_some_and(|was| was == will || (integer(was) && integer(will)))
}

/// Columns that have to have a value and did not have to.
fn missing_values(case: &Case<'_>) -> Vec<Check> {
    let new = case.new.table;
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    wanted.extend(new.columns.iter().filter(|c| c.not_null.is_some()).map(|c| c.name.folded.clone()));
    wanted.extend(key_that_takes_no_null(new));
    let had = |name: &str| {
        let old = case.old.table;
        let in_key = || key_that_takes_no_null(old).iter().any(|key| key == name);
        case.old.column(name).is_some_and(|column| column.not_null.is_some()) || in_key()
    };
    let columns = new.columns.iter().filter(|column| wanted.contains(&column.name.folded));
    columns
        .filter(|column| !had(&column.name.folded) || computes_anew(case, column))
        .filter_map(|column| missing_value(case, column))
        .collect()
}

/// The primary key where NULL is none: a row ID would be made up for it, and STRICT tables and those without row IDs
/// refuse it. Others take it.
fn key_that_takes_no_null(table: &Table) -> Vec<String> {
    let refuses = table.without_rowid || table.strict || table.rowid_alias.is_some();
    if refuses { key_columns(table) } else { Vec::new() }
}

fn missing_value(case: &Case<'_>, column: &Column) -> Option<Check> {
    let is_new = case.old.column(&column.name.folded).is_none();
    let has_default = column.default.as_ref().is_some_and(|default| !is_null(&default.value.text));
    if !is_new || column.generated.is_some() {
        return Some(check::null(&rows(case), &column.name));
    }
    (!has_default && !rows(case).is_numbered(column)).then(|| check::null_in_new(&rows(case), &column.name))
}

/// Checks that are new or changed, or judge values that are.
fn conditions(case: &Case<'_>) -> Vec<Check> {
    let altered: BTreeSet<usize> = case.altered_constraints.iter().map(|altered| altered.new).collect();
    let constraints = case.new.table.constraints.iter().enumerate();
    let asked = constraints.filter_map(|(at, constraint)| match &constraint.kind {
        ConstraintKind::Check { expression, .. } => {
            let is_new = altered.contains(&at) || case.created_constraints.contains_key(&at);
            let judges = || expression.canonical.references.columns.iter().any(|name| becomes_another(case, name));
            (is_new || judges()).then(|| check::condition(&rows(case), constraint.name.as_ref(), expression))
        }
        _ => None,
    });
    asked.collect()
}

/// Keys that nothing has kept apart so far, also because values or collations change.
fn duplicates(case: &Case<'_>) -> Vec<Check> {
    let (old, new) = (case.old.table, case.new.table);
    let mut checks = Vec::new();
    let is_known = |columns: &[_]| check::is_unique_already(old, new, &case.scene.current, columns);
    for constraint in &new.constraints {
        let (columns, what) = match &constraint.kind {
            ConstraintKind::PrimaryKey { columns, .. } => (columns, "the primary key"),
            ConstraintKind::Unique { columns, .. } => (columns, "a UNIQUE constraint"),
            _ => continue,
        };
        let is_numbered = |name: &Name| new.column(name).is_some_and(|column| rows(case).is_numbered(column));
        let numbers = columns.iter().any(|column| column.column.as_ref().is_some_and(is_numbered));
        if !is_known(columns) && !numbers {
            checks.push(check::duplicate(&rows(case), new, columns, None, what));
        }
    }
    for stored in case.scene.current.owned(&case.name.normalized) {
        let Some(Declaration::Index(index)) = stored.declaration() else { continue };
        let stays = index.header.unique && !case.scene.asked.objects.contains_key(&stored.id);
        if stays && !is_known(&index.columns) && changes_values(case, index) {
            let what = format!("the unique index `{}`", index.header.name);
            checks.push(check::duplicate(&rows(case), new, &index.columns, index.condition.as_ref(), &what));
        }
    }
    checks
}

/// Whether a column that an index mentions stores, compares or computes in another way.
fn changes_values(case: &Case<'_>, index: &crate::sql::ast::Index) -> bool {
    let mentioned = index.references().columns;
    case.altered_columns.iter().any(|altered| {
        let name = case.new.table.columns.get(altered.new).map(|column| &column.name.folded);
        let matters = |facet: &str| matches!(facet, "type" | "affinity" | "collation" | "generated");
        altered.facets.iter().any(|facet| matters(&facet.name)) && name.is_some_and(|name| mentioned.contains(name))
    })
}

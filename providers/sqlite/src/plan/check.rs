//! Questions about rows whose answer must be 0: asked before anything runs and again in the transaction.

use std::collections::BTreeSet;

use ptah_provider_api::step::Check;

use super::refusal::said;
use super::rows::{Question, Rows, Term};
use super::side::{Side, key_columns};
use super::value;
use crate::sql::ast::{Column, Constraint, ConstraintKind, ForeignKey, IndexedColumn, SqlText, StrictType, Table};
use crate::sql::name::{Name, quote_name};

fn check(code: &str, question: Question, sentence: impl Into<String>, lossy: bool) -> Check {
    let Question { count, rows } = question;
    Check { code: code.to_owned(), count, rows, sentence: said(sentence), lossy }
}

fn one(name: &Name) -> BTreeSet<String> {
    BTreeSet::from([name.folded.clone()])
}

/// Rows without a value in a column that has to have one.
pub(super) fn null(rows: &Rows<'_>, column: &Name) -> Check {
    let question = rows.that(&one(column), &format!("{} IS NULL", quote_name(&column.text)));
    check("rows.null", question, format!("rows have no value in `{column}`, which has to have one"), false)
}

/// Any rows at all, when a new column has to have a value and nothing says which.
pub(super) fn null_in_new(rows: &Rows<'_>, column: &Name) -> Check {
    let sentence =
        format!("rows would have no value in the new column `{column}`, which has to have one and has no default");
    check("rows.null", rows.all(), sentence, false)
}

/// Rows that break a condition. NULL breaks none.
pub(super) fn condition(rows: &Rows<'_>, name: Option<&Name>, expression: &SqlText) -> Check {
    let canonical = &expression.canonical;
    let question = rows.that(&canonical.references.columns, &format!("NOT ({})", canonical.text));
    let what = name.map_or_else(|| "the new check".to_owned(), |name| format!("the check `{name}`"));
    check("rows.check", question, format!("rows break {what}"), false)
}

/// Rows that have the same key as another one.
pub(super) fn duplicate(
    rows: &Rows<'_>,
    table: &Table,
    columns: &[IndexedColumn],
    condition: Option<&SqlText>,
    what: &str,
) -> Check {
    let mut used = BTreeSet::new();
    for text in columns.iter().map(|column| &column.expression).chain(condition) {
        used.extend(text.canonical.references.columns.iter().cloned());
    }
    used.extend(columns.iter().filter_map(|column| column.column.as_ref()).map(|name| name.folded.clone()));
    let terms: Vec<Term> = columns.iter().map(|column| term(table, column)).collect();
    let question = rows.alike(&used, &terms, condition.map(|text| text.canonical.text.as_str()));
    check("rows.duplicate", question, format!("rows have the same values in {what}"), false)
}

fn term(table: &Table, column: &IndexedColumn) -> Term {
    let own = column.column.as_ref().and_then(|name| table.column(name));
    let of_column = own.and_then(|own| own.collation.as_ref()).map(|collation| collation.name.clone());
    let collation = column.collation.clone().or(of_column).unwrap_or_else(|| Name::from_written("BINARY"));
    Term { value: format!("({})", column.expression.canonical.text), collation }
}

/// Values whose type or text will be another one.
pub(super) fn changed_value(old: &Table, from: &Column, to: &Column) -> Option<Check> {
    let condition = value::changes(&quote_name(&from.name.text), from, to)?;
    let sentence = format!("values in `{}` would be stored as values of another type", from.name);
    // The old table on both sides: values are judged as they are.
    Some(check("rows.value", Rows::new(old, old).that(&one(&from.name), &condition), sentence, true))
}

/// Values that a STRICT column, or the row ID, does not take.
pub(super) fn refused_value(old: &Table, from: &Column, strict: StrictType) -> Option<Check> {
    let condition = value::is_refused(&quote_name(&from.name.text), strict)?;
    let sentence = format!("values in `{}` do not have the type that the column will demand", from.name);
    Some(check("rows.type", Rows::new(old, old).that(&one(&from.name), &condition), sentence, false))
}

/// Values that a STRICT column does not take and that would be computed for it.
pub(super) fn refused_computation(rows: &Rows<'_>, column: &Column) -> Option<Check> {
    let canonical = &column.generated.as_ref()?.expression.canonical;
    let condition = value::is_refused(&format!("({})", canonical.text), column.strict_type?)?;
    let sentence = format!("values that would be computed for `{}` do not have the column's type", column.name);
    Some(check("rows.type", rows.that(&canonical.references.columns, &condition), sentence, false))
}

/// All rows, when the default of a new STRICT column is no value of its type.
pub(super) fn refused_default(rows: &Rows<'_>, column: &Column) -> Option<Check> {
    let default = column.default.as_ref()?;
    let condition = value::is_refused(&format!("({})", default.value.canonical.text), column.strict_type?)?;
    let sentence = format!("rows would get a default in `{}` that does not have the column's type", column.name);
    Some(check("rows.type", rows.that(&BTreeSet::new(), &condition), sentence, false))
}

/// Values that go because their column will be computed, and are not what is computed.
pub(super) fn computed_value(rows: &Rows<'_>, old: &Table, from: &Column, to: &Column) -> Option<Check> {
    let canonical = &to.generated.as_ref()?.expression.canonical;
    let condition = format!("{} IS NOT ({})", quote_name(&from.name.text), canonical.text);
    let is_there = |name: &String| old.columns.iter().any(|column| column.name.folded == *name) || !rows.has(name);
    // What is computed from a column that is not there yet cannot be compared with anything: every row counts.
    let question = if canonical.references.columns.iter().all(is_there) {
        Rows::new(old, old).that(&canonical.references.columns, &condition)
    } else {
        rows.all()
    };
    let sentence = format!("values in `{}` are not what the column will be computed to", from.name);
    Some(check("rows.value", question, sentence, true))
}

/// Rows of a child without a parent, under a key that is new. Without a parent table every row with a key is one.
pub(super) fn orphan(rows: &Rows<'_>, key: &ForeignKey, parent: Option<(Rows<'_>, Vec<String>)>) -> Check {
    let child = rows.name();
    let used: BTreeSet<String> = key.columns.iter().map(|name| name.folded.clone()).collect();
    let mut wanted: Vec<String> =
        key.columns.iter().map(|name| format!("{child}.{} IS NOT NULL", quote_name(&name.text))).collect();
    if let Some((parent, columns)) = parent {
        let named: BTreeSet<String> = columns.iter().cloned().collect();
        // The parent's column stands first: its collation decides. The sign takes the child's affinity away, so that
        // the parent's decides too, as it does for SQLite.
        let same = columns
            .iter()
            .zip(&key.columns)
            .map(|(there, here)| (quote_name(there), parent.collated(there), quote_name(&here.text)))
            .map(|(there, collated, here)| format!("ptah_parent.{there}{collated} = +{child}.{here}"));
        let same: Vec<String> = same.collect();
        let parent = parent.relation(&named, "ptah_parent");
        wanted.push(format!("NOT EXISTS (SELECT 1 FROM {parent} WHERE {})", same.join(" AND ")));
    }
    let sentence = format!("rows refer to rows that `{}` does not have", key.parent);
    check("rows.orphan", rows.that(&used, &wanted.join(" AND ")), sentence, false)
}

/// Rows of a child that stays which refer to rows of a table that goes.
pub(super) fn referenced(child: &Table, key: &ForeignKey, parent: &Table) -> Option<Check> {
    let columns = parent_columns(key, parent)?;
    let rows = Rows::new(child, child);
    let name = rows.name();
    let same = columns
        .iter()
        .zip(&key.columns)
        .map(|(there, here)| format!("ptah_parent.{} = +{name}.{}", quote_name(there), quote_name(&here.text)));
    let same: Vec<String> = same.collect();
    let parent_name = quote_name(&parent.header.name.text);
    let condition = format!("EXISTS (SELECT 1 FROM {parent_name} AS ptah_parent WHERE {})", same.join(" AND "));
    let used = key.columns.iter().map(|name| name.folded.clone()).collect();
    let sentence = format!("rows of `{}` refer to rows of the table", child.header.name);
    Some(check("rows.referenced", rows.that(&used, &condition), sentence, false))
}

/// The columns that a key refers to, folded; `None` when the parent does not have as many.
pub(super) fn parent_columns(key: &ForeignKey, parent: &Table) -> Option<Vec<String>> {
    let named: Vec<String> = key.parent_columns.iter().map(|name| name.folded.clone()).collect();
    let columns = if named.is_empty() { key_columns(parent) } else { named };
    let there = |name: &String| parent.columns.iter().any(|column| column.name.folded == *name);
    (columns.len() == key.columns.len() && columns.iter().all(there)).then_some(columns)
}

/// Whether a key, primary key or unique index of `old` already keeps rows apart by some of these columns, none of
/// which will store or compare values in another way.
pub(super) fn is_unique_already(old: &Table, new: &Table, indexes: &Side<'_>, columns: &[IndexedColumn]) -> bool {
    let plain = |columns: &[IndexedColumn]| -> Option<BTreeSet<String>> {
        let names = columns.iter().map(|c| c.column.as_ref().filter(|_| c.collation.is_none()));
        names.map(|name| name.map(|name| name.folded.clone())).collect()
    };
    let Some(wanted) = plain(columns) else { return false };
    let same = |name: &String| {
        let name = Name::from_written(&quote_name(name));
        let collation =
            |c: &Column| c.collation.as_ref().map_or_else(|| "binary".to_owned(), |c| c.name.folded.clone());
        match (old.column(&name), new.column(&name)) {
            (Some(old), Some(new)) => {
                value::is_kept(old, new)
                    && old.generated.is_none()
                    && new.generated.is_none()
                    && collation(old) == collation(new)
            }
            _ => false,
        }
    };
    let keys = old.constraints.iter().filter_map(|constraint: &Constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey { columns, .. } | ConstraintKind::Unique { columns, .. } => plain(columns),
        _ => None,
    });
    let owned = indexes.owned(&old.header.name.folded).iter().filter_map(|stored| match stored.declaration() {
        Some(crate::sql::ast::Declaration::Index(index)) if index.header.unique && index.condition.is_none() => {
            plain(&index.columns)
        }
        _ => None,
    });
    let mut keys = keys.chain(owned);
    keys.any(|key| !key.is_empty() && key.is_subset(&wanted) && key.iter().all(same))
}

//! What SQLite looks up when it makes a table or an index: functions and collations.
//!
//! Not the functions in a DEFAULT: those are looked up when a row gets it.

use crate::sql::ast::{Column, Constraint, ConstraintKind, Index, Table};
use crate::sql::references::References;

/// What a table needs.
pub(super) fn of_table(table: &Table) -> References {
    let mut found = References::default();
    for column in &table.columns {
        found.add(&of_column(column));
    }
    for constraint in &table.constraints {
        found.add(&of_constraint(constraint));
    }
    found
}

/// What a column needs, without its constraints.
pub(super) fn of_column(column: &Column) -> References {
    let mut found = References::default();
    if let Some(generated) = &column.generated {
        found.add(&generated.expression.canonical.references);
    }
    found.collations.extend(column.collation.iter().map(|collation| collation.name.folded.clone()));
    found
}

/// What a constraint needs.
pub(super) fn of_constraint(constraint: &Constraint) -> References {
    let mut found = References::default();
    for text in constraint.expressions() {
        found.add(&text.canonical.references);
    }
    if let ConstraintKind::PrimaryKey { columns, .. } | ConstraintKind::Unique { columns, .. } = &constraint.kind {
        let named = columns.iter().filter_map(|column| column.collation.as_ref());
        found.collations.extend(named.map(|name| name.folded.clone()));
    }
    found
}

/// What an index needs, by its own text and by the columns of its table.
pub(super) fn of_index(index: &Index, table: Option<&Table>) -> References {
    let mut found = index.references();
    for name in index.columns.iter().filter(|c| c.collation.is_none()).filter_map(|c| c.column.as_ref()) {
        let column = table.and_then(|table| table.column(name));
        let collation = column.and_then(|column| column.collation.as_ref());
        found.collations.extend(collation.map(|collation| collation.name.folded.clone()));
    }
    found
}

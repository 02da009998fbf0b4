//! Indexes.

use super::constraint::IndexedColumn;
use super::{Header, SqlText};
use crate::sql::canonical::{Canonical, Scope};
use crate::sql::cursor::Cursor;
use crate::sql::error::TextError;
use crate::sql::name::{Name, quote_name};
use crate::sql::position::Span;
use crate::sql::references::References;

/// An index.
#[derive(Clone, Debug)]
pub struct Index {
    /// What stands before ON; UNIQUE is there.
    pub header: Header,
    /// The table it belongs to.
    pub table: Name,
    /// The place of that name.
    pub table_span: Span,
    /// What is indexed, in order.
    pub columns: Vec<IndexedColumn>,
    /// WHERE.
    pub condition: Option<SqlText>,
}

impl Index {
    pub(super) fn read(header: Header, mut cursor: Cursor<'_>, columns: Option<&[String]>) -> Result<Self, TextError> {
        let scope = columns.map_or_else(Scope::unknown, Scope::columns);
        cursor.expect(&["ON"], "ON")?;
        let (table, table_span) = cursor.name("the name of the table")?;
        let (inside, _) = cursor.group()?;
        let items = inside.items();
        if items.is_empty() {
            return Err(inside.expected("a column or an expression"));
        }
        let columns: Result<Vec<_>, _> = items.into_iter().map(|item| IndexedColumn::read(item, &scope)).collect();
        let condition = cursor.eat(&["WHERE"]).then(|| SqlText::expression(&cursor, &scope));
        if condition.is_none() && !cursor.is_done() {
            return Err(cursor.expected("WHERE or the end"));
        }
        Ok(Self { header, table, table_span, columns: columns?, condition })
    }

    /// Its canonical form and all that it mentions.
    pub fn canonical(&self) -> Canonical {
        let columns: Vec<_> = self.columns.iter().map(IndexedColumn::canonical).collect();
        let mut text = format!(
            "CREATE {}INDEX {} ON {} ({})",
            if self.header.unique { "UNIQUE " } else { "" },
            quote_name(&self.header.name.folded),
            quote_name(&self.table.folded),
            columns.join(", ")
        );
        if let Some(condition) = &self.condition {
            text.push_str(" WHERE ");
            text.push_str(&condition.canonical.text);
        }
        Canonical { text, exact: self.texts().all(|text| text.canonical.exact), references: self.references() }
    }

    /// What it mentions, its table included.
    pub fn references(&self) -> References {
        let mut found = References::default();
        for text in self.texts() {
            found.add(&text.canonical.references);
        }
        found.tables.insert(self.table.folded.clone());
        let collations = self.columns.iter().filter_map(|column| column.collation.as_ref());
        found.collations.extend(collations.map(|name| name.folded.clone()));
        found
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &SqlText> {
        self.columns.iter().map(|column| &column.expression).chain(&self.condition)
    }
}

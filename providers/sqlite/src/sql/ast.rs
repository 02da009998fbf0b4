//! What one CREATE text declares, as plain values: tables, indexes, views, triggers, virtual tables.
//!
//! The structure is read from tokens, so that every part keeps its place and its words; expressions and queries get
//! their canonical form from the parser. The texts may come from a source or from `sqlite_schema`. What SQLite would
//! refuse for its meaning (an unknown column, two primary keys) is read as it stands: SQLite is asked about that.

mod affinity;
mod alter;
mod column;
mod constraint;
mod header;
mod index;
mod table;
mod trigger;
mod view;
mod virtual_table;

use std::collections::BTreeSet;

use super::canonical::{self, Canonical, Scope};
use super::cursor::Cursor;
use super::error::TextError;
use super::position::Span;
use super::split::single;

pub use self::affinity::{Affinity, StrictType};
pub use self::alter::{Alter, AlterAction};
pub use self::column::{Collation, Column, DefaultValue, Generated, NotNull};
pub use self::constraint::{Action, Conflict, Constraint, ConstraintKind, ForeignKey, IndexedColumn};
pub use self::header::{Header, ObjectKind};
pub use self::index::Index;
pub use self::table::Table;
pub use self::trigger::{Event, Timing, Trigger};
pub use self::view::View;
pub use self::virtual_table::VirtualTable;

pub(crate) use self::header::qualified_name;

/// A part of a declaration: as written, and in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlText {
    /// As it stands in the text, comments included.
    pub text: String,
    /// The form that decides equality.
    pub canonical: Canonical,
    /// Its place in the text.
    pub span: Span,
}

impl SqlText {
    /// All that is left of `cursor` as an expression.
    pub(crate) fn expression(cursor: &Cursor<'_>, scope: &Scope) -> Self {
        let text = cursor.text();
        Self { text: text.to_owned(), canonical: canonical::expression(text, scope), span: cursor.span() }
    }

    /// All that is left of `cursor` as a query.
    pub(crate) fn query(cursor: &Cursor<'_>) -> Self {
        let text = cursor.text();
        Self { text: text.to_owned(), canonical: canonical::query(text, &Scope::unknown()), span: cursor.span() }
    }
}

/// Any declaration.
#[derive(Clone, Debug)]
pub enum Declaration {
    /// `CREATE TABLE t (…)`
    Table(Table),
    /// `CREATE INDEX`
    Index(Index),
    /// `CREATE VIEW`
    View(View),
    /// `CREATE TRIGGER`
    Trigger(Trigger),
    /// `CREATE VIRTUAL TABLE`
    VirtualTable(VirtualTable),
}

impl Declaration {
    /// Reads one CREATE text. `columns` are those of the table that an index belongs to; nothing when unknown.
    pub fn read(text: &str, columns: Option<&[String]>) -> Result<Self, TextError> {
        let tokens = single(text)?;
        Self::from_tokens(Cursor::new(text, &tokens), columns)
    }

    /// The same for a statement of a script; spans count from the start of the script.
    pub fn from_tokens(cursor: Cursor<'_>, columns: Option<&[String]>) -> Result<Self, TextError> {
        let mut cursor = cursor;
        let header = Header::read(&mut cursor)?;
        Ok(match header.kind {
            ObjectKind::Table => Self::Table(Table::read(header, cursor)?),
            ObjectKind::Index => Self::Index(Index::read(header, cursor, columns)?),
            ObjectKind::View => Self::View(View::read(header, cursor)?),
            ObjectKind::Trigger => Self::Trigger(Trigger::read(header, cursor)?),
            ObjectKind::VirtualTable => Self::VirtualTable(VirtualTable::read(header, cursor)?),
        })
    }

    /// The part before the definition.
    pub fn header(&self) -> &Header {
        match self {
            Self::Table(table) => &table.header,
            Self::Index(index) => &index.header,
            Self::View(view) => &view.header,
            Self::Trigger(trigger) => &trigger.header,
            Self::VirtualTable(table) => &table.header,
        }
    }

    /// Whether every part of it has a certain canonical form.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Table(table) => table.texts().iter().all(|text| text.canonical.exact),
            Self::Index(index) => index.texts().all(|text| text.canonical.exact),
            Self::View(view) => view.select.canonical.exact,
            Self::Trigger(trigger) => trigger.texts().all(|text| text.canonical.exact),
            Self::VirtualTable(_) => true,
        }
    }

    /// Tables and views that it mentions, folded: for an index its table, for a table the parents of its foreign keys.
    pub(crate) fn mentioned_tables(&self) -> BTreeSet<String> {
        match self {
            Self::Table(table) => table.mentioned_tables(),
            Self::Index(index) => BTreeSet::from([index.table.folded.clone()]),
            Self::View(view) => view.select.canonical.references.tables.clone(),
            Self::Trigger(trigger) => trigger.references().tables,
            Self::VirtualTable(_) => BTreeSet::new(),
        }
    }

    /// Whether an expression or a query of it calls a function, as far as that can be told.
    pub(crate) fn calls_functions(&self) -> bool {
        let calls = |text: &SqlText| !text.canonical.exact || !text.canonical.references.functions.is_empty();
        match self {
            Self::Table(table) => table.texts().into_iter().any(calls),
            Self::Index(index) => index.texts().any(calls),
            Self::View(view) => calls(&view.select),
            Self::Trigger(trigger) => trigger.texts().any(calls),
            Self::VirtualTable(_) => true,
        }
    }

    /// The canonical form of the whole declaration and all that it mentions.
    pub fn canonical(&self) -> Canonical {
        match self {
            Self::Table(table) => table.canonical(),
            Self::Index(index) => index.canonical(),
            Self::View(view) => view.canonical(),
            Self::Trigger(trigger) => trigger.canonical(),
            Self::VirtualTable(table) => table.canonical(),
        }
    }
}

#[cfg(test)]
mod tests;

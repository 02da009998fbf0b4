//! `CREATE [TEMP] [UNIQUE] kind [IF NOT EXISTS] [database.]name`.

use crate::sql::cursor::Cursor;
use crate::sql::error::TextError;
use crate::sql::name::Name;
use crate::sql::position::Span;
use crate::sql::token::TokenKind;

/// The kinds of object that a CREATE statement makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// A table.
    Table,
    /// A table that a module provides.
    VirtualTable,
    /// An index.
    Index,
    /// A view.
    View,
    /// A trigger.
    Trigger,
}

impl ObjectKind {
    /// The word for a sentence.
    pub fn word(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::VirtualTable => "virtual table",
            Self::Index => "index",
            Self::View => "view",
            Self::Trigger => "trigger",
        }
    }
}

/// What every CREATE statement says first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What is created.
    pub kind: ObjectKind,
    /// TEMP or TEMPORARY.
    pub temporary: bool,
    /// UNIQUE, of an index.
    pub unique: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// What the name is qualified with.
    pub database: Option<Name>,
    /// The name.
    pub name: Name,
    /// The place of the name, without what qualifies it.
    pub name_span: Span,
    /// The place of the whole statement, without `;`.
    pub span: Span,
}

impl Header {
    /// Reads up to and with the name.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, TextError> {
        let span = cursor.span();
        cursor.expect(&["CREATE"], "CREATE")?;
        let temporary = cursor.eat(&["TEMP"]) || cursor.eat(&["TEMPORARY"]);
        let unique = cursor.eat(&["UNIQUE"]);
        let kind = if cursor.eat(&["TABLE"]) {
            ObjectKind::Table
        } else if cursor.eat(&["INDEX"]) {
            ObjectKind::Index
        } else if cursor.eat(&["VIEW"]) {
            ObjectKind::View
        } else if cursor.eat(&["TRIGGER"]) {
            ObjectKind::Trigger
        } else if cursor.eat(&["VIRTUAL", "TABLE"]) {
            ObjectKind::VirtualTable
        } else {
            return Err(cursor.expected("TABLE, INDEX, VIEW, TRIGGER or VIRTUAL TABLE"));
        };
        let if_not_exists = cursor.eat(&["IF", "NOT", "EXISTS"]);
        let (database, name, name_span) = qualified_name(cursor)?;
        Ok(Self { kind, temporary, unique, if_not_exists, database, name, name_span, span })
    }
}

/// `[database.]name`
pub(crate) fn qualified_name(cursor: &mut Cursor<'_>) -> Result<(Option<Name>, Name, Span), TextError> {
    let (first, first_span) = cursor.name("a name")?;
    if cursor.eat_kind(TokenKind::Dot) {
        let (second, second_span) = cursor.name("a name after the dot")?;
        Ok((Some(first), second, second_span))
    } else {
        Ok((None, first, first_span))
    }
}

//! Columns of a table.

use super::constraint::{Conflict, Constraint, ConstraintKind, IndexedColumn, defer, is_defer, references};
use super::table::Members;
use super::{Affinity, SqlText, StrictType};
use crate::sql::canonical::{self, canonical_type};
use crate::sql::cursor::{Cursor, is_name};
use crate::sql::error::TextError;
use crate::sql::name::Name;
use crate::sql::position::Span;
use crate::sql::token::TokenKind;

/// One column. Its keys, checks and references stand among the constraints of the table.
///
/// What most columns do not have is boxed: a reading keeps every column of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: Name,
    /// The place of its name.
    pub name_span: Span,
    /// The place of the whole definition.
    pub span: Span,
    /// The type as written; nothing when there is none.
    pub type_text: Option<String>,
    /// The type in canonical form, which decides equality.
    pub type_canonical: Option<String>,
    /// What the type does to values. Set once it is known whether the table is STRICT.
    pub affinity: Affinity,
    /// The type in a STRICT table; nothing in others, and nothing for a type that STRICT does not allow.
    pub strict_type: Option<StrictType>,
    /// NOT NULL. A primary key of a WITHOUT ROWID table is not null without saying so.
    pub not_null: Option<NotNull>,
    /// DEFAULT; the last one counts.
    pub default: Option<Box<DefaultValue>>,
    /// COLLATE; the last one counts.
    pub collation: Option<Box<Collation>>,
    /// AS or GENERATED ALWAYS AS.
    pub generated: Option<Box<Generated>>,
}

/// NOT NULL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotNull {
    /// CONSTRAINT name.
    pub name: Option<Name>,
    /// ON CONFLICT.
    pub conflict: Option<Conflict>,
    /// Its place.
    pub span: Span,
}

/// DEFAULT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultValue {
    /// CONSTRAINT name.
    pub name: Option<Name>,
    /// The value with its sign or parentheses.
    pub value: SqlText,
    /// The place of the clause.
    pub span: Span,
}

/// COLLATE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collation {
    /// The collation.
    pub name: Name,
    /// The place of the clause.
    pub span: Span,
}

/// A generated column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// CONSTRAINT name.
    pub name: Option<Name>,
    /// What is computed, without its parentheses.
    pub expression: SqlText,
    /// STORED; otherwise VIRTUAL, which is the default.
    pub stored: bool,
    /// The place of the clause.
    pub span: Span,
}

/// Reads one column definition; its constraints and itself go to `members`.
pub(crate) fn read_column(cursor: &mut Cursor<'_>, members: &mut Members) -> Result<(), TextError> {
    let start = cursor.offset();
    let (name, name_span) = cursor.name("a column name")?;
    let type_text = type_name(cursor)?;
    let type_canonical = type_text.as_deref().map(canonical_type);
    let mut column = Column {
        name,
        name_span,
        span: name_span,
        affinity: Affinity::of(type_canonical.as_deref(), false),
        type_text,
        type_canonical,
        strict_type: None,
        not_null: None,
        default: None,
        collation: None,
        generated: None,
    };
    while !cursor.is_done() {
        clause(cursor, &mut column, members)?;
    }
    column.span = Span::new(start, cursor.last_end());
    members.columns.push(column);
    Ok(())
}

fn type_name(cursor: &mut Cursor<'_>) -> Result<Option<String>, TextError> {
    let start = cursor.offset();
    let mut found = false;
    // SQLite takes every word that is not reserved into the type.
    while cursor.at_name() && !cursor.at_words(0, &["GENERATED", "ALWAYS", "AS"]) {
        cursor.next_token();
        found = true;
    }
    if found && cursor.kind() == Some(TokenKind::LeftParen) {
        cursor.group()?;
    }
    let text = Span::new(start, cursor.last_end()).text(cursor.source);
    Ok(found.then(|| text.to_owned()))
}

/// One clause after the type, with the name in front of it.
fn clause(cursor: &mut Cursor<'_>, column: &mut Column, members: &mut Members) -> Result<(), TextError> {
    let start = cursor.offset();
    let mut name = None;
    while cursor.eat(&["CONSTRAINT"]) {
        name = Some(cursor.name("a constraint name")?.0);
    }
    if cursor.is_done() {
        // SQLite accepts a name without a constraint.
        return Ok(());
    }
    if is_defer(cursor) {
        let deferred = defer(cursor)?;
        members.defer_last(deferred, cursor.last_end());
    } else if cursor.eat(&["DEFAULT"]) {
        let value = default_value(cursor)?;
        let span = Span::new(start, cursor.last_end());
        column.default = Some(Box::new(DefaultValue { name, value, span }));
    } else if cursor.eat(&["NULL"]) {
        Conflict::read(cursor)?;
    } else if cursor.eat(&["NOT", "NULL"]) {
        let conflict = Conflict::read(cursor)?;
        let span = Span::new(start, cursor.last_end());
        column.not_null = Some(NotNull { name, conflict, span });
    } else if cursor.eat(&["COLLATE"]) {
        let (collation, _) = cursor.name("a collation")?;
        let span = Span::new(start, cursor.last_end());
        column.collation = Some(Box::new(Collation { name: collation, span }));
    } else if cursor.eat(&["GENERATED", "ALWAYS", "AS"]) || cursor.eat(&["AS"]) {
        column.generated = Some(Box::new(generated(cursor, name, start, members)?));
    } else {
        let kind = key_or_check(cursor, column, members)?;
        members.constraints.push(Constraint {
            name,
            kind,
            column: Some(members.columns.len()),
            span: Span::new(start, cursor.last_end()),
        });
    }
    Ok(())
}

/// One token, a sign and a token, or parentheses.
fn default_value(cursor: &mut Cursor<'_>) -> Result<SqlText, TextError> {
    let start = cursor.offset();
    if cursor.kind() == Some(TokenKind::LeftParen) {
        cursor.group()?;
    } else {
        let signed = cursor.kind() == Some(TokenKind::Operator);
        if signed {
            cursor.next_token();
        }
        match cursor.kind() {
            Some(kind) if is_name(kind) || is_literal(kind) => cursor.next_token(),
            _ => return Err(cursor.expected("a value")),
        };
    }
    let span = Span::new(start, cursor.last_end());
    let text = span.text(cursor.source);
    Ok(SqlText { text: text.to_owned(), canonical: canonical::default_value(text), span })
}

fn is_literal(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Integer | TokenKind::Float | TokenKind::Blob)
}

fn generated(
    cursor: &mut Cursor<'_>,
    name: Option<Name>,
    start: usize,
    members: &Members,
) -> Result<Generated, TextError> {
    let (inside, _) = cursor.group()?;
    let stored = cursor.eat(&["STORED"]);
    if !stored {
        cursor.eat(&["VIRTUAL"]);
    }
    Ok(Generated {
        name,
        expression: SqlText::expression(&inside, &members.scope),
        stored,
        span: Span::new(start, cursor.last_end()),
    })
}

fn key_or_check(cursor: &mut Cursor<'_>, column: &Column, members: &Members) -> Result<ConstraintKind, TextError> {
    let own = |descending| vec![IndexedColumn::plain(&column.name, column.name_span, descending)];
    if cursor.eat(&["PRIMARY", "KEY"]) {
        let descending = cursor.eat(&["DESC"]);
        let _ascending = !descending && cursor.eat(&["ASC"]);
        let conflict = Conflict::read(cursor)?;
        let autoincrement = cursor.eat(&["AUTOINCREMENT"]);
        return Ok(ConstraintKind::PrimaryKey {
            columns: own(descending),
            conflict,
            autoincrement,
            rowid_alias: false,
        });
    }
    if cursor.eat(&["UNIQUE"]) {
        return Ok(ConstraintKind::Unique { columns: own(false), conflict: Conflict::read(cursor)? });
    }
    if cursor.eat(&["CHECK"]) {
        let (inside, _) = cursor.group()?;
        return Ok(ConstraintKind::Check {
            expression: SqlText::expression(&inside, &members.scope.clone().with_rowid()),
            conflict: None,
        });
    }
    if cursor.eat(&["REFERENCES"]) {
        return Ok(ConstraintKind::ForeignKey(references(cursor, vec![column.name.clone()])?));
    }
    Err(cursor.expected("a constraint of the column, `,` or `)`"))
}

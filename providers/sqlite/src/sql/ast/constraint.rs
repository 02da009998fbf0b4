//! Constraints: the same value whether written at a column or at the table.
//!
//! `a INT UNIQUE` and `UNIQUE (a)` have one canonical form, and so have both ways to write a primary key, a check and
//! a foreign key. Left out of the form, because SQLite ignores or defaults it: ON CONFLICT ABORT, ON CONFLICT of a
//! check, MATCH SIMPLE, ON INSERT, NO ACTION, and DEFERRABLE unless it is INITIALLY DEFERRED.

use super::SqlText;
use crate::sql::canonical::Scope;
use crate::sql::cursor::{Cursor, is_name};
use crate::sql::error::TextError;
use crate::sql::name::{Name, quote_name};
use crate::sql::position::Span;
use crate::sql::token::{Token, TokenKind};

mod foreign_key;

pub use self::foreign_key::{Action, ForeignKey};
pub(super) use self::foreign_key::{defer, is_defer, references};

/// What happens to a row that breaks a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conflict {
    /// The transaction is rolled back.
    Rollback,
    /// The statement is undone; the default.
    Abort,
    /// The statement stops, what it did stays.
    Fail,
    /// The row is left out. A rebuild that copies with it loses rows.
    Ignore,
    /// The rows in the way are deleted.
    Replace,
}

impl Conflict {
    fn word(self) -> &'static str {
        match self {
            Self::Rollback => "ROLLBACK",
            Self::Abort => "ABORT",
            Self::Fail => "FAIL",
            Self::Ignore => "IGNORE",
            Self::Replace => "REPLACE",
        }
    }

    /// `[ON CONFLICT action]`
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Option<Self>, TextError> {
        if !cursor.eat(&["ON", "CONFLICT"]) {
            return Ok(None);
        }
        for action in [Self::Rollback, Self::Abort, Self::Fail, Self::Ignore, Self::Replace] {
            if cursor.eat(&[action.word()]) {
                return Ok(Some(action));
            }
        }
        Err(cursor.expected("ROLLBACK, ABORT, FAIL, IGNORE or REPLACE"))
    }

    /// ` ON CONFLICT …`, empty for the default.
    pub(super) fn clause(conflict: Option<Self>) -> String {
        match conflict {
            None | Some(Self::Abort) => String::new(),
            Some(action) => format!(" ON CONFLICT {}", action.word()),
        }
    }
}

/// One column or expression of a key or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedColumn {
    /// The column; nothing when it is an expression.
    pub column: Option<Name>,
    /// What is indexed, without collation and order.
    pub expression: SqlText,
    /// COLLATE.
    pub collation: Option<Name>,
    /// DESC.
    pub descending: bool,
}

impl IndexedColumn {
    /// A column by itself.
    pub(super) fn plain(name: &Name, span: Span, descending: bool) -> Self {
        let canonical = crate::sql::canonical::column(&name.folded);
        Self {
            column: Some(name.clone()),
            expression: SqlText { text: name.written.clone(), canonical, span },
            collation: None,
            descending,
        }
    }

    /// One item of a list; all of `cursor` is taken.
    pub(super) fn read(mut cursor: Cursor<'_>, scope: &Scope) -> Result<Self, TextError> {
        let source = cursor.source;
        let tokens = cursor.rest();
        let mut end = tokens.len();
        let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is_word(source, word));
        let ordered = end > 1 && (is(end - 1, "ASC") || is(end - 1, "DESC"));
        let descending = ordered && is(end - 1, "DESC");
        end -= usize::from(ordered);
        let collated = end > 2 && is(end - 2, "COLLATE");
        let collation = collated.then(|| Name::from_written(tokens[end - 1].span.text(source)));
        end -= if collated { 2 } else { 0 };
        if end == 0 {
            return Err(cursor.expected("a column or an expression"));
        }
        let inner = cursor.take(end);
        let column = column_of(source, peeled(inner.rest()), scope);
        let expression = match &column {
            Some(name) => Self::plain(name, inner.span(), false).expression,
            None => SqlText::expression(&inner, scope),
        };
        Ok(Self { column, expression, collation, descending })
    }

    /// Its canonical form.
    pub fn canonical(&self) -> String {
        let mut text = self.expression.canonical.text.clone();
        if let Some(collation) = &self.collation {
            text.push_str(" COLLATE ");
            text.push_str(&quote_name(&collation.folded));
        }
        if self.descending {
            text.push_str(" DESC");
        }
        text
    }
}

/// Without the parentheses around all of it, which SQLite does not keep.
fn peeled(mut tokens: &[Token]) -> &[Token] {
    while let [first, inside @ .., last] = tokens
        && first.kind == TokenKind::LeftParen
        && last.kind == TokenKind::RightParen
        && !inside.iter().any(|token| matches!(token.kind, TokenKind::LeftParen | TokenKind::RightParen))
    {
        tokens = inside;
    }
    tokens
}

/// A single name is a column, also in single quotes; in double quotes only when there is such a column.
fn column_of(source: &str, tokens: &[Token], scope: &Scope) -> Option<Name> {
    let [only] = tokens else { return None };
    let name = Name::from_written(only.span.text(source));
    let known = only.kind != TokenKind::DoubleQuoted || scope.holds(&name.folded);
    (is_name(only.kind) && known).then_some(name)
}

/// What a constraint demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// PRIMARY KEY.
    PrimaryKey {
        /// The key, in order.
        columns: Vec<IndexedColumn>,
        /// ON CONFLICT.
        conflict: Option<Conflict>,
        /// AUTOINCREMENT.
        autoincrement: bool,
        /// The column is the rowid itself. Not so for `INTEGER PRIMARY KEY DESC` at a column, while
        /// `PRIMARY KEY (a DESC)` is.
        rowid_alias: bool,
    },
    /// UNIQUE.
    Unique {
        /// The columns, in order.
        columns: Vec<IndexedColumn>,
        /// ON CONFLICT.
        conflict: Option<Conflict>,
    },
    /// CHECK.
    Check {
        /// The condition, without its parentheses.
        expression: SqlText,
        /// ON CONFLICT, which SQLite ignores here.
        conflict: Option<Conflict>,
    },
    /// FOREIGN KEY or REFERENCES.
    ForeignKey(ForeignKey),
}

/// One constraint of a table, wherever it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// CONSTRAINT name.
    pub name: Option<Name>,
    /// What it demands.
    pub kind: ConstraintKind,
    /// Index of the column that it was written at; nothing for one of the table.
    pub column: Option<usize>,
    /// Its place, from CONSTRAINT on.
    pub span: Span,
}

impl Constraint {
    /// The canonical form of what it demands, without its name: its identity.
    pub fn canonical(&self) -> String {
        let list = |columns: &[IndexedColumn]| {
            let columns: Vec<_> = columns.iter().map(IndexedColumn::canonical).collect();
            columns.join(", ")
        };
        match &self.kind {
            ConstraintKind::PrimaryKey { columns, conflict, autoincrement, rowid_alias } => format!(
                "PRIMARY KEY ({}){}{}{}",
                list(columns),
                Conflict::clause(*conflict),
                if *autoincrement { " AUTOINCREMENT" } else { "" },
                if *rowid_alias { " ROWID" } else { "" }
            ),
            ConstraintKind::Unique { columns, conflict } => {
                format!("UNIQUE ({}){}", list(columns), Conflict::clause(*conflict))
            }
            ConstraintKind::Check { expression, .. } => format!("CHECK ({})", expression.canonical.text),
            ConstraintKind::ForeignKey(key) => key.canonical(),
        }
    }

    /// What it is about, without how it goes about it: what a constraint without a name is recognised by, so that
    /// another action or conflict clause is a change of the same constraint.
    pub fn subject(&self) -> String {
        match &self.kind {
            ConstraintKind::PrimaryKey { .. } => "PRIMARY KEY".to_owned(),
            ConstraintKind::Unique { columns, .. } => {
                let columns: Vec<_> = columns.iter().map(IndexedColumn::canonical).collect();
                format!("UNIQUE ({})", columns.join(", "))
            }
            ConstraintKind::Check { .. } => self.canonical(),
            ConstraintKind::ForeignKey(key) => key.subject(),
        }
    }

    /// The expressions in it.
    pub fn expressions(&self) -> Vec<&SqlText> {
        match &self.kind {
            ConstraintKind::PrimaryKey { columns, .. } | ConstraintKind::Unique { columns, .. } => {
                columns.iter().map(|column| &column.expression).collect()
            }
            ConstraintKind::Check { expression, .. } => vec![expression],
            ConstraintKind::ForeignKey(_) => Vec::new(),
        }
    }
}

/// One constraint of a table, after `CONSTRAINT name`. Nothing when a name has no constraint, which SQLite accepts.
pub(crate) fn read_table_constraint(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Option<Constraint>, TextError> {
    let start = cursor.offset();
    let mut name = None;
    while cursor.eat(&["CONSTRAINT"]) {
        name = Some(cursor.name("a constraint name")?.0);
    }
    let kind = if cursor.eat(&["PRIMARY", "KEY"]) {
        let (columns, autoincrement) = key_columns(cursor, scope)?;
        let conflict = Conflict::read(cursor)?;
        ConstraintKind::PrimaryKey { columns, conflict, autoincrement, rowid_alias: false }
    } else if cursor.eat(&["UNIQUE"]) {
        let (columns, _) = key_columns(cursor, scope)?;
        let conflict = Conflict::read(cursor)?;
        ConstraintKind::Unique { columns, conflict }
    } else if cursor.eat(&["CHECK"]) {
        let (inside, _) = cursor.group()?;
        let conflict = Conflict::read(cursor)?;
        ConstraintKind::Check { expression: SqlText::expression(&inside, &scope.clone().with_rowid()), conflict }
    } else if cursor.eat(&["FOREIGN", "KEY"]) {
        ConstraintKind::ForeignKey(foreign_key::of_table(cursor)?)
    } else if name.is_some() && cursor.is_done() {
        return Ok(None);
    } else {
        return Err(cursor.expected("PRIMARY KEY, UNIQUE, CHECK or FOREIGN KEY"));
    };
    Ok(Some(Constraint { name, kind, column: None, span: Span::new(start, cursor.last_end()) }))
}

/// `(a, b DESC [AUTOINCREMENT])`
fn key_columns(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<(Vec<IndexedColumn>, bool), TextError> {
    let (mut inside, _) = cursor.group()?;
    let tokens = inside.rest();
    let autoincrement =
        tokens.len() > 1 && tokens.last().is_some_and(|last| last.is_word(cursor.source, "AUTOINCREMENT"));
    let inside = inside.take(tokens.len() - usize::from(autoincrement));
    let items = inside.items();
    if items.is_empty() {
        return Err(inside.expected("a column"));
    }
    let columns: Result<Vec<_>, _> = items.into_iter().map(|item| IndexedColumn::read(item, scope)).collect();
    Ok((columns?, autoincrement))
}

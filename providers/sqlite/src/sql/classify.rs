//! What a statement is, by its first words, and what it declares.
//!
//! The class never depends on whether the rest can be read: a statement that is too new or broken is still named.

mod objects;

use std::sync::Arc;

use self::objects::{alter, create, drop_object};
use super::ast::{Alter, Declaration, ObjectKind};
use super::cursor::Cursor;
use super::error::TextError;
use super::name::Name;
use super::position::Span;
use super::split::Statement;
use super::token::TokenKind;

/// The classes of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// CREATE of an object with its definition.
    Create(ObjectKind),
    /// CREATE TABLE … AS SELECT.
    CreateTableAs,
    /// ALTER TABLE.
    AlterTable,
    /// DROP.
    Drop {
        /// Of what; a virtual table is dropped as a table.
        kind: ObjectKind,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// INSERT or REPLACE.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// SELECT or VALUES.
    Select,
    /// PRAGMA.
    Pragma,
    /// ATTACH.
    Attach,
    /// DETACH.
    Detach,
    /// BEGIN, COMMIT, END, ROLLBACK, SAVEPOINT or RELEASE.
    Transaction,
    /// REINDEX.
    Reindex,
    /// ANALYZE.
    Analyze,
    /// VACUUM.
    Vacuum,
    /// EXPLAIN of anything.
    Explain,
    /// No statement of SQLite starts so.
    Unknown,
}

impl Class {
    /// Whether it changes what objects there are.
    pub fn changes_schema(self) -> bool {
        matches!(self, Self::Create(_) | Self::CreateTableAs | Self::AlterTable | Self::Drop { .. })
    }

    /// The words for a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Create(ObjectKind::Table) => "CREATE TABLE",
            Self::Create(ObjectKind::VirtualTable) => "CREATE VIRTUAL TABLE",
            Self::Create(ObjectKind::Index) => "CREATE INDEX",
            Self::Create(ObjectKind::View) => "CREATE VIEW",
            Self::Create(ObjectKind::Trigger) => "CREATE TRIGGER",
            Self::CreateTableAs => "CREATE TABLE AS SELECT",
            Self::AlterTable => "ALTER TABLE",
            Self::Drop { .. } => "DROP",
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Select => "SELECT",
            Self::Pragma => "PRAGMA",
            Self::Attach => "ATTACH",
            Self::Detach => "DETACH",
            Self::Transaction => "a transaction statement",
            Self::Reindex => "REINDEX",
            Self::Analyze => "ANALYZE",
            Self::Vacuum => "VACUUM",
            Self::Explain => "EXPLAIN",
            Self::Unknown => "an unknown statement",
        }
    }
}

/// What was read of the definition.
#[derive(Clone, Debug)]
pub enum Definition {
    /// A CREATE.
    Declaration(Arc<Declaration>),
    /// An ALTER TABLE.
    Alter(Box<Alter>),
    /// The class has none.
    None,
    /// The class has one, but it could not be read.
    Unread(TextError),
}

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemberKind {
    /// A column.
    Column,
    /// A constraint, also one that is written at a column.
    Constraint,
}

/// A column or constraint with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// What it is.
    pub kind: MemberKind,
    /// Its name; constraints may have none.
    pub name: Option<Name>,
    /// The canonical form of a constraint, its identity where it has no name.
    pub canonical: Option<String>,
    /// Its place.
    pub span: Span,
}

/// A statement and what it is.
#[derive(Clone, Debug)]
pub struct Classified {
    /// The class.
    pub class: Class,
    /// CREATE TEMP, or a name in the database `temp`.
    pub temporary: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// What the object is qualified with.
    pub database: Option<Name>,
    /// The object that is created, altered, dropped, written or set.
    pub name: Option<Name>,
    /// The place of that name.
    pub name_span: Option<Span>,
    /// The table or view that an index or trigger belongs to.
    pub owner: Option<(Name, Span)>,
    /// Columns and constraints that the statement declares, in the order of the text.
    pub members: Vec<Member>,
    /// The definition.
    pub definition: Definition,
}

impl Classified {
    /// The name of a database that is neither `main` nor `temp`.
    pub fn other_database(&self) -> Option<&Name> {
        self.database.as_ref().filter(|name| !["main", "temp"].contains(&name.folded.as_str()))
    }

    fn new(class: Class) -> Self {
        Self {
            class,
            temporary: false,
            if_not_exists: false,
            database: None,
            name: None,
            name_span: None,
            owner: None,
            members: Vec::new(),
            definition: Definition::None,
        }
    }

    fn named(mut self, database: Option<Name>, name: Name, span: Span) -> Self {
        self.temporary |= database.as_ref().is_some_and(|database| database.folded == "temp");
        self.database = database;
        self.name = Some(name);
        self.name_span = Some(span);
        self
    }

    /// With the name that comes next, if one does.
    fn with_name(self, cursor: &mut Cursor<'_>) -> Self {
        match super::ast::qualified_name(cursor) {
            Ok((database, name, span)) => self.named(database, name, span),
            Err(_) => self,
        }
    }
}

/// Classifies a statement of a script.
pub fn classify(script: &str, statement: &Statement) -> Classified {
    let mut cursor = Cursor::new(script, &statement.tokens);
    if cursor.at_word("CREATE") {
        return create(cursor);
    }
    if cursor.at_word("ALTER") {
        return alter(cursor);
    }
    if cursor.eat(&["DROP"]) {
        return drop_object(cursor);
    }
    if cursor.at_word("WITH") {
        skip_common_tables(&mut cursor);
    }
    let first = cursor.peek(0).filter(|token| token.kind == TokenKind::Word);
    let word = first.map(|token| token.span.text(script).to_ascii_uppercase()).unwrap_or_default();
    cursor.next_token();
    match word.as_str() {
        "INSERT" | "REPLACE" => {
            while !cursor.is_done() && !cursor.eat(&["INTO"]) {
                cursor.next_token();
            }
            Classified::new(Class::Insert).with_name(&mut cursor)
        }
        "UPDATE" => {
            if cursor.eat(&["OR"]) {
                cursor.next_token();
            }
            Classified::new(Class::Update).with_name(&mut cursor)
        }
        "DELETE" => {
            cursor.eat(&["FROM"]);
            Classified::new(Class::Delete).with_name(&mut cursor)
        }
        "PRAGMA" => Classified::new(Class::Pragma).with_name(&mut cursor),
        "SELECT" | "VALUES" => Classified::new(Class::Select),
        "ATTACH" => Classified::new(Class::Attach),
        "DETACH" => Classified::new(Class::Detach),
        "BEGIN" | "COMMIT" | "END" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" => Classified::new(Class::Transaction),
        "REINDEX" => Classified::new(Class::Reindex),
        "ANALYZE" => Classified::new(Class::Analyze),
        "VACUUM" => Classified::new(Class::Vacuum),
        "EXPLAIN" => Classified::new(Class::Explain),
        _ => Classified::new(Class::Unknown),
    }
}

/// To the verb after `WITH a AS (…), b AS (…)`.
fn skip_common_tables(cursor: &mut Cursor<'_>) {
    while !cursor.is_done() && !cursor.at_any(&["SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"]) {
        if cursor.kind() != Some(TokenKind::LeftParen) || cursor.group().is_err() {
            cursor.next_token();
        }
    }
}

#[cfg(test)]
mod tests;

//! One object as it is stored: its text, what the text says, and what the schema model makes of it.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use ptah_model::{Digest, FacetPool, Kind, NotDescribed, Object, ObjectId, object_digest};
use ptah_provider_api::reason::Reason;

use super::described::object_of;
use crate::sql::ast::{Declaration, Table};

/// A column as SQLite itself reads it: for the cross-check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableColumn {
    /// Folded.
    pub(super) name: String,
    /// 2 and 3 are generated columns.
    pub(super) hidden: i64,
    /// Part of the primary key.
    pub(super) in_key: bool,
}

/// One object: its text and what was made of it.
///
/// A reading keeps all objects of a database, and most of them are never looked into. So what the text declares is not
/// kept: it is read again when somebody asks.
#[derive(Clone, Debug)]
pub struct StoredObject {
    /// Its identity.
    pub id: ObjectId,
    /// The text, as `sqlite_schema` keeps it.
    pub sql: String,
    /// What the schema model has of it.
    pub described: Described,
    /// Tables and views that the text mentions, folded and sorted; for a table those in its expressions as well.
    mentions: Box<[String]>,
    /// The parents of the foreign keys of a table, folded and sorted.
    parents: Box<[String]>,
    /// The columns of the table that an index belongs to: what is in double quotes is one of them or a string.
    of_table: Option<Columns>,
    /// What the text declares; `None` within when it could not be read.
    declaration: OnceLock<Option<Box<Declaration>>>,
}

/// The folded names of the columns of a table, which all its indexes share.
pub(super) type Columns = Arc<[String]>;

/// An object of the schema model, or why there is none.
#[derive(Clone, Debug)]
pub enum Described {
    /// The object with its digest.
    Object(Arc<Object>, Digest),
    /// It exists and is never compared, altered or dropped.
    Not(NotDescribed),
}

/// A text that is to be read.
#[derive(Debug)]
pub(super) struct Text<'a> {
    pub(super) id: ObjectId,
    pub(super) sql: &'a str,
    /// The columns of a table as SQLite reads them.
    pub(super) own: Option<&'a [TableColumn]>,
    /// The columns of the table that an index belongs to.
    pub(super) of_table: Option<&'a Columns>,
}

impl StoredObject {
    /// Something that exists and is not described.
    pub(super) fn not_described(id: ObjectId, sql: &str, reason: String) -> Self {
        let declaration = Declaration::read(sql, None).ok();
        Self::without(id, sql, declaration.as_ref(), reason)
    }

    fn without(id: ObjectId, sql: &str, declaration: Option<&Declaration>, reason: String) -> Self {
        let reason = Reason::or_malformed(reason).as_str().to_owned();
        let described = Described::Not(NotDescribed { id: id.clone(), reason });
        Self::of(id, sql, described, declaration, None)
    }

    fn of(
        id: ObjectId,
        sql: &str,
        described: Described,
        declaration: Option<&Declaration>,
        of_table: Option<Columns>,
    ) -> Self {
        // What could not be read once is not tried again.
        let kept = if declaration.is_none() { OnceLock::from(None) } else { OnceLock::new() };
        let parents = match declaration {
            Some(Declaration::Table(table)) => table.parents(),
            _ => BTreeSet::new(),
        };
        let mentions = declaration.map(Declaration::mentioned_tables).unwrap_or_default();
        Self {
            id,
            sql: sql.to_owned(),
            described,
            mentions: mentions.into_iter().collect(),
            parents: parents.into_iter().collect(),
            of_table,
            declaration: kept,
        }
    }

    /// Reads a text.
    pub(super) fn parse(text: &Text<'_>, pool: &mut FacetPool) -> Self {
        let Text { id, sql, own, of_table } = text;
        let id = id.clone();
        let of_table = of_table.filter(|_| id.kind == Kind::index());
        let declaration = match Declaration::read(sql, of_table.map(|columns| &**columns)) {
            Ok(declaration) => declaration,
            Err(error) => {
                let reason = format!("its definition cannot be read: {error}");
                return Self::without(id, sql, None, reason);
            }
        };
        if let Declaration::Table(table) = &declaration
            && !own.is_some_and(|own| agrees(table, own))
        {
            let reason = "SQLite and this reader do not agree about its columns".to_owned();
            return Self::without(id, sql, Some(&declaration), reason);
        }
        let Some(object) = object_of(&id, &declaration, pool) else {
            let reason = "a part of its definition has no canonical form here".to_owned();
            return Self::without(id, sql, Some(&declaration), reason);
        };
        let digest = object_digest(&object);
        Self::of(id, sql, Described::Object(Arc::new(object), digest), Some(&declaration), of_table.cloned())
    }

    /// What the text declares; absent when it could not be read.
    pub fn declaration(&self) -> Option<&Declaration> {
        let read = || Declaration::read(&self.sql, self.of_table.as_deref()).ok().map(Box::new);
        self.declaration.get_or_init(read).as_deref()
    }

    /// Whether the text could be read.
    pub(crate) fn is_readable(&self) -> bool {
        !matches!(self.declaration.get(), Some(None))
    }

    /// Tables and views that the text mentions, folded and sorted.
    pub(crate) fn mentioned_tables(&self) -> &[String] {
        &self.mentions
    }

    /// The parents of the foreign keys of a table, folded and sorted.
    pub(crate) fn parents(&self) -> &[String] {
        &self.parents
    }

    /// The object of the schema model.
    pub fn object(&self) -> Option<&Object> {
        match &self.described {
            Described::Object(object, _) => Some(object),
            Described::Not(_) => None,
        }
    }

    /// What it declares as a table.
    pub fn table(&self) -> Option<&Table> {
        match self.declaration() {
            Some(Declaration::Table(table)) => Some(table),
            _ => None,
        }
    }
}

/// Whether SQLite reads the same columns, the same generated ones and the same key.
fn agrees(table: &Table, own: &[TableColumn]) -> bool {
    use crate::sql::ast::ConstraintKind;
    let in_key = |name: &str| {
        table.constraints.iter().any(|constraint| match &constraint.kind {
            ConstraintKind::PrimaryKey { columns, .. } => {
                columns.iter().any(|column| column.column.as_ref().is_some_and(|c| c.folded == name))
            }
            _ => false,
        })
    };
    let same = |(column, own): (&crate::sql::ast::Column, &TableColumn)| {
        let hidden = match &column.generated {
            None => 0,
            Some(generated) if generated.stored => 3,
            Some(_) => 2,
        };
        column.name.folded == own.name && hidden == own.hidden && in_key(&own.name) == own.in_key
    };
    table.columns.len() == own.len() && table.columns.iter().zip(own).all(same)
}

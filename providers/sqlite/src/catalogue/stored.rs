//! One object as it is stored: its text, what the text says, and what the schema model makes of it.

use ptah_model::{Digest, Kind, NotDescribed, Object, ObjectId, object_digest};
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
#[derive(Clone, Debug)]
pub struct StoredObject {
    /// Its identity.
    pub id: ObjectId,
    /// The text, as `sqlite_schema` keeps it.
    pub sql: String,
    /// What the text declares; absent when it could not be read.
    pub declaration: Option<Declaration>,
    /// What the schema model has of it.
    pub described: Described,
}

/// An object of the schema model, or why there is none.
#[derive(Clone, Debug)]
pub enum Described {
    /// The object with its digest.
    Object(Object, Digest),
    /// It exists and is never compared, altered or dropped.
    Not(NotDescribed),
}

impl StoredObject {
    /// Something that exists and is not described.
    pub(super) fn not_described(id: ObjectId, sql: &str, reason: String) -> Self {
        let declaration = Declaration::read(sql, None).ok();
        Self::without(id, sql, declaration, reason)
    }

    fn without(id: ObjectId, sql: &str, declaration: Option<Declaration>, reason: String) -> Self {
        let reason = Reason::or_malformed(reason).as_str().to_owned();
        Self {
            described: Described::Not(NotDescribed { id: id.clone(), reason }),
            id,
            sql: sql.to_owned(),
            declaration,
        }
    }

    /// Reads a text. `own` are the columns of a table as SQLite reads them, `of_table` those of the table that an index
    /// belongs to.
    pub(super) fn parse(id: ObjectId, sql: &str, own: Option<&[TableColumn]>, of_table: Option<&[String]>) -> Self {
        let of_table = of_table.filter(|_| id.kind == Kind::index());
        let declaration = match Declaration::read(sql, of_table) {
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
            return Self::without(id, sql, Some(declaration), reason);
        }
        let Some(object) = object_of(&id, &declaration) else {
            let reason = "a part of its definition has no canonical form here".to_owned();
            return Self::without(id, sql, Some(declaration), reason);
        };
        let digest = object_digest(&object);
        Self { id, sql: sql.to_owned(), declaration: Some(declaration), described: Described::Object(object, digest) }
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
        match &self.declaration {
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

//! ALTER TABLE.

use super::column::{Column, read_column};
use super::constraint::{Conflict, Constraint, read_table_constraint};
use super::header::qualified_name;
use super::table::{CONSTRAINT_WORDS, Members};
use crate::sql::canonical::Scope;
use crate::sql::cursor::Cursor;
use crate::sql::error::TextError;
use crate::sql::name::Name;
use crate::sql::position::Span;

/// One ALTER TABLE statement.
#[derive(Clone, Debug)]
pub struct Alter {
    /// What the table is qualified with.
    pub database: Option<Name>,
    /// The table.
    pub table: Name,
    /// The place of its name.
    pub table_span: Span,
    /// What is done.
    pub action: AlterAction,
}

/// What ALTER TABLE does. Older SQLite knows fewer of these.
#[derive(Clone, Debug)]
pub enum AlterAction {
    /// RENAME TO.
    RenameTo {
        /// The new name.
        new: Name,
    },
    /// RENAME COLUMN.
    RenameColumn {
        /// The old name.
        old: Name,
        /// The new name.
        new: Name,
    },
    /// ADD COLUMN.
    AddColumn {
        /// The column.
        column: Box<Column>,
        /// The constraints that it brings.
        constraints: Vec<Constraint>,
    },
    /// ADD CONSTRAINT or ADD CHECK. SQLite takes checks only.
    AddConstraint(Box<Constraint>),
    /// DROP COLUMN.
    DropColumn(Name),
    /// DROP CONSTRAINT.
    DropConstraint(Name),
    /// ALTER COLUMN … SET NOT NULL.
    SetNotNull(Name),
    /// ALTER COLUMN … DROP NOT NULL.
    DropNotNull(Name),
}

impl Alter {
    /// Reads the whole statement.
    pub fn read(mut cursor: Cursor<'_>) -> Result<Self, TextError> {
        cursor.expect(&["ALTER", "TABLE"], "ALTER TABLE")?;
        let (database, table, table_span) = qualified_name(&mut cursor)?;
        let action = action(&mut cursor)?;
        if !cursor.is_done() {
            return Err(cursor.expected("the end"));
        }
        Ok(Self { database, table, table_span, action })
    }
}

fn action(cursor: &mut Cursor<'_>) -> Result<AlterAction, TextError> {
    if cursor.eat(&["RENAME", "TO"]) {
        let new = cursor.name("the new name")?.0;
        return Ok(AlterAction::RenameTo { new });
    }
    if cursor.eat(&["RENAME"]) {
        let old = column_name(cursor)?;
        cursor.expect(&["TO"], "TO")?;
        let new = cursor.name("the new name")?.0;
        return Ok(AlterAction::RenameColumn { old, new });
    }
    if cursor.eat(&["ADD"]) {
        return add(cursor);
    }
    if cursor.eat(&["DROP", "CONSTRAINT"]) {
        return Ok(AlterAction::DropConstraint(cursor.name("a constraint name")?.0));
    }
    if cursor.eat(&["DROP"]) {
        return Ok(AlterAction::DropColumn(column_name(cursor)?));
    }
    cursor.expect(&["ALTER"], "RENAME, ADD, DROP or ALTER")?;
    let column = column_name(cursor)?;
    if cursor.eat(&["DROP", "NOT", "NULL"]) {
        return Ok(AlterAction::DropNotNull(column));
    }
    cursor.expect(&["SET", "NOT", "NULL"], "SET NOT NULL or DROP NOT NULL")?;
    Conflict::read(cursor)?;
    Ok(AlterAction::SetNotNull(column))
}

fn column_name(cursor: &mut Cursor<'_>) -> Result<Name, TextError> {
    cursor.eat(&["COLUMN"]);
    Ok(cursor.name("a column name")?.0)
}

fn add(cursor: &mut Cursor<'_>) -> Result<AlterAction, TextError> {
    // The other columns of the table are not in this statement.
    let scope = Scope::unknown();
    if cursor.at_any(&CONSTRAINT_WORDS) {
        let constraint = read_table_constraint(cursor, &scope)?;
        let constraint = constraint.ok_or_else(|| cursor.expected("a constraint"))?;
        return Ok(AlterAction::AddConstraint(Box::new(constraint)));
    }
    cursor.eat(&["COLUMN"]);
    let mut members = Members::new(scope);
    read_column(cursor, &mut members)?;
    let column = members.columns.pop().ok_or_else(|| cursor.expected("a column"))?;
    Ok(AlterAction::AddColumn { column: Box::new(column), constraints: members.constraints })
}

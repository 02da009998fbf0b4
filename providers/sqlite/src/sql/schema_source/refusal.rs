//! Why a statement cannot be part of a declared schema, and what to do instead.

use super::{Entry, Finding, Rule, Severity};
use crate::sql::ast::AlterAction;
use crate::sql::classify::{Class, Definition};
use crate::sql::error::TextError;
use crate::sql::position::Span;

/// Refuses what is no part of a schema.
pub(super) fn check(entry: &Entry) -> Result<(), Box<Finding>> {
    let classified = &entry.classified;
    if let Some(hint) = refused_class(classified.class) {
        let message = format!("{} is not part of a schema", classified.class.words());
        return Err(Box::new(refuse(entry, Rule::NotSchema, message, hint)));
    }
    if classified.temporary {
        let message = "a temporary object is not part of a schema".to_owned();
        let hint = "remove TEMP, or the statement";
        return Err(Box::new(refuse(entry, Rule::Temporary, message, hint)));
    }
    if let Some(database) = classified.other_database() {
        let message = format!("the name is in the database {database}, and a schema describes the main database only");
        let hint = "remove the database from the name";
        return Err(Box::new(refuse(entry, Rule::OtherDatabase, message, hint)));
    }
    if let Definition::Alter(alter) = &classified.definition
        && let Some((words, hint)) = refused_action(&alter.action)
    {
        let message = format!("ALTER TABLE … {words} is not part of a schema");
        return Err(Box::new(refuse(entry, Rule::NotSchema, message, hint)));
    }
    Ok(())
}

/// A definition that cannot be read, at the place where reading stopped.
pub(super) fn unreadable(entry: &Entry, error: &TextError) -> Finding {
    let mut finding = refuse(entry, Rule::Unreadable, error.kind.to_string(), "");
    finding.place.position = error.position;
    finding.place.span = Span::new(error.offset, error.offset);
    finding
}

fn refuse(entry: &Entry, rule: Rule, message: String, hint: &'static str) -> Finding {
    Finding { rule, severity: Severity::Error, message, hint, place: entry.place.clone(), other: None }
}

/// What to do about a class that is refused; nothing for those that are accepted.
fn refused_class(class: Class) -> Option<&'static str> {
    Some(match class {
        Class::Create(_) | Class::AlterTable | Class::Drop { if_exists: true, .. } => return None,
        Class::CreateTableAs => "write the columns out; a table from a query has no declared columns",
        Class::Drop { .. } => "remove it; what a schema does not declare is dropped by the plan",
        Class::Insert | Class::Update | Class::Delete => "move it to a migration; a schema holds no rows",
        Class::Select | Class::Explain => "remove it; a query declares nothing",
        Class::Pragma => "remove it; settings belong to the connection",
        Class::Attach | Class::Detach => "remove it; a schema describes the main database only",
        Class::Transaction => "remove it; the plan decides about transactions",
        Class::Reindex | Class::Analyze | Class::Vacuum => "remove it; maintenance declares nothing",
        Class::Unknown => "check the first words of the statement",
    })
}

fn refused_action(action: &AlterAction) -> Option<(&'static str, &'static str)> {
    Some(match action {
        AlterAction::RenameTo { .. }
        | AlterAction::RenameColumn { .. }
        | AlterAction::AddColumn { .. }
        | AlterAction::AddConstraint(_) => return None,
        AlterAction::DropColumn(_) => ("DROP COLUMN", "remove the column from its CREATE TABLE"),
        AlterAction::DropConstraint(_) => ("DROP CONSTRAINT", "remove the constraint from its CREATE TABLE"),
        AlterAction::SetNotNull(_) => ("SET NOT NULL", "write NOT NULL in its CREATE TABLE"),
        AlterAction::DropNotNull(_) => ("DROP NOT NULL", "remove NOT NULL from its CREATE TABLE"),
    })
}

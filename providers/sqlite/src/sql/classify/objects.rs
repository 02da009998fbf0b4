//! CREATE, ALTER and DROP: names, owners and members.

use std::sync::Arc;

use super::{Class, Classified, Definition, Member, MemberKind};
use crate::sql::ast::{Alter, AlterAction, Constraint, Declaration, Header, ObjectKind};
use crate::sql::cursor::Cursor;
use crate::sql::name::Name;
use crate::sql::position::Span;

pub(super) fn create(cursor: Cursor<'_>) -> Classified {
    let mut after = cursor.clone();
    let header = match Header::read(&mut after) {
        Ok(header) => header,
        Err(error) => {
            let mut unread = Classified::new(Class::Unknown);
            unread.definition = Definition::Unread(error);
            return unread;
        }
    };
    let is_copy = header.kind == ObjectKind::Table && after.at_word("AS");
    let class = if is_copy { Class::CreateTableAs } else { Class::Create(header.kind) };
    let mut classified = Classified::new(class).named(header.database, header.name, header.name_span);
    classified.temporary |= header.temporary;
    classified.if_not_exists = header.if_not_exists;
    if is_copy {
        return classified;
    }
    match Declaration::from_tokens(cursor, None) {
        Ok(declaration) => {
            classified.owner = owner(&declaration);
            classified.members = members(&declaration);
            classified.definition = Definition::Declaration(Arc::new(declaration));
        }
        Err(error) => classified.definition = Definition::Unread(error),
    }
    classified
}

fn owner(declaration: &Declaration) -> Option<(Name, Span)> {
    match declaration {
        Declaration::Index(index) => Some((index.table.clone(), index.table_span)),
        Declaration::Trigger(trigger) => Some((trigger.table.clone(), trigger.table_span)),
        Declaration::Table(_) | Declaration::View(_) | Declaration::VirtualTable(_) => None,
    }
}

fn members(declaration: &Declaration) -> Vec<Member> {
    let mut members: Vec<_> = match declaration {
        Declaration::Table(table) => {
            let columns = table.columns.iter().map(|column| column_member(&column.name, column.span));
            columns.chain(table.constraints.iter().map(constraint_member)).collect()
        }
        Declaration::View(view) => view.columns.iter().map(|(name, span)| column_member(name, *span)).collect(),
        Declaration::Index(_) | Declaration::Trigger(_) | Declaration::VirtualTable(_) => Vec::new(),
    };
    members.sort_by_key(|member| member.span.start);
    members
}

fn column_member(name: &Name, span: Span) -> Member {
    Member { kind: MemberKind::Column, name: Some(name.clone()), canonical: None, span }
}

fn constraint_member(constraint: &Constraint) -> Member {
    Member {
        kind: MemberKind::Constraint,
        name: constraint.name.clone(),
        canonical: Some(constraint.canonical()),
        span: constraint.span,
    }
}

pub(super) fn alter(cursor: Cursor<'_>) -> Classified {
    let mut after = cursor.clone();
    if !after.eat(&["ALTER", "TABLE"]) {
        return Classified::new(Class::Unknown);
    }
    let mut classified = Classified::new(Class::AlterTable).with_name(&mut after);
    match Alter::read(cursor) {
        Ok(alter) => {
            match &alter.action {
                AlterAction::AddColumn { column, constraints } => {
                    classified.members.push(column_member(&column.name, column.span));
                    classified.members.extend(constraints.iter().map(constraint_member));
                }
                AlterAction::AddConstraint(constraint) => classified.members.push(constraint_member(constraint)),
                _ => {}
            }
            classified.definition = Definition::Alter(Box::new(alter));
        }
        Err(error) => classified.definition = Definition::Unread(error),
    }
    classified
}

pub(super) fn drop_object(mut cursor: Cursor<'_>) -> Classified {
    let kinds = [
        ("TABLE", ObjectKind::Table),
        ("INDEX", ObjectKind::Index),
        ("VIEW", ObjectKind::View),
        ("TRIGGER", ObjectKind::Trigger),
    ];
    for (word, kind) in kinds {
        if cursor.eat(&[word]) {
            let if_exists = cursor.eat(&["IF", "EXISTS"]);
            return Classified::new(Class::Drop { kind, if_exists }).with_name(&mut cursor);
        }
    }
    Classified::new(Class::Unknown)
}

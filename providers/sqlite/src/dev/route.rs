//! What a statement is about: what it makes, or which objects it may change.

use std::collections::BTreeSet;

use crate::claims::is_ours;
use crate::sql::ast::{Declaration, ObjectKind};
use crate::sql::cursor::{Cursor, is_name};
use crate::sql::name::Name;
use crate::sql::split::single;

/// Where a name lives. Tables, views and indexes share one space, triggers have their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Space {
    /// Tables, virtual tables, views and indexes.
    Main,
    /// Triggers.
    Trigger,
}

/// The key of an object: its space and its folded name.
pub(super) type Key = (Space, String);

/// What an object is and what its text mentions; all names folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) key: Key,
    pub(super) kind: ObjectKind,
    /// The table or view that it belongs to.
    pub(super) owner: Option<String>,
    /// Tables and views that its text mentions; for a table the parents of its foreign keys.
    pub(super) mentions: BTreeSet<String>,
}

/// What a statement is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// It makes an object.
    Create {
        /// The object.
        known: Known,
        /// Whether it does nothing where there is one.
        if_not_exists: bool,
        /// Whether it may call a function.
        calls_functions: bool,
    },
    /// It may change objects with these folded names, as far as there are any.
    Change(BTreeSet<String>),
}

impl Known {
    /// Of a declaration.
    pub(super) fn of(declaration: &Declaration) -> Self {
        let header = declaration.header();
        let (owner, mentions) = match declaration {
            Declaration::Table(table) => (None, table.mentioned_tables()),
            Declaration::VirtualTable(_) => (None, BTreeSet::new()),
            Declaration::View(view) => (None, view.select.canonical.references.tables.clone()),
            Declaration::Index(index) => (Some(index.table.folded.clone()), BTreeSet::new()),
            Declaration::Trigger(trigger) => (Some(trigger.table.folded.clone()), trigger.references().tables),
        };
        Self { key: (space_of(header.kind), header.name.folded.clone()), kind: header.kind, owner, mentions }
    }

    /// Of a text that could not be read: it may be anything of that kind, and mentions what nobody knows.
    pub(super) fn unread(kind: ObjectKind, name: &str, owner: Option<&str>) -> Self {
        Self {
            key: (space_of(kind), crate::sql::name::fold(name)),
            kind,
            owner: owner.map(crate::sql::name::fold),
            mentions: BTreeSet::new(),
        }
    }
}

fn space_of(kind: ObjectKind) -> Space {
    if kind == ObjectKind::Trigger { Space::Trigger } else { Space::Main }
}

impl Route {
    /// Understands a statement, or says why it may not run on a scratch database.
    pub(super) fn of(text: &str) -> Result<Self, String> {
        let tokens = single(text).map_err(|error| format!("the statement cannot be read: {error}"))?;
        let cursor = Cursor::new(text, &tokens);
        if !cursor.at_word("CREATE") {
            return Ok(Self::Change(names_in(&cursor)));
        }
        let declaration = Declaration::from_tokens(cursor, None)
            .map_err(|error| format!("the definition cannot be read: {error}"))?;
        let header = declaration.header();
        if header.temporary || header.database.as_ref().is_some_and(|name| name.folded != "main") {
            return Err("a scratch database takes objects of the main database only".to_owned());
        }
        if is_ours(&header.name.text) {
            return Err("names that start with `_ptah_` are Ptah's own".to_owned());
        }
        Ok(Self::Create {
            known: Known::of(&declaration),
            if_not_exists: header.if_not_exists,
            calls_functions: declaration.calls_functions(),
        })
    }
}

/// Every name in a text, folded; strings among them, because SQLite takes them as names in places.
pub(super) fn names_in(cursor: &Cursor<'_>) -> BTreeSet<String> {
    let names = cursor.rest().iter().filter(|token| is_name(token.kind));
    names.map(|token| Name::from_written(token.span.text(cursor.source)).folded).collect()
}

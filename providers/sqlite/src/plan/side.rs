//! One reading as the planner asks it: who owns what, which tables refer to which, which names are in use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ptah_model::{Kind, MemberId, Name, Object, ObjectId};

use crate::catalogue::{SqliteSnapshot, StoredObject};
use crate::sql::ast::{Column, Constraint, ConstraintKind, Declaration, ForeignKey, Table};

/// A reading with its look-ups.
pub(super) struct Side<'s> {
    snapshot: &'s SqliteSnapshot,
    /// Owner, folded, to its indexes and triggers in SQLite's order.
    owned: BTreeMap<&'s str, Vec<&'s StoredObject>>,
    /// Parent, folded, to the tables with a foreign key to it, itself among them.
    referring: BTreeMap<&'s str, Vec<&'s StoredObject>>,
    /// Names of tables, views and indexes, folded: they share one name space.
    names: BTreeSet<&'s str>,
    /// Names of virtual tables, folded.
    virtual_tables: BTreeSet<&'s str>,
    /// Table or view, folded, to the triggers that mention it.
    triggers: BTreeMap<String, Vec<&'s StoredObject>>,
}

/// A table with all that is known about it.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    /// Its text.
    pub(super) stored: &'s StoredObject,
    /// Its members.
    pub(super) object: &'s Object,
    /// What the text declares; spans count from the start of the text.
    pub(super) table: &'s Table,
}

impl<'s> Side<'s> {
    pub(super) fn new(snapshot: &'s SqliteSnapshot) -> Self {
        let mut side = Self {
            snapshot,
            owned: BTreeMap::new(),
            referring: BTreeMap::new(),
            names: BTreeSet::new(),
            virtual_tables: BTreeSet::new(),
            triggers: BTreeMap::new(),
        };
        for stored in snapshot.objects().iter().map(Arc::as_ref) {
            if let Some(owner) = &stored.id.owner {
                side.owned.entry(&owner.normalized).or_default().push(stored);
            }
            if stored.id.kind == Kind::trigger() {
                for name in mentioned(stored) {
                    side.triggers.entry(name).or_default().push(stored);
                }
            } else {
                side.names.insert(&stored.id.name.normalized);
            }
            if stored.id.kind == crate::kinds::virtual_table() {
                side.virtual_tables.insert(&stored.id.name.normalized);
            }
            for parent in stored.parents() {
                side.referring.entry(parent).or_default().push(stored);
            }
        }
        side
    }

    /// All objects in SQLite's order.
    pub(super) fn objects(&self) -> impl Iterator<Item = &'s StoredObject> {
        self.snapshot.objects().iter().map(Arc::as_ref)
    }

    /// The object with this identity.
    pub(super) fn get(&self, id: &ObjectId) -> Option<&'s StoredObject> {
        self.snapshot.get(id).map(Arc::as_ref)
    }

    /// The table of that name, if it is described.
    pub(super) fn subject(&self, name: &Name) -> Option<Subject<'s>> {
        let id = ObjectId { kind: Kind::table(), schema: None, owner: None, name: name.clone() };
        let stored = self.get(&id)?;
        Some(Subject { stored, object: stored.object()?, table: stored.table()? })
    }

    /// The table of that folded name, described or not.
    pub(super) fn table(&self, folded: &str) -> Option<&'s Table> {
        let name = crate::kinds::name(folded);
        self.snapshot.table(&name)
    }

    /// What goes with a table or view: its indexes and triggers in SQLite's order.
    pub(super) fn owned(&self, folded: &str) -> &[&'s StoredObject] {
        self.owned.get(folded).map_or(&[], Vec::as_slice)
    }

    /// The tables with a foreign key to that one, itself among them, in SQLite's order.
    pub(super) fn referring(&self, folded: &str) -> Vec<&'s Table> {
        let referring = self.referring.get(folded).into_iter().flatten();
        referring.filter_map(|stored| stored.table()).collect()
    }

    /// The triggers that mention a table or view, their own among them.
    pub(super) fn triggers_on(&self, folded: &str) -> &[&'s StoredObject] {
        self.triggers.get(folded).map_or(&[], Vec::as_slice)
    }

    /// Whether a name is, by SQLite's rule, that of a shadow table of a virtual table.
    pub(super) fn is_shadow(&self, folded: &str) -> bool {
        let starts = folded.match_indices('_').map(|(at, _)| &folded[..at]);
        starts.into_iter().any(|start| self.virtual_tables.contains(start))
    }

    /// Whether a table, view or index has that folded name.
    pub(super) fn is_used(&self, folded: &str) -> bool {
        self.names.contains(folded)
    }
}

impl<'s> Subject<'s> {
    /// The place of a constraint among those of the table. Members are the columns, then the constraints, in order.
    pub(super) fn constraint_at(&self, member: &MemberId) -> Option<usize> {
        let place = self.object.members.iter().position(|m| m.id == *member)?;
        let at = place.checked_sub(self.table.columns.len())?;
        (at < self.table.constraints.len()).then_some(at)
    }

    /// The place of a column.
    pub(super) fn column_at(&self, folded: &str) -> Option<usize> {
        self.table.columns.iter().position(|column| column.name.folded == folded)
    }

    /// The column of that folded name.
    pub(super) fn column(&self, folded: &str) -> Option<&'s Column> {
        self.column_at(folded).and_then(|at| self.table.columns.get(at))
    }

    /// The constraint at a place.
    pub(super) fn constraint(&self, at: usize) -> Option<&'s Constraint> {
        self.table.constraints.get(at)
    }
}

/// The tables and views that a view or trigger mentions, folded, the table of the trigger among them.
pub(super) fn mentioned(stored: &StoredObject) -> BTreeSet<String> {
    match stored.declaration() {
        Some(Declaration::View(view)) => view.select.canonical.references.tables.clone(),
        Some(Declaration::Trigger(trigger)) => trigger.references().tables,
        _ => BTreeSet::new(),
    }
}

/// The foreign keys of a table.
pub(super) fn foreign_keys(table: &Table) -> impl Iterator<Item = &ForeignKey> {
    table.constraints.iter().filter_map(|constraint| match &constraint.kind {
        ConstraintKind::ForeignKey(key) => Some(key),
        _ => None,
    })
}

/// The columns of the primary key, folded; empty when there is none.
pub(super) fn key_columns(table: &Table) -> Vec<String> {
    let key = table.constraints.iter().find_map(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey { columns, .. } => Some(columns),
        _ => None,
    });
    key.into_iter().flatten().filter_map(|column| column.column.as_ref()).map(|name| name.folded.clone()).collect()
}

/// The names under which the row ID can be read: those that no column hides; none in a table without row IDs.
pub(super) fn row_id_names(table: &Table) -> Vec<&'static str> {
    let hidden = |name: &str| table.columns.iter().any(|column| column.name.folded == name);
    let names = ["rowid", "_rowid_", "oid"].into_iter();
    names.filter(|name| !table.without_rowid && !hidden(name)).collect()
}

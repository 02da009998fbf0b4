//! A reading: all objects with their texts, and what planning and rendering ask of it.

use std::fmt;
use std::sync::Arc;

use ptah_model::{Digest, Fingerprint, Kind, Name, ObjectId, SchemaModel};
use ptah_provider_sdk::Snapshot;

use super::stored::{Described, StoredObject};
use crate::sql::ast::Table;

/// One reading. Objects are shared between readings of a dev database that did not change them.
pub struct SqliteSnapshot {
    schema: SchemaModel,
    fingerprint: Fingerprint,
    /// In the order in which SQLite keeps them.
    objects: Vec<Arc<StoredObject>>,
    /// Places in that list, in the order of the identities.
    by_id: Vec<usize>,
    statistics: StatisticsTables,
}

/// Which tables ANALYZE has made. They are no part of the schema model; a rebuild carries their rows over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatisticsTables {
    /// `sqlite_stat1`.
    pub stat1: bool,
    /// `sqlite_stat4`.
    pub stat4: bool,
}

impl SqliteSnapshot {
    /// The reading of a database that is empty or not there.
    pub(crate) fn empty() -> Self {
        Self::of(Vec::new())
    }

    /// The reading of these objects.
    pub(crate) fn of(objects: Vec<Arc<StoredObject>>) -> Self {
        let mut by_id: Vec<usize> = (0..objects.len()).collect();
        // Stable: of two with one identity the first one stays.
        by_id.sort_by(|a, b| objects[*a].id.cmp(&objects[*b].id));
        by_id.dedup_by(|later, earlier| objects[*later].id == objects[*earlier].id);
        let mut schema = SchemaModel::default();
        let mut digests: Vec<Digest> = Vec::with_capacity(objects.len());
        for stored in by_id.iter().map(|place| &objects[*place]) {
            match &stored.described {
                Described::Object(object, digest) => {
                    schema.insert_shared(Arc::clone(object));
                    digests.push(*digest);
                }
                Described::Not(unread) => schema.insert_not_described(unread.clone()),
            }
        }
        let unread = schema.not_described().map(|unread| &unread.id);
        let fingerprint = Fingerprint::from_parts(digests.into_iter(), unread);
        Self { schema, fingerprint, objects, by_id, statistics: StatisticsTables::default() }
    }

    /// The same reading of a database with these tables.
    #[must_use]
    pub(crate) fn with_statistics(mut self, statistics: StatisticsTables) -> Self {
        self.statistics = statistics;
        self
    }

    /// Which tables ANALYZE has made.
    pub fn statistics(&self) -> StatisticsTables {
        self.statistics
    }

    /// Its fingerprint, under a name that does not need the trait.
    pub(crate) fn own_fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// All objects in the order in which SQLite keeps them, so that each can be made after what it needs.
    pub fn objects(&self) -> &[Arc<StoredObject>] {
        &self.objects
    }

    /// The object with this identity.
    pub fn get(&self, id: &ObjectId) -> Option<&Arc<StoredObject>> {
        let found = self.by_id.binary_search_by(|place| self.objects[*place].id.cmp(id)).ok()?;
        self.by_id.get(found).and_then(|place| self.objects.get(*place))
    }

    /// The table of that name.
    pub fn table(&self, name: &Name) -> Option<&Table> {
        let id = ObjectId { kind: Kind::table(), schema: None, owner: None, name: name.clone() };
        self.get(&id).and_then(|stored| stored.table())
    }

    /// What belongs to a table or view and goes with it: its indexes and triggers.
    pub fn owned_by<'a>(&'a self, table: &'a Name) -> impl Iterator<Item = &'a Arc<StoredObject>> {
        self.objects.iter().filter(move |stored| stored.id.owner.as_ref() == Some(table))
    }

    /// The tables with a foreign key that refers to this one, itself among them if it has such a key.
    pub fn children_of<'a>(&'a self, table: &'a Name) -> impl Iterator<Item = &'a Table> {
        let refers =
            move |candidate: &&Arc<StoredObject>| candidate.parents().iter().any(|parent| table.normalized == *parent);
        self.objects.iter().filter(refers).filter_map(|stored| stored.table())
    }

    /// Views, triggers and tables whose texts mention a name: a superset of those that depend on it.
    pub fn mentioning<'a>(&'a self, name: &'a Name) -> impl Iterator<Item = &'a Arc<StoredObject>> {
        self.objects.iter().filter(move |stored| stored.mentions(&name.normalized))
    }
}

impl StoredObject {
    /// Whether its text mentions a table or view. What could not be read may mention anything.
    pub fn mentions(&self, folded: &str) -> bool {
        !self.is_readable() || self.mentioned_tables().binary_search_by(|known| known.as_str().cmp(folded)).is_ok()
    }
}

impl Snapshot for SqliteSnapshot {
    fn schema(&self) -> &SchemaModel {
        &self.schema
    }

    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

impl fmt::Debug for SqliteSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SqliteSnapshot({} objects, {})", self.objects.len(), self.fingerprint)
    }
}

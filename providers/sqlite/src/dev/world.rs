//! Which object lives where.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ptah_model::{Kind, ObjectId};
use ptah_provider_api::step::Setting;
use ptah_provider_sdk::Failure;
use rusqlite::Connection;

use super::route::{Key, Known, Space};
use super::shard::Shard;
use crate::catalogue::{SqliteSnapshot, StatisticsTables, StoredObject, read_objects};
use crate::fault::failed;
use crate::kinds;
use crate::sql::ast::{Declaration, ObjectKind};

/// How many tables a shard takes before the next one begins. Measured for 10,000 tables: 1.2 s with 25, 1.5 s with 100,
/// 3.3 s with 500.
const SHARD_TABLES: usize = 25;

/// One object of the scratch database.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) known: Known,
    pub(super) sql: String,
    /// When it came, for an order in which everything can be made.
    pub(super) order: u64,
    /// The shard that it lives in; `None` while it is only in the reading that was copied.
    pub(super) home: Option<usize>,
    /// What a reading made of it; `None` when it has to be read again.
    pub(super) stored: Option<Arc<StoredObject>>,
}

/// The whole scratch database.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) pieces: BTreeMap<Key, Arc<Piece>>,
    /// Which objects mention a folded name.
    mentioned_by: HashMap<String, BTreeSet<Key>>,
    /// Which indexes and triggers belong to a folded name.
    owned_by: HashMap<String, BTreeSet<Key>>,
    pub(super) shards: Vec<Shard>,
    pub(super) stopped: Arc<AtomicBool>,
    /// The settings of the open transaction; `None` when none is open.
    pub(super) settings: Option<BTreeSet<Setting>>,
    /// The tables of ANALYZE that the copied database has: a rebuild names them.
    statistics: StatisticsTables,
    next_order: u64,
}

/// What a rollback goes back to.
#[derive(Debug)]
pub(super) struct Saved {
    pieces: BTreeMap<Key, Arc<Piece>>,
    mentioned_by: HashMap<String, BTreeSet<Key>>,
    owned_by: HashMap<String, BTreeSet<Key>>,
}

impl World {
    /// Without any object.
    pub(super) fn empty() -> Self {
        Self::default()
    }

    /// With the objects of a reading; none is created before something touches it.
    pub(super) fn copy_of(snapshot: &SqliteSnapshot) -> Self {
        let mut world = Self { statistics: snapshot.statistics(), ..Self::default() };
        for stored in snapshot.objects() {
            let mut known = unread(&stored.id);
            if known.kind != ObjectKind::Index {
                known.mentions = stored.mentioned_tables().iter().cloned().collect();
            }
            world.put(known, stored.sql.clone(), None, Some(Arc::clone(stored)));
        }
        world
    }

    /// The object of that key.
    pub(super) fn get(&self, key: &Key) -> Option<&Arc<Piece>> {
        self.pieces.get(key)
    }

    /// The table or view of that folded name.
    pub(super) fn table_or_view(&self, name: &str) -> Option<&Arc<Piece>> {
        self.pieces.get(&(Space::Main, name.to_owned()))
    }

    /// Objects whose texts mention a folded name.
    pub(super) fn mentioning(&self, name: &str) -> impl Iterator<Item = &Arc<Piece>> {
        let keys = self.mentioned_by.get(name).into_iter().flatten();
        keys.filter_map(|key| self.pieces.get(key))
    }

    /// Indexes and triggers of a folded name.
    pub(super) fn owned(&self, name: &str) -> impl Iterator<Item = &Arc<Piece>> {
        let keys = self.owned_by.get(name).into_iter().flatten();
        keys.filter_map(|key| self.pieces.get(key))
    }

    /// Adds an object, or says anew what it is; it keeps its place in the order.
    pub(super) fn put(&mut self, known: Known, sql: String, home: Option<usize>, stored: Option<Arc<StoredObject>>) {
        let earlier = self.take(&known.key.clone());
        let order = earlier.map_or_else(
            || {
                self.next_order += 1;
                self.next_order
            },
            |piece| piece.order,
        );
        for name in &known.mentions {
            self.mentioned_by.entry(name.clone()).or_default().insert(known.key.clone());
        }
        if let Some(owner) = &known.owner {
            self.owned_by.entry(owner.clone()).or_default().insert(known.key.clone());
        }
        let key = known.key.clone();
        let piece = Piece { known, sql, order, home, stored };
        self.pieces.insert(key, Arc::new(piece));
    }

    /// Takes an object out.
    pub(super) fn take(&mut self, key: &Key) -> Option<Arc<Piece>> {
        let piece = self.pieces.remove(key)?;
        for name in &piece.known.mentions {
            if let Some(keys) = self.mentioned_by.get_mut(name) {
                keys.remove(key);
            }
        }
        if let Some(keys) = piece.known.owner.as_ref().and_then(|owner| self.owned_by.get_mut(owner)) {
            keys.remove(key);
        }
        Some(piece)
    }

    /// Says that an object lives in a shard now. What was read of it stays true, because its text is the same.
    pub(super) fn moved(&mut self, key: &Key, home: usize) {
        if let Some(piece) = self.pieces.get_mut(key) {
            Arc::make_mut(piece).home = Some(home);
        }
    }

    /// A shard with room for new tables.
    pub(super) fn roomy_shard(&mut self) -> Result<usize, Failure> {
        let full = self.shards.last().is_none_or(|shard| shard.tables >= SHARD_TABLES);
        if full {
            let shard = Shard::new(Arc::clone(&self.stopped))?;
            if self.statistics != StatisticsTables::default() {
                // Makes the tables, without a row.
                shard.connection().execute_batch("ANALYZE").map_err(failed)?;
            }
            self.shards.push(shard);
        }
        let last = self.shards.len() - 1;
        self.shards[last].tables += 1;
        Ok(last)
    }

    /// Brings the list of objects up to what a shard says after a change.
    pub(super) fn refresh(&mut self, shard: usize) -> Result<(), Failure> {
        let rows = texts(self.shards[shard].connection()).map_err(failed)?;
        let guests = self.shards[shard].guests.clone();
        let mut seen = BTreeSet::new();
        for (kind, name, owner, sql) in rows {
            let known = match Declaration::read(&sql, None) {
                Ok(declaration) => Known::of(&declaration),
                Err(_) => Known::unread(kind, &name, owner.as_deref()),
            };
            if known.key.0 == Space::Main && guests.contains(&known.key.1) {
                continue;
            }
            seen.insert(known.key.clone());
            let same = self.pieces.get(&known.key).is_some_and(|piece| piece.sql == sql && piece.home == Some(shard));
            if !same {
                self.put(known, sql, Some(shard), None);
            }
        }
        let gone = |piece: &&Arc<Piece>| piece.home == Some(shard) && !seen.contains(&piece.known.key);
        let gone: Vec<Key> = self.pieces.values().filter(gone).map(|piece| piece.known.key.clone()).collect();
        for key in &gone {
            self.take(key);
        }
        Ok(())
    }

    /// Whether views and triggers of a shard have to be read again, because something that they read changed.
    pub(super) fn reread_views_of(&mut self, shard: usize) {
        for piece in self.pieces.values_mut() {
            if piece.home == Some(shard) && piece.known.kind == ObjectKind::View && piece.stored.is_some() {
                Arc::make_mut(piece).stored = None;
            }
        }
    }

    /// One reading of everything: shards are read only where something changed.
    pub(super) fn read(&mut self) -> Result<SqliteSnapshot, Failure> {
        let unread = self.pieces.values().filter(|piece| piece.stored.is_none());
        let shards: BTreeSet<usize> = unread.filter_map(|piece| piece.home).collect();
        for shard in shards {
            for stored in read_objects(self.shards[shard].connection())? {
                let space = if stored.id.kind == Kind::trigger() { Space::Trigger } else { Space::Main };
                let key = (space, stored.id.name.normalized.to_string());
                if let Some(piece) = self.pieces.get_mut(&key)
                    && piece.home == Some(shard)
                    && piece.stored.is_none()
                {
                    Arc::make_mut(piece).stored = Some(stored);
                }
            }
        }
        let mut pieces: Vec<&Arc<Piece>> = self.pieces.values().collect();
        pieces.sort_by_key(|piece| piece.order);
        // What a reading leaves out, such as the shadow tables of a virtual table, has nothing stored.
        let stored = pieces.into_iter().filter_map(|piece| piece.stored.clone()).collect();
        Ok(SqliteSnapshot::of(stored).with_statistics(self.statistics))
    }

    /// What a rollback goes back to.
    pub(super) fn save(&self) -> Saved {
        Saved { pieces: self.pieces.clone(), mentioned_by: self.mentioned_by.clone(), owned_by: self.owned_by.clone() }
    }

    /// Goes back.
    pub(super) fn restore(&mut self, saved: Saved) {
        self.pieces = saved.pieces;
        self.mentioned_by = saved.mentioned_by;
        self.owned_by = saved.owned_by;
    }
}

fn unread(id: &ObjectId) -> Known {
    let kind = if id.kind == Kind::index() {
        ObjectKind::Index
    } else if id.kind == Kind::trigger() {
        ObjectKind::Trigger
    } else if id.kind == Kind::view() {
        ObjectKind::View
    } else if id.kind == kinds::virtual_table() {
        ObjectKind::VirtualTable
    } else {
        ObjectKind::Table
    };
    Known::unread(kind, &id.name.source, id.owner.as_ref().map(|owner| owner.source.as_str()))
}

type Text = (ObjectKind, String, Option<String>, String);

fn texts(connection: &Connection) -> rusqlite::Result<Vec<Text>> {
    let query = "SELECT type, name, tbl_name, sql FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid";
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map([], |row| {
        let owner: String = row.get(2)?;
        let (kind, owner) = match row.get::<_, String>(0)?.as_str() {
            "index" => (ObjectKind::Index, Some(owner)),
            "trigger" => (ObjectKind::Trigger, Some(owner)),
            "view" => (ObjectKind::View, None),
            _ => (ObjectKind::Table, None),
        };
        Ok((kind, row.get(1)?, owner, row.get(3)?))
    })?;
    rows.collect()
}

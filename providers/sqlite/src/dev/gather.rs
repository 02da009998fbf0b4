//! Brings together what a change can touch, so that SQLite rewrites and checks it as it would in one database.
//!
//! *Residents* live in a shard and are read from it. *Guests* are copies of objects that live elsewhere, made only so
//! that views and triggers of the shard find what they name.

use std::collections::BTreeSet;
use std::sync::Arc;

use ptah_provider_sdk::Failure;

use super::route::{Key, Space};
use super::world::{Piece, World};
use crate::fault::precondition;
use crate::sql::ast::ObjectKind;
use crate::sql::name::quote_name;

impl World {
    /// Everything that a change of these names can touch: they themselves with what they own, views and triggers that
    /// name them, also through other views, and the tables whose foreign keys refer to them.
    pub(super) fn touched_by(&self, names: &BTreeSet<String>) -> BTreeSet<Key> {
        let mut touched = BTreeSet::new();
        let mut waiting: Vec<String> = names.iter().flat_map(|name| self.tables_behind(name)).collect();
        let mut changed: BTreeSet<String> = waiting.iter().cloned().collect();
        while let Some(name) = waiting.pop() {
            self.add_whole(&name, &mut touched);
            for piece in self.mentioning(&name) {
                match (piece.known.kind, &piece.known.owner) {
                    // A view that reads it is rewritten with it, and so is what reads the view.
                    (ObjectKind::View, _) => {
                        if changed.insert(piece.known.key.1.clone()) {
                            waiting.push(piece.known.key.1.clone());
                        }
                    }
                    // A child's text is rewritten; what names the child is not touched by that.
                    (ObjectKind::Trigger, Some(owner)) => self.add_whole(owner, &mut touched),
                    _ => self.add_whole(&piece.known.key.1, &mut touched),
                }
            }
        }
        touched
    }

    /// The tables and views that a name in a statement can stand for: itself, or the owner of an index or a trigger.
    fn tables_behind(&self, name: &str) -> Vec<String> {
        let spaces = [Space::Main, Space::Trigger];
        let found = spaces.into_iter().filter_map(|space| self.get(&(space, name.to_owned())));
        found.map(|piece| piece.known.owner.clone().unwrap_or_else(|| piece.known.key.1.clone())).collect()
    }

    fn add_whole(&self, table: &str, into: &mut BTreeSet<Key>) {
        if let Some(piece) = self.table_or_view(table) {
            into.insert(piece.known.key.clone());
            into.extend(self.owned(table).map(|piece| piece.known.key.clone()));
        }
    }

    /// A table or view with what it owns.
    pub(super) fn whole(&self, table: &str) -> BTreeSet<Key> {
        let mut keys = BTreeSet::new();
        self.add_whole(table, &mut keys);
        keys
    }

    /// Brings objects into one shard, which it answers. New objects need none, and get one with room.
    pub(super) fn gather(&mut self, keys: &BTreeSet<Key>) -> Result<usize, Failure> {
        let homes = keys.iter().filter_map(|key| self.get(key)).filter_map(|piece| piece.home);
        let target = match homes.min() {
            Some(home) => home,
            None => self.roomy_shard()?,
        };
        self.begin_in(target)?;
        let away = keys.iter().filter_map(|key| self.get(key)).filter(|piece| piece.home != Some(target));
        let mut away: Vec<Arc<Piece>> = away.cloned().collect();
        away.sort_by_key(|piece| (making_order(piece.known.kind), piece.order));
        for piece in &away {
            self.drop_guest(target, &piece.known.key.1)?;
            self.make(target, piece)?;
            self.moved(&piece.known.key, target);
        }
        for piece in &away {
            if let Some(earlier) = piece.home {
                self.begin_in(earlier)?;
                drop_from(&self.shards[earlier], piece);
            }
        }
        Ok(target)
    }

    /// Makes guests of everything that views and triggers of a shard name and that is not there.
    pub(super) fn invite(&mut self, shard: usize) -> Result<(), Failure> {
        let here = |piece: &&Arc<Piece>| piece.home == Some(shard);
        let mut waiting: Vec<Arc<Piece>> = self.pieces.values().filter(here).cloned().collect();
        while let Some(piece) = waiting.pop() {
            if !matches!(piece.known.kind, ObjectKind::View | ObjectKind::Trigger) {
                continue;
            }
            for name in &piece.known.mentions {
                let Some(named) = self.table_or_view(name).cloned() else {
                    continue;
                };
                if named.home == Some(shard) || self.shards[shard].guests.contains(name) {
                    continue;
                }
                self.begin_in(shard)?;
                if self.make(shard, &named).is_ok() {
                    self.shards[shard].guests.insert(name.clone());
                    waiting.push(named);
                }
            }
        }
        Ok(())
    }

    /// After a change of these objects, their copies elsewhere are out of date. Whatever reads them was brought here.
    pub(super) fn send_guests_home(&mut self, shard: usize, keys: &BTreeSet<Key>) -> Result<(), Failure> {
        for other in 0..self.shards.len() {
            if other == shard {
                continue;
            }
            let stale: Vec<String> = keys
                .iter()
                .filter(|(space, name)| *space == Space::Main && self.shards[other].guests.contains(name))
                .map(|(_, name)| name.clone())
                .collect();
            for name in stale {
                self.drop_guest(other, &name)?;
            }
        }
        Ok(())
    }

    fn drop_guest(&mut self, shard: usize, name: &str) -> Result<(), Failure> {
        if !self.shards[shard].guests.contains(name) {
            return Ok(());
        }
        self.begin_in(shard)?;
        let quoted = quote_name(name);
        let shard = &mut self.shards[shard];
        // SQLite says which of the two it is by refusing the other.
        let dropped = shard.run_own(&format!("DROP TABLE main.{quoted}")).is_ok()
            || shard.run_own(&format!("DROP VIEW main.{quoted}")).is_ok();
        if dropped {
            shard.guests.remove(name);
            return Ok(());
        }
        Err(precondition("the scratch database could not be rearranged"))
    }

    /// Runs the stored text of an object in a shard. What SQLite cannot make again, such as a virtual table without
    /// its module, can only be changed by a statement that SQLite would refuse as well.
    fn make(&self, shard: usize, piece: &Piece) -> Result<(), Failure> {
        self.shards[shard].run_own(&piece.sql).map_err(|failure| {
            let why = failure.reason.as_str().to_owned();
            precondition(format!("`{}` cannot be made in a scratch database: {why}", piece.known.key.1))
        })
    }
}

/// Tables before what belongs to them and what reads them.
fn making_order(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Table | ObjectKind::VirtualTable => 0,
        ObjectKind::Index => 1,
        ObjectKind::View => 2,
        ObjectKind::Trigger => 3,
    }
}

/// Takes an object out of the shard that it left. One that went with its table is gone already.
fn drop_from(shard: &super::shard::Shard, piece: &Piece) {
    let word = match piece.known.kind {
        ObjectKind::Table | ObjectKind::VirtualTable => "TABLE",
        ObjectKind::View => "VIEW",
        ObjectKind::Index | ObjectKind::Trigger => return,
    };
    // A table that stays behind is only one that nothing names any more.
    let _ = shard.run_own(&format!("DROP {word} IF EXISTS main.{}", quote_name(&piece.known.key.1)));
}

//! The order of things by what they mention: views among each other, and tables by their foreign keys.

use std::collections::{BTreeMap, BTreeSet};

use super::side::mentioned;
use crate::catalogue::StoredObject;

/// Places of names in an order in which everything comes after what it mentions. Names that mention each other in a
/// circle stand in the order of their names.
#[derive(Default)]
pub(super) struct Places(BTreeMap<String, usize>);

impl Places {
    /// The places of views.
    pub(super) fn of<'s>(views: impl Iterator<Item = &'s StoredObject>) -> Self {
        Self::sorted(views.map(|view| (view.id.name.normalized.to_string(), mentioned(view))).collect())
    }

    /// The places of folded names, each with what it mentions.
    pub(super) fn sorted(mentions: BTreeMap<String, BTreeSet<String>>) -> Self {
        let names: BTreeSet<String> = mentions.keys().cloned().collect();
        let mut waiting: BTreeMap<String, BTreeSet<String>> = mentions
            .into_iter()
            .map(|(name, mut read)| {
                read.retain(|other| names.contains(other) && *other != name);
                (name, read)
            })
            .collect();
        let mut places = BTreeMap::new();
        while !waiting.is_empty() {
            let is_free =
                |(_, read): &(&String, &BTreeSet<String>)| read.iter().all(|other| places.contains_key(other));
            let free: Vec<String> = waiting.iter().filter(is_free).map(|(name, _)| name.clone()).collect();
            let next = if free.is_empty() { waiting.keys().next().cloned().into_iter().collect() } else { free };
            for name in next {
                waiting.remove(&name);
                places.insert(name, places.len());
            }
        }
        Self(places)
    }

    /// What is mentioned comes first.
    pub(super) fn read_first(&self, folded: &str) -> usize {
        self.0.get(folded).copied().unwrap_or(self.0.len())
    }

    /// What mentions others comes first.
    pub(super) fn readers_first(&self, folded: &str) -> usize {
        self.0.len() - self.0.get(folded).copied().unwrap_or(0)
    }
}

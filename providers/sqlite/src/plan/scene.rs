//! Everything that a decision looks at: both readings, what is asked, what the build has, what is in the way.

use std::collections::BTreeSet;

use ptah_provider_api::plan::PlanRequest;
use ptah_provider_sdk::Failure;

use super::blocker::Blockers;
use super::build::{Build, build};
use super::parents;
use super::places::Places;
use super::request::{Asked, Fate};
use super::side::{Side, mentioned};
use crate::catalogue::{SqliteSnapshot, StatisticsTables, StoredObject};

/// The input of all decisions.
pub(super) struct Scene<'a> {
    pub(super) current: Side<'a>,
    pub(super) desired: Side<'a>,
    pub(super) asked: Asked<'a>,
    pub(super) build: &'static Build,
    /// What stops ALTER TABLE by being there.
    pub(super) blockers: Blockers,
    /// Which tables ANALYZE has made.
    pub(super) statistics: StatisticsTables,
    /// The order of tables that stay and change.
    pub(super) table_places: Places,
    /// Tables and views that are not there in the middle of the plan, folded: they go at its start, for good or until
    /// its end.
    away: BTreeSet<&'a str>,
    /// Whether a view or trigger that stays mentions one of those.
    pub(super) is_broken_meanwhile: bool,
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        request: &'a PlanRequest,
        current: &'a SqliteSnapshot,
        desired: &'a SqliteSnapshot,
    ) -> Result<Self, Failure> {
        let statistics = current.statistics();
        let (current, desired) = (Side::new(current), Side::new(desired));
        let (asked, build) = (Asked::of(request), build()?);
        let blockers = Blockers::find(&current, &asked, build);
        let gone = asked.objects.iter().filter(|(_, (_, fate))| *fate != Fate::Made);
        let away = gone.filter(|(id, _)| id.owner.is_none()).map(|(id, _)| id.name.normalized.as_str()).collect();
        let table_places = parents::order(&desired, &asked);
        let mut scene = Self {
            current,
            desired,
            asked,
            build,
            blockers,
            statistics,
            table_places,
            away,
            is_broken_meanwhile: false,
        };
        scene.is_broken_meanwhile = !scene.away.is_empty() && scene.staying_mentions_what_is_away();
        Ok(scene)
    }

    fn staying_mentions_what_is_away(&self) -> bool {
        let mut staying = self.current.objects().filter(|stored| self.stays(stored));
        staying.any(|stored| mentioned(stored).iter().any(|name| self.away.contains(name.as_str())))
    }

    /// Where the steps of a table that changes stand among those of other tables.
    pub(super) fn table_position(&self, folded: &str) -> usize {
        self.table_places.read_first(folded) * 2 + 1
    }

    /// Where a new index stands: right after the changes of its table; first, where the table does not change.
    pub(super) fn index_position(&self, folded: &str) -> usize {
        if self.changes(folded) { self.table_position(folded) + 1 } else { 0 }
    }

    /// Whether a table stays and changes.
    pub(super) fn changes(&self, folded: &str) -> bool {
        self.asked.tables.contains_key(&crate::kinds::name(folded))
    }

    /// Whether an object is there now and neither goes nor is taken along by what goes.
    pub(super) fn stays(&self, stored: &StoredObject) -> bool {
        let owner_is_away = || stored.id.owner.as_ref().is_some_and(|owner| self.away.contains(&*owner.normalized));
        !self.asked.leaves(&stored.id) && !owner_is_away()
    }
}

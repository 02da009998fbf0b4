//! One table that stays and changes: its two readings and what is to become of each of its members.

use std::collections::BTreeMap;

use ptah_model::{Kind, Name};
use ptah_provider_api::plan::{FacetChange, PlannedAction};
use ptah_provider_api::step::ChangeId;

use super::request::Numbered;
use super::scene::Scene;
use super::side::Subject;

/// A member that both readings have, with the facets that differ.
#[derive(Clone, Copy)]
pub(super) struct Altered<'a> {
    /// Its place in the old table.
    pub(super) old: usize,
    /// Its place in the new table.
    pub(super) new: usize,
    pub(super) change: ChangeId,
    pub(super) facets: &'a [FacetChange],
}

/// A table that stays and changes. Members go by their places in the old or the new table.
pub(super) struct Case<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) name: &'a Name,
    pub(super) old: Subject<'a>,
    pub(super) new: Subject<'a>,
    /// All changes, in the order of their IDs.
    pub(super) changes: Vec<ChangeId>,
    /// Columns that go, by their place in the old table.
    pub(super) dropped_columns: BTreeMap<usize, ChangeId>,
    /// Columns that come, by their place in the new table.
    pub(super) created_columns: BTreeMap<usize, ChangeId>,
    pub(super) altered_columns: Vec<Altered<'a>>,
    /// Constraints that go, by their place in the old table.
    pub(super) dropped_constraints: BTreeMap<usize, ChangeId>,
    /// Constraints that come, by their place in the new table.
    pub(super) created_constraints: BTreeMap<usize, ChangeId>,
    pub(super) altered_constraints: Vec<Altered<'a>>,
    /// STRICT or WITHOUT ROWID.
    pub(super) altered_table: Option<&'a [FacetChange]>,
    pub(super) reordered: bool,
}

impl<'a> Case<'a> {
    /// Sorts the changes of one table. Fails with the first that neither reading knows.
    pub(super) fn of(scene: &'a Scene<'a>, name: &'a Name, changes: &[Numbered<'a>]) -> Result<Self, ChangeId> {
        let first = changes.first().map_or(ChangeId(0), |(id, _)| *id);
        let old = scene.current.subject(name).ok_or(first)?;
        let new = scene.desired.subject(name).ok_or(first)?;
        let mut case = Self {
            scene,
            name,
            old,
            new,
            changes: changes.iter().map(|(id, _)| *id).collect(),
            dropped_columns: BTreeMap::new(),
            created_columns: BTreeMap::new(),
            altered_columns: Vec::new(),
            dropped_constraints: BTreeMap::new(),
            created_constraints: BTreeMap::new(),
            altered_constraints: Vec::new(),
            altered_table: None,
            reordered: false,
        };
        for numbered in changes {
            case.add(*numbered).ok_or(numbered.0)?;
        }
        Ok(case)
    }

    fn add(&mut self, (change, planned): Numbered<'a>) -> Option<()> {
        let Some(member) = &planned.member else {
            match &planned.action {
                PlannedAction::Alter(facets) => self.altered_table = Some(facets),
                PlannedAction::Reorder => self.reordered = true,
                _ => return None,
            }
            return Some(());
        };
        let is_column = member.kind == Kind::column();
        let place = |side: &Subject<'a>| {
            if is_column { side.column_at(&member.name.normalized) } else { side.constraint_at(member) }
        };
        match (&planned.action, is_column) {
            (PlannedAction::Create, true) => _ = self.created_columns.insert(place(&self.new)?, change),
            (PlannedAction::Create, false) => _ = self.created_constraints.insert(place(&self.new)?, change),
            (PlannedAction::Drop, true) => _ = self.dropped_columns.insert(place(&self.old)?, change),
            (PlannedAction::Drop, false) => _ = self.dropped_constraints.insert(place(&self.old)?, change),
            (PlannedAction::Alter(facets), _) => {
                let altered = Altered { old: place(&self.old)?, new: place(&self.new)?, change, facets };
                let list = if is_column { &mut self.altered_columns } else { &mut self.altered_constraints };
                list.push(altered);
            }
            (PlannedAction::Rename(_) | PlannedAction::Reorder, _) => return None,
        }
        Some(())
    }

    /// The name of the table as the server spells it, as SQL.
    pub(super) fn quoted(&self) -> String {
        crate::sql::name::quote_name(&self.old.table.header.name.text).into_owned()
    }

    /// The name of the table, for people.
    pub(super) fn shown(&self) -> &str {
        &self.old.table.header.name.text
    }
}

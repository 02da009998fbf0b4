//! The request, sorted by what the changes are about.

use std::collections::BTreeMap;

use ptah_model::{Kind, Name, ObjectId};
use ptah_provider_api::plan::{PlanRequest, PlannedAction, PlannedChange};
use ptah_provider_api::step::ChangeId;

/// A change with its ID.
pub(super) type Numbered<'r> = (ChangeId, &'r PlannedChange);

/// What is to become of a whole object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is made.
    Made,
    /// It goes.
    Goes,
    /// It goes and is made again as it is wanted.
    Replaced,
}

/// All changes of a request.
#[derive(Default)]
pub(super) struct Asked<'r> {
    /// Other names, in the order in which they are asked for.
    pub(super) renames: Vec<Numbered<'r>>,
    /// Tables that stay and change, by name, with their changes in order.
    pub(super) tables: BTreeMap<&'r Name, Vec<Numbered<'r>>>,
    /// Whole objects.
    pub(super) objects: BTreeMap<&'r ObjectId, (ChangeId, Fate)>,
    /// What SQLite has no way for: a member of something that is no table, or a change that makes no sense there.
    pub(super) unsupported: Vec<Numbered<'r>>,
}

impl<'r> Asked<'r> {
    pub(super) fn of(request: &'r PlanRequest) -> Self {
        let mut asked = Self::default();
        for (id, change) in (0..).map(ChangeId).zip(&request.changes) {
            asked.add(id, change);
        }
        asked
    }

    fn add(&mut self, id: ChangeId, change: &'r PlannedChange) {
        let is_table = change.object.kind == Kind::table();
        let whole = change.member.is_none();
        let fate = match &change.action {
            PlannedAction::Rename(_) => {
                self.renames.push((id, change));
                return;
            }
            PlannedAction::Create if whole => Fate::Made,
            PlannedAction::Drop if whole => Fate::Goes,
            PlannedAction::Alter(_) if whole && !is_table => Fate::Replaced,
            _ if is_table => {
                self.tables.entry(&change.object.name).or_default().push((id, change));
                return;
            }
            _ => {
                self.unsupported.push((id, change));
                return;
            }
        };
        self.objects.insert(&change.object, (id, fate));
    }

    /// Whether an object goes, for good or to be made again.
    pub(super) fn leaves(&self, id: &ObjectId) -> bool {
        matches!(self.objects.get(id), Some((_, Fate::Goes | Fate::Replaced)))
    }
}

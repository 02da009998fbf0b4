//! The order of steps: which of them wait for which, and the sentence that says why.
//!
//! Drafts are put into the order of their parts first, and a step only ever waits for one before it in that order, so
//! that no two can wait for each other. Whoever runs the steps may choose any order that keeps to the waits.

use std::collections::{BTreeMap, BTreeSet};

use ptah_provider_api::step::{After, Step, StepId};

use super::draft::{Does, Draft, Slot};

const FREE: &str = "a name has to be free before something else gets it";
const AWAY: &str = "what mentions a table goes before the table changes or goes";
const READER_FIRST: &str = "what mentions a view goes before the view";
const IN_TURN: &str = "the changes of one table are made in turn";
const TABLE_FIRST: &str = "a table is as it is wanted before something is made on it or mentions it";
const VIEW_FIRST: &str = "a view is there before something that mentions it";
const PARENT_FIRST: &str = "a table and its keys are as they are wanted before rows are held against a new key to it";
const UNBLOCKED: &str = "what stops SQLite goes first";

/// Puts drafts in order and writes down what waits for what.
pub(super) fn ordered(mut drafts: Vec<Draft>) -> Vec<Step> {
    drafts.sort_by_key(|draft| (draft.part, draft.position));
    let mut waits = Waits::default();
    let mut steps: Vec<Step> = Vec::with_capacity(drafts.len());
    let mut used: BTreeSet<StepId> = BTreeSet::new();
    for (place, draft) in drafts.into_iter().enumerate() {
        let earlier = waits.of(&draft);
        waits.note(place, &draft);
        let mut step = draft.step;
        step.id = free(&mut used, &step.id);
        step.after = earlier.into_iter().map(|(at, rule)| after(&steps, at, rule)).collect();
        steps.push(step);
    }
    steps
}

fn after(steps: &[Step], at: usize, rule: &str) -> After {
    After { step: steps[at].id.clone(), rule: rule.to_owned() }
}

/// The same name, or with a number where a name with a dot in it made two alike.
fn free(used: &mut BTreeSet<StepId>, wanted: &StepId) -> StepId {
    let numbered = (2..).map(|n: u32| StepId(format!("{}#{n}", wanted.0)));
    let id = std::iter::once(wanted.clone()).chain(numbered).find(|id| !used.contains(id));
    let id = id.unwrap_or_else(|| wanted.clone());
    used.insert(id.clone());
    id
}

/// What is known of the steps so far, by their places.
#[derive(Default)]
struct Waits {
    freed: BTreeMap<Slot, usize>,
    /// Table or view, to the steps that remove what mentions it.
    cleared: BTreeMap<String, Vec<usize>>,
    /// The latest step that makes or changes a table.
    table: BTreeMap<String, usize>,
    views: BTreeMap<String, usize>,
    /// Table, to the steps that make unique indexes on it.
    keys: BTreeMap<String, Vec<usize>>,
}

impl Waits {
    /// The places that a draft waits for, each with the first rule that says so.
    fn of(&self, draft: &Draft) -> BTreeMap<usize, &'static str> {
        let mut found = BTreeMap::new();
        let mut add = |at: Option<&usize>, rule| {
            if let Some(at) = at {
                found.entry(*at).or_insert(rule);
            }
        };
        let cleared = |name: &str| self.cleared.get(name).map_or(&[][..], Vec::as_slice).iter();
        match &draft.does {
            Does::Remove { .. } => cleared(&draft.slot.name).for_each(|at| add(Some(at), READER_FIRST)),
            Does::DropTable { .. } => cleared(&draft.slot.name).for_each(|at| add(Some(at), AWAY)),
            Does::CreateTable => add(self.freed.get(&draft.slot), FREE),
            Does::ChangeTable { table, moves, parents, waits_for } => {
                add(self.table.get(table), IN_TURN);
                cleared(table).filter(|_| *moves).for_each(|at| add(Some(at), AWAY));
                for slot in waits_for {
                    add(self.freed.get(slot), UNBLOCKED);
                }
                for parent in parents {
                    add(self.table.get(parent), PARENT_FIRST);
                    self.keys.get(parent).into_iter().flatten().for_each(|at| add(Some(at), PARENT_FIRST));
                }
            }
            Does::CreateIndex { table, .. } => {
                add(self.freed.get(&draft.slot), FREE);
                add(self.table.get(table), TABLE_FIRST);
            }
            Does::Create { mentions } => {
                add(self.freed.get(&draft.slot), FREE);
                for name in mentions {
                    add(self.table.get(name), TABLE_FIRST);
                    add(self.views.get(name), VIEW_FIRST);
                }
            }
        }
        found
    }

    fn free(&mut self, place: usize, draft: &Draft, owned: &[Slot]) {
        for slot in owned.iter().chain([&draft.slot]) {
            // What went by a step of its own was free before.
            self.freed.entry(slot.clone()).or_insert(place);
        }
    }

    fn note(&mut self, place: usize, draft: &Draft) {
        let name = &draft.slot.name;
        match &draft.does {
            Does::Remove { mentions, owned } => {
                self.free(place, draft, owned);
                for mentioned in mentions {
                    self.cleared.entry(mentioned.clone()).or_default().push(place);
                }
            }
            Does::DropTable { owned } => self.free(place, draft, owned),
            Does::CreateTable => _ = self.table.insert(name.clone(), place),
            Does::ChangeTable { table, .. } => _ = self.table.insert(table.clone(), place),
            Does::CreateIndex { table, unique } => {
                if *unique {
                    self.keys.entry(table.clone()).or_default().push(place);
                }
            }
            Does::Create { .. } => {
                if !draft.slot.trigger {
                    self.views.insert(name.clone(), place);
                }
            }
        }
    }
}

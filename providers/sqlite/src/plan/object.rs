//! Whole objects: what is made, what goes, and what goes to be made again.
//!
//! SQLite can alter neither an index nor a view nor a trigger: one that changes goes and is made again, in one
//! transaction. A view takes its triggers along, so those that stay are made again after it.

use ptah_model::{Kind, ObjectId, Risk};
use ptah_provider_api::plan::Refusal;
use ptah_provider_api::step::ChangeId;

use super::draft::{Add as _, Does, Draft, Part, Slot, rule, step};
use super::places::Places;
use super::refusal::Because;
use super::request::Fate;
use super::scene::Scene;
use super::side::mentioned;
use crate::catalogue::StoredObject;
use crate::kinds;

/// What becomes of whole objects.
pub(super) struct Objects<'a> {
    pub(super) scene: &'a Scene<'a>,
    /// Where views stand among those that go, and among those that come.
    pub(super) leaving: Places,
    pub(super) coming: Places,
    pub(super) drafts: Vec<Draft>,
    pub(super) refusals: Vec<Refusal>,
}

impl<'a> Objects<'a> {
    /// Plans all of them.
    pub(super) fn plan(scene: &'a Scene<'a>) -> Self {
        let views = |fates: &'static [Fate]| {
            let asked =
                scene.asked.objects.iter().filter(|(id, (_, fate))| id.kind == Kind::view() && fates.contains(fate));
            asked.map(|(id, _)| *id)
        };
        let leaving = views(&[Fate::Goes, Fate::Replaced]).filter_map(|id| scene.current.get(id));
        let coming = views(&[Fate::Made, Fate::Replaced]).filter_map(|id| scene.desired.get(id));
        let (leaving, coming) = (Places::of(leaving), Places::of(coming));
        let mut objects = Self { scene, leaving, coming, drafts: Vec::new(), refusals: Vec::new() };
        for (id, (change, fate)) in &scene.asked.objects {
            if let Err(because) = objects.object(id, *change, *fate) {
                objects.refusals.push(because.of(*change));
            }
        }
        objects
    }

    fn object(&mut self, id: &ObjectId, change: ChangeId, fate: Fate) -> Result<(), Because> {
        let is_virtual = id.kind == kinds::virtual_table();
        if fate == Fate::Replaced && is_virtual {
            let reason =
                format!("the virtual table `{}` differs, and only its module knows how to change it", id.name.shown());
            let hint = "drop it and make it again with the program that fills it, or take the difference back";
            return Err(Because::new("virtual-table.different", reason).hint(hint));
        }
        let old = (fate != Fate::Made).then(|| self.there(id)).transpose()?;
        let new = (fate != Fate::Goes).then(|| self.wanted(id)).transpose()?;
        let mut drafts = Vec::new();
        if let Some(old) = old {
            drafts.push(self.removed(change, old, new));
        }
        if let Some(new) = new {
            drafts.push(self.made(change, old, new)?);
        }
        if let (Some(old), Some(_), true) = (old, new, id.kind == Kind::view()) {
            drafts.extend(self.triggers_again(change, old));
        }
        let group = (fate == Fate::Replaced).then(|| format!("replace-{}:{}", id.kind, id.name.shown()));
        for mut draft in drafts {
            draft.step.atomic_group.clone_from(&group);
            self.drafts.push(draft);
        }
        Ok(())
    }

    /// The reading of an object that is to go.
    fn there(&self, id: &ObjectId) -> Result<&'a StoredObject, Because> {
        let stored = self.scene.current.get(id).filter(|stored| stored.object().is_some());
        stored.ok_or_else(|| not_described(id, "there"))
    }

    /// The reading of an object that is to be made.
    fn wanted(&self, id: &ObjectId) -> Result<&'a StoredObject, Because> {
        let stored = self.scene.desired.get(id).filter(|stored| stored.object().is_some());
        stored.ok_or_else(|| not_described(id, "declared"))
    }

    /// The triggers that a view takes along although they stay.
    fn triggers_again(&self, change: ChangeId, view: &StoredObject) -> Vec<Draft> {
        let owned = self.scene.current.owned(&view.id.name.normalized).iter();
        let stay = owned.filter(|trigger| {
            !self.scene.asked.objects.contains_key(&trigger.id) && self.scene.desired.get(&trigger.id).is_some()
        });
        stay.map(|trigger| {
            let name = trigger.id.name.shown();
            let rule =
                rule("replace-view.triggers", "a view takes its triggers along, so they are made again after it");
            let made = step(format!("create-trigger:{name}"), vec![change], trigger.sql.trim().to_owned(), rule);
            Draft {
                step: made.risk(Risk::Warning),
                part: Part::CreateTriggers,
                position: 0,
                slot: Slot::of(&trigger.id),
                does: Does::Create { mentions: mentioned(trigger) },
            }
        })
        .collect()
    }
}

/// The word for an object in rules, IDs and sentences.
pub(super) fn word(id: &ObjectId) -> String {
    id.kind.to_string()
}

fn not_described(id: &ObjectId, what: &str) -> Because {
    let reason = format!("{id} is {what} and could not be read, so it is neither made nor taken away");
    Because::new("object.not-described", reason)
}

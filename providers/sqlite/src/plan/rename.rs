//! Other names: the first of the two requests of a plan, and nothing else in it.
//!
//! SQLite rewrites every text that mentions what is renamed, but not in the legacy way of a rebuild, and only while
//! every view, trigger and index of the database can be read.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{Kind, Name, Risk};
use ptah_provider_api::plan::{PlanReply, PlannedAction, PlannedChange};
use ptah_provider_api::step::{After, ChangeId, Step, StepId};

use super::draft::{Add as _, rule, step};
use super::refusal::Because;
use super::request::Numbered;
use super::scene::Scene;
use crate::sql::name::quote_name;

/// Steps for all renames, each after the one before it, because each is asked for by the names that then hold.
pub(super) fn plan(scene: &Scene<'_>) -> PlanReply {
    let mut names = Names::of(scene);
    let mut reply = PlanReply::default();
    for numbered in &scene.asked.renames {
        let made = match scene.blockers.of_rename() {
            Some(because) => Err(because),
            None => names.rename(*numbered),
        };
        match made {
            Err(because) => reply.refusals.push(because.of(numbered.0)),
            Ok(mut step) => {
                if let Some(last) = reply.steps.last() {
                    let rule = "names change in the order in which they are asked for".to_owned();
                    step.after.push(After { step: last.id.clone(), rule });
                }
                let alike = reply.steps.iter().filter(|other| other.id == step.id).count();
                if alike > 0 {
                    step.id = StepId(format!("{}#{}", step.id.0, alike + 1));
                }
                reply.steps.push(step);
            }
        }
    }
    reply
}

/// The names that hold while renames follow each other; all folded.
struct Names {
    used: BTreeSet<String>,
    /// Table to its columns.
    columns: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    fn of(scene: &Scene<'_>) -> Self {
        let used = scene.current.objects().filter(|stored| stored.id.kind != Kind::trigger());
        let used = used.map(|stored| stored.id.name.normalized.to_string()).collect();
        let tables = scene.current.objects().filter(|stored| stored.object().is_some()).filter_map(|s| s.table());
        let columns = tables.map(|table| {
            let columns = table.columns.iter().map(|column| column.name.folded.clone()).collect();
            (table.header.name.folded.clone(), columns)
        });
        Self { used, columns: columns.collect() }
    }

    fn rename(&mut self, (id, change): Numbered<'_>) -> Result<Step, Because> {
        let PlannedAction::Rename(to) = &change.action else {
            return Err(unsupported(change));
        };
        let table = &change.object.name;
        if change.object.kind != Kind::table() || !self.columns.contains_key(table.normalized.as_str()) {
            return Err(unsupported(change));
        }
        match &change.member {
            None => self.table(id, change, to),
            Some(member) if member.kind == Kind::column() => self.column(id, change, &member.name, to),
            Some(_) => Err(unsupported(change)),
        }
    }

    fn table(&mut self, id: ChangeId, change: &PlannedChange, to: &Name) -> Result<Step, Because> {
        let from = &change.object.name;
        if from != to && self.used.contains(to.normalized.as_str()) {
            return Err(taken(from, to));
        }
        let columns = self.columns.remove(from.normalized.as_str()).unwrap_or_default();
        self.columns.insert(to.normalized.to_string(), columns);
        self.used.remove(from.normalized.as_str());
        self.used.insert(to.normalized.to_string());
        let clause = format!("RENAME TO {}", quote_name(to.shown()));
        Ok(altered(id, change, format!("rename-table:{}", from.shown()), "rename-table.in-place", &clause))
    }

    fn column(&mut self, id: ChangeId, change: &PlannedChange, from: &Name, to: &Name) -> Result<Step, Because> {
        let table = &change.object.name;
        let columns = self.columns.entry(table.normalized.to_string()).or_default();
        if !columns.contains(from.normalized.as_str()) {
            return Err(unsupported(change));
        }
        if from != to && columns.contains(to.normalized.as_str()) {
            return Err(taken(from, to));
        }
        columns.remove(from.normalized.as_str());
        columns.insert(to.normalized.to_string());
        let clause = format!("RENAME COLUMN {} TO {}", quote_name(from.shown()), quote_name(to.shown()));
        let name = format!("rename-column:{}.{}", table.shown(), from.shown());
        Ok(altered(id, change, name, "rename-column.in-place", &clause))
    }
}

fn altered(id: ChangeId, change: &PlannedChange, name: String, rule_name: &str, clause: &str) -> Step {
    let text = format!("ALTER TABLE {} {clause}", quote_name(change.object.name.shown()));
    let sentence = "SQLite has a way to do this in place, and rewrites what mentions the old name";
    step(name, vec![id], text, rule(rule_name, sentence))
        .risk(Risk::Warning)
        .lock(&change.object, false, false)
        .hazard("rename.readers", "programs that still use the old name fail")
}

fn taken(from: &Name, to: &Name) -> Because {
    let reason = format!("`{}` cannot be called `{}`: something has that name", from.shown(), to.shown());
    Because::new("rename.name-taken", reason).hint("rename or drop what has the name in a plan before this one")
}

fn unsupported(change: &PlannedChange) -> Because {
    let what = match &change.member {
        Some(member) => format!("{member} of {}", change.object),
        None => change.object.to_string(),
    };
    Because::new("action.unsupported", format!("SQLite has no way to give {what} another name"))
}

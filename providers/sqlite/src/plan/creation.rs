//! What is made, with the text that declares it.

use ptah_model::{Kind, ObjectId, Risk};
use ptah_provider_api::step::{ChangeId, Step};

use super::add_column::misfit;
use super::draft::{Add as _, Does, Draft, Part, Slot, rule, step};
use super::object::{Objects, word};
use super::refusal::Because;
use super::rows::Rows;
use super::side::{foreign_keys, mentioned};
use super::{check, needs, parents};
use crate::catalogue::StoredObject;
use crate::sql::ast::{Declaration, Index, Table};

impl Objects<'_> {
    /// The step that makes an object, new or in the place of `old`.
    pub(super) fn made(
        &self,
        change: ChangeId,
        old: Option<&StoredObject>,
        new: &StoredObject,
    ) -> Result<Draft, Because> {
        let made = statement(change, new, old.is_some());
        let (step, part, position, does) = match new.declaration() {
            Some(Declaration::Table(table)) => {
                self.has_all_of(new)?;
                (self.table(made, table), Part::CreateTables, 0, Does::CreateTable)
            }
            Some(Declaration::VirtualTable(table)) => {
                if !self.scene.build.has_module(&table.module.folded) {
                    return Err(no_module(&new.id, &table.module.text));
                }
                // After ordinary tables: a module may look for one.
                (made, Part::CreateTables, 1, Does::CreateTable)
            }
            Some(Declaration::Index(index)) => {
                self.has_all_of(new)?;
                let does = Does::CreateIndex { table: index.table.folded.clone(), unique: index.header.unique };
                let position = self.scene.index_position(&index.table.folded);
                (self.index(made, new, index), Part::ChangeTables, position, does)
            }
            _ => {
                let (part, position) = if new.id.kind == Kind::view() {
                    (Part::CreateViews, self.coming.read_first(&new.id.name.normalized))
                } else {
                    (Part::CreateTriggers, 0)
                };
                (self.mentions_missing(made, new), part, position, Does::Create { mentions: mentioned(new) })
            }
        };
        Ok(Draft { step, part, position, slot: Slot::of(&new.id), does })
    }

    /// What SQLite looks up when a table or index is made.
    fn has_all_of(&self, new: &StoredObject) -> Result<(), Because> {
        let references = match new.declaration() {
            Some(Declaration::Table(table)) => needs::of_table(table),
            Some(Declaration::Index(index)) => needs::of_index(index, self.scene.desired.table(&index.table.folded)),
            _ => return Ok(()),
        };
        match self.scene.build.missing(&references) {
            Some(missing) => {
                Err(Because::missing(&format!("the {} `{}`", word(&new.id), new.id.name.shown()), &missing))
            }
            None => Ok(()),
        }
    }

    fn table(&self, made: Step, table: &Table) -> Step {
        match parents::misfit(&self.scene.desired, foreign_keys(table)) {
            Some(key) => made.risk(Risk::Warning).hazard("foreign-key.mismatch", misfit(&key.parent.text)),
            None => made,
        }
    }

    /// SQLite makes views and triggers without looking their functions up.
    fn mentions_missing(&self, made: Step, new: &StoredObject) -> Step {
        let references = new.declaration().map(|d| d.canonical().references).unwrap_or_default();
        match self.scene.build.missing(&references) {
            Some(missing) => made.risk(Risk::Warning).hazard(
                missing.code(),
                format!("it needs {}, and works only for programs that bring that", missing.told()),
            ),
            None => made,
        }
    }

    fn index(&self, made: Step, new: &StoredObject, index: &Index) -> Step {
        let made = made.lock(&new.id, false, true);
        if !index.header.unique {
            return made;
        }
        let made = made.risk(Risk::Warning);
        let folded = &index.table.folded;
        let (Some(old), Some(table)) = (self.scene.current.table(folded), self.scene.desired.table(folded)) else {
            return made;
        };
        if check::is_unique_already(old, table, &self.scene.current, &index.columns) {
            return made;
        }
        let what = format!("the unique index `{}`", index.header.name);
        let rows = Rows::new(old, table);
        made.checked([check::duplicate(&rows, table, &index.columns, index.condition.as_ref(), &what)])
    }
}

/// `CREATE …`
fn statement(change: ChangeId, new: &StoredObject, is_replaced: bool) -> Step {
    let kind = word(&new.id);
    let name = if is_replaced { format!("replace-{kind}") } else { format!("create-{kind}") };
    let rule = rule(name, format!("the {kind} is made with the text that declares it"));
    step(format!("create-{kind}:{}", new.id.name.shown()), vec![change], new.sql.trim().to_owned(), rule)
}

fn no_module(id: &ObjectId, module: &str) -> Because {
    let name = id.name.shown();
    let reason = format!(
        "the virtual table `{name}` needs the module `{module}`, which the SQLite of this provider does not have"
    );
    Because::new("virtual-table.module-unknown", reason).hint("make it with the program that brings the module")
}

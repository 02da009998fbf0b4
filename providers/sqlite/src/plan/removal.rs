//! What goes, and what goes with it.

use ptah_model::{Kind, Loss, ObjectId, Risk};
use ptah_provider_api::step::{ChangeId, Check, Step};

use super::check;
use super::draft::{Add as _, Does, Draft, Part, Slot, rule, step};
use super::object::{Objects, word};
use super::side::{foreign_keys, mentioned};
use crate::catalogue::StoredObject;
use crate::kinds;
use crate::settings::FOREIGN_KEYS_OFF;
use crate::sql::ast::{Declaration, ForeignKey};
use crate::sql::name::quote_name;

impl Objects<'_> {
    /// The step that removes an object, for good or to make way for `new`.
    pub(super) fn removed(&self, change: ChangeId, old: &StoredObject, new: Option<&StoredObject>) -> Draft {
        let id = &old.id;
        let is_table = id.kind == Kind::table() || id.kind == kinds::virtual_table();
        let mentions = match old.declaration() {
            Some(Declaration::Index(index)) => [index.table.folded.clone()].into(),
            _ => mentioned(old),
        };
        let owned: &[&StoredObject] =
            if id.owner.is_none() { self.scene.current.owned(&id.name.normalized) } else { &[] };
        let owned = owned.iter().map(|stored| Slot::of(&stored.id)).collect();
        let (part, position) = self.place_of_removal(id);
        Draft {
            step: self.cost_of_removal(statement(change, id, new.is_some()), old, new),
            part,
            position,
            slot: Slot::of(id),
            does: if is_table { Does::DropTable { owned } } else { Does::Remove { mentions, owned } },
        }
    }

    fn place_of_removal(&self, id: &ObjectId) -> (Part, usize) {
        if id.kind == Kind::trigger() {
            (Part::DropTriggers, 0)
        } else if id.kind == Kind::view() {
            (Part::DropViews, self.leaving.readers_first(&id.name.normalized))
        } else if id.kind == Kind::index() {
            (Part::DropIndexes, 0)
        } else {
            (Part::DropTables, 0)
        }
    }

    /// What goes with an object.
    fn cost_of_removal(&self, made: Step, old: &StoredObject, new: Option<&StoredObject>) -> Step {
        match old.declaration() {
            Some(Declaration::Table(_)) => self.table_goes(made, old),
            Some(Declaration::VirtualTable(_)) => {
                made.risk(Risk::Destructive).loses(Loss::Rows).lock(&old.id, false, false)
            }
            Some(Declaration::Index(_)) if is_unique(old) && !new.is_some_and(is_unique) => made
                .risk(Risk::Destructive)
                .loses(Loss::Protection)
                .hazard("index.unique", "nothing keeps rows with the same values out any more"),
            Some(Declaration::Index(_)) => made.risk(Risk::Warning),
            _ if new.is_none() => made.risk(Risk::Warning).loses(Loss::Definition),
            _ => made.risk(Risk::Warning),
        }
    }

    fn table_goes(&self, made: Step, old: &StoredObject) -> Step {
        let made = made.risk(Risk::Destructive).loses(Loss::Rows).lock(&old.id, false, false).needing(FOREIGN_KEYS_OFF);
        let name = &old.id.name.normalized;
        let mut children =
            self.scene.current.referring(name).into_iter().filter(|child| child.header.name.folded != *name);
        let Some(first) = children.next() else { return made };
        let text = format!(
            "`{}` has a foreign key to the table; with foreign keys off its rows are neither deleted nor checked",
            first.header.name
        );
        made.hazard("foreign-keys.off", text).checked(self.referenced(old))
    }

    /// Rows of tables that stay, and keep a key to one that goes.
    fn referenced(&self, old: &StoredObject) -> Vec<Check> {
        let Some(parent) = old.table() else { return Vec::new() };
        let name = &parent.header.name.folded;
        let mut checks = Vec::new();
        for wanted in self.scene.desired.referring(name) {
            let Some(child) = self.scene.current.table(&wanted.header.name.folded) else { continue };
            let is_kept = |key: &&ForeignKey| {
                let mut kept = foreign_keys(wanted).filter(|kept| kept.parent == key.parent);
                key.parent.folded == *name && kept.any(|kept| kept.columns == key.columns)
            };
            checks.extend(foreign_keys(child).filter(is_kept).filter_map(|key| check::referenced(child, key, parent)));
        }
        checks
    }
}

fn is_unique(stored: &StoredObject) -> bool {
    matches!(stored.declaration(), Some(Declaration::Index(index)) if index.header.unique)
}

/// `DROP …`
fn statement(change: ChangeId, id: &ObjectId, is_replaced: bool) -> Step {
    let kind = word(id);
    let (name, sentence) = if is_replaced {
        (format!("replace-{kind}"), format!("SQLite cannot change a {kind}: it goes and is made again"))
    } else {
        (format!("drop-{kind}"), format!("the {kind} is not wanted"))
    };
    let statement = if id.kind == kinds::virtual_table() { "TABLE".to_owned() } else { kind.to_ascii_uppercase() };
    let text = format!("DROP {statement} {}", quote_name(id.name.shown()));
    step(format!("drop-{kind}:{}", id.name.shown()), vec![change], text, rule(name, sentence))
}

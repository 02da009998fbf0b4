//! What stops ALTER TABLE although it has nothing to do with the table.
//!
//! SQLite reads the whole schema again for RENAME and DROP COLUMN, and stops at the first view or trigger that does not
//! work and at the first index that needs a collation which is not there. A rebuild is not stopped by views and
//! triggers, because it renames in the legacy way, but it is by such an index.

use std::collections::BTreeSet;

use ptah_model::Kind;

use super::build::Build;
use super::draft::Slot;
use super::refusal::Because;
use super::request::Asked;
use super::side::Side;
use crate::catalogue::{Described, StoredObject};
use crate::sql::ast::{Declaration, Index};
use crate::sql::cursor::{is_name, significant};
use crate::sql::name::Name;
use crate::sql::token::{Token, TokenKind};

/// The reason that a reading gives for a view that SQLite itself cannot read; other reasons are about our own reading.
const UNREADABLE: &str = "it cannot be read: ";

/// The first of each kind in SQLite's order, without what the plan itself takes away.
#[derive(Default)]
pub(super) struct Blockers {
    /// A view or trigger that does not work: its kind and name.
    broken: Option<(&'static str, String)>,
    /// An index and the collation that it needs.
    index: Option<(String, String)>,
    /// Those that the plan takes away, by the name that its step frees.
    leaving: Vec<Slot>,
}

impl Blockers {
    pub(super) fn find(side: &Side<'_>, asked: &Asked<'_>, build: &Build) -> Self {
        let mut found = Self::default();
        let going = asked.objects.keys().filter(|id| asked.leaves(id) && id.owner.is_none());
        let going: BTreeSet<&ptah_model::Name> = going.map(|id| &id.name).collect();
        for stored in side.objects() {
            let owner = stored.id.owner.as_ref().filter(|owner| going.contains(owner));
            let frees = match owner {
                _ if asked.leaves(&stored.id) => Some(Slot::of(&stored.id)),
                Some(owner) => Some(Slot { trigger: false, name: owner.normalized.to_string() }),
                None => None,
            };
            let (broken, index) = (broken(side, build, stored), unknown_collation(side, build, stored));
            if let Some(slot) = frees {
                found.leaving.extend((broken.is_some() || index.is_some()).then_some(slot));
            } else {
                found.broken = found.broken.or(broken);
                found.index = found.index.or(index);
            }
        }
        found
    }

    /// What stops SQLite now and goes in this plan.
    pub(super) fn leaving(&self) -> Vec<Slot> {
        self.leaving.clone()
    }

    /// Why no RENAME can be made.
    pub(super) fn of_rename(&self) -> Option<Because> {
        self.of_broken("rename.blocked", "SQLite renames nothing").or_else(|| self.of_index("SQLite renames nothing"))
    }

    /// Why no column can be dropped in place.
    pub(super) fn of_drop_column(&self) -> Option<Because> {
        let nothing = "SQLite drops no column";
        self.of_broken("drop-column.blocked", nothing).or_else(|| self.of_index(nothing))
    }

    /// Why no table can be rebuilt.
    pub(super) fn of_rebuild(&self) -> Option<Because> {
        self.of_index("SQLite rebuilds no table")
    }

    fn of_broken(&self, code: &'static str, nothing: &str) -> Option<Because> {
        let (kind, name) = self.broken.as_ref()?;
        let reason = format!("{nothing} while the {kind} `{name}` does not work: it names something that is not there");
        Some(Because::new(code, reason).hint(format!("repair or drop the {kind} `{name}` first")))
    }

    fn of_index(&self, nothing: &str) -> Option<Because> {
        let (index, collation) = self.index.as_ref()?;
        let reason = format!(
            "{nothing} while the index `{index}` needs the collation `{collation}`, which the SQLite of this provider \
             does not have"
        );
        let hint =
            format!("drop the index `{index}` first, and make it again with the program that brings the collation");
        Some(Because::new("collation.unknown", reason).hint(hint))
    }
}

fn broken(side: &Side<'_>, build: &Build, stored: &StoredObject) -> Option<(&'static str, String)> {
    let name = || stored.id.name.shown().to_owned();
    if stored.id.kind == Kind::view() {
        let Described::Not(unread) = &stored.described else { return None };
        return unread.reason.starts_with(UNREADABLE).then(|| ("view", name()));
    }
    let is_trigger = matches!(stored.declaration(), Some(Declaration::Trigger(_)));
    (is_trigger && names_what_is_not_there(side, build, &stored.sql)).then(|| ("trigger", name()))
}

/// Whether a trigger certainly reads or writes a table that is not there. Where this is not certain it is `false`, and
/// SQLite decides: a common table expression, for one, would stand in the place of a table.
fn names_what_is_not_there(side: &Side<'_>, build: &Build, sql: &str) -> bool {
    let tokens = significant(sql).unwrap_or_default();
    if tokens.iter().any(|token| token.is_word(sql, "WITH")) {
        return false;
    }
    let is_known = |name: &str| {
        side.is_used(name)
            || name.starts_with("sqlite_")
            || crate::claims::is_ours(name)
            || build.has_module(name)
            || side.is_shadow(name)
    };
    (0..tokens.len()).filter_map(|at| table_after(sql, &tokens, at)).any(|name| !is_known(&name))
}

/// The table after a word that only a table can follow, folded.
fn table_after(sql: &str, tokens: &[Token], at: usize) -> Option<String> {
    let is = |place: usize, word: &str| tokens.get(place).is_some_and(|token| token.is_word(sql, word));
    let leads = (is(at, "FROM") && !(at > 0 && is(at - 1, "DISTINCT")))
        || is(at, "JOIN")
        || is(at, "INTO")
        || (is(at, "UPDATE") && is(at + 2, "SET"));
    let name = tokens.get(at + 1).filter(|token| leads && is_name(token.kind))?;
    // A call, or a database before the name.
    let next = tokens.get(at + 2).map(|next| next.kind);
    let is_else = next == Some(TokenKind::Dot) || (next == Some(TokenKind::LeftParen) && !is(at, "INTO"));
    (!is_else).then(|| Name::from_written(name.span.text(sql)).folded)
}

fn unknown_collation(side: &Side<'_>, build: &Build, stored: &StoredObject) -> Option<(String, String)> {
    let Some(Declaration::Index(index)) = stored.declaration() else { return None };
    let unknown = |folded: &&String| !build.has_collation(folded);
    let named = collations(side, index);
    named.iter().find(unknown).map(|collation| (stored.id.name.shown().to_owned(), collation.clone()))
}

/// The collations by which an index compares: those that it names, and those of its columns.
fn collations(side: &Side<'_>, index: &Index) -> Vec<String> {
    let table = side.table(&index.table.folded);
    let of = |name: &Name| {
        let column = table.and_then(|table| table.column(name))?;
        column.collation.as_ref().map(|collation| collation.name.folded.clone())
    };
    let mut found = Vec::new();
    for column in &index.columns {
        let own = column.collation.as_ref().map(|name| name.folded.clone());
        found.extend(own.or_else(|| column.column.as_ref().and_then(of)));
    }
    found
}

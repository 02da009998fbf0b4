//! Objects of the schema model from declarations.
//!
//! Facet names are this provider's words; what equality rests on is the canonical form, never the text.

use ptah_model::{Facet, FacetPool, Facets, Member, Object, ObjectId};

use super::members::members;
use crate::sql::ast::{Declaration, Event, Index, IndexedColumn, SqlText, Table, Timing, Trigger, View, VirtualTable};

/// The object that a text declares; `None` when a part of it has no certain canonical form.
pub(super) fn object_of(id: &ObjectId, declaration: &Declaration, pool: &mut FacetPool) -> Option<Object> {
    if !declaration.is_exact() {
        return None;
    }
    let (facets, members) = match declaration {
        Declaration::Table(table) => (table_facets(table), members(table)),
        Declaration::Index(index) => (index_facets(index), Vec::new()),
        Declaration::View(view) => (view_facets(view), Vec::new()),
        Declaration::Trigger(trigger) => (trigger_facets(trigger), Vec::new()),
        Declaration::VirtualTable(table) => (virtual_facets(table), Vec::new()),
    };
    let facets = pool.share(facets);
    let shared = |member: Member| Member { facets: pool.share(member.facets), ..member };
    Some(Object { id: id.clone(), facets, members: members.into_iter().map(shared).collect() })
}

/// A facet that says yes by being there.
pub(super) fn flag(facets: &mut Facets, name: &str, holds: bool) {
    if holds {
        facets.insert(name.to_owned(), Facet::plain("yes"));
    }
}

/// A facet with a text and its canonical form.
pub(super) fn put(facets: &mut Facets, name: &str, text: impl Into<String>, canonical: impl Into<String>) {
    facets.insert(name.to_owned(), Facet::new(text, canonical));
}

/// An expression or query as a facet.
pub(super) fn put_sql(facets: &mut Facets, name: &str, sql: &SqlText) {
    put(facets, name, sql.text.trim(), sql.canonical.text.clone());
}

/// The columns of a key or an index.
pub(super) fn put_columns(facets: &mut Facets, columns: &[IndexedColumn]) {
    let shown = |column: &IndexedColumn| {
        let mut text = column.expression.text.trim().to_owned();
        if let Some(collation) = &column.collation {
            text.push_str(" COLLATE ");
            text.push_str(&collation.written);
        }
        if column.descending {
            text.push_str(" DESC");
        }
        text
    };
    let text: Vec<_> = columns.iter().map(shown).collect();
    let canonical: Vec<_> = columns.iter().map(IndexedColumn::canonical).collect();
    put(facets, "columns", text.join(", "), canonical.join(", "));
}

fn table_facets(table: &Table) -> Facets {
    let mut facets = Facets::new();
    flag(&mut facets, "strict", table.strict);
    flag(&mut facets, "without-rowid", table.without_rowid);
    facets
}

fn index_facets(index: &Index) -> Facets {
    let mut facets = Facets::new();
    flag(&mut facets, "unique", index.header.unique);
    put_columns(&mut facets, &index.columns);
    if let Some(condition) = &index.condition {
        put_sql(&mut facets, "where", condition);
    }
    facets
}

fn view_facets(view: &View) -> Facets {
    let mut facets = Facets::new();
    if !view.columns.is_empty() {
        let text: Vec<_> = view.columns.iter().map(|(name, _)| name.written.as_str()).collect();
        let canonical: Vec<_> = view.columns.iter().map(|(name, _)| quoted(&name.folded)).collect();
        put(&mut facets, "columns", text.join(", "), canonical.join(", "));
    }
    put_sql(&mut facets, "select", &view.select);
    facets
}

fn trigger_facets(trigger: &Trigger) -> Facets {
    let mut facets = Facets::new();
    let timing = match trigger.timing {
        Timing::Before => "BEFORE",
        Timing::After => "AFTER",
        Timing::InsteadOf => "INSTEAD OF",
    };
    put(&mut facets, "timing", timing, timing.to_ascii_lowercase());
    let (event, canonical) = match &trigger.event {
        Event::Delete => ("DELETE".to_owned(), "delete".to_owned()),
        Event::Insert => ("INSERT".to_owned(), "insert".to_owned()),
        Event::Update(columns) if columns.is_empty() => ("UPDATE".to_owned(), "update".to_owned()),
        Event::Update(columns) => {
            let text: Vec<_> = columns.iter().map(|name| name.written.as_str()).collect();
            // The order of the columns means nothing.
            let mut canonical: Vec<_> = columns.iter().map(|name| quoted(&name.folded)).collect();
            canonical.sort();
            canonical.dedup();
            (format!("UPDATE OF {}", text.join(", ")), format!("update of {}", canonical.join(", ")))
        }
    };
    put(&mut facets, "event", event, canonical);
    if let Some(when) = &trigger.when {
        put_sql(&mut facets, "when", when);
    }
    let text: Vec<_> = trigger.body.iter().map(|statement| format!("{};", statement.text.trim())).collect();
    let canonical: Vec<_> = trigger.body.iter().map(|statement| format!("{};", statement.canonical.text)).collect();
    put(&mut facets, "body", text.join("\n"), canonical.join(" "));
    facets
}

fn virtual_facets(table: &VirtualTable) -> Facets {
    let mut facets = Facets::new();
    put(&mut facets, "module", table.module.text.clone(), table.module.folded.clone());
    let arguments = table.arguments.join(", ");
    // The arguments are the module's own language: equal only when every byte is.
    put(&mut facets, "arguments", arguments.clone(), table.arguments.join("\u{1f}"));
    facets
}

/// A name within a canonical form, so that a name with a comma in it is not two.
pub(super) fn quoted(folded: &str) -> String {
    crate::sql::name::quote_name(folded).into_owned()
}

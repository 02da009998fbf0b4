//! A reading as source text: the stored texts, in an order in which they can be executed.
//!
//! The text is SQLite's own, without its final separator. Tables come first, because SQLite takes a foreign key to a
//! table that is not there yet; then views after what they read, and triggers last, because a body may name anything.

use std::collections::BTreeSet;

use ptah_model::Kind;
use ptah_provider_api::render::{RenderReply, RenderedDefinition};

use crate::catalogue::{SqliteSnapshot, StoredObject};
use crate::kinds;
use crate::sql::ast::Declaration;

/// Writes a reading. What is not described is left out: it is not known what it means.
pub(crate) fn render(snapshot: &SqliteSnapshot) -> RenderReply {
    let described: Vec<&StoredObject> =
        snapshot.objects().iter().map(AsRef::as_ref).filter(|o| o.object().is_some()).collect();
    let of = |kind: Kind| described.iter().copied().filter(move |o| o.id.kind == kind);
    let mut ordered: Vec<&StoredObject> = Vec::with_capacity(described.len());
    ordered.extend(of(Kind::table()));
    ordered.extend(of(kinds::virtual_table()));
    ordered.extend(of(Kind::index()));
    ordered.extend(views(of(Kind::view()).collect()));
    ordered.extend(of(Kind::trigger()));
    let definitions = ordered.into_iter().map(|object| RenderedDefinition {
        object: object.id.clone(),
        text: object.sql.trim().trim_end_matches(';').trim_end().to_owned(),
    });
    RenderReply { definitions: definitions.collect() }
}

/// Views after the views that they read. Views that read each other cannot be, and would keep their order.
fn views(views: Vec<&StoredObject>) -> Vec<&StoredObject> {
    let names: BTreeSet<&str> = views.iter().map(|view| view.id.name.normalized.as_str()).collect();
    let reads = |view: &StoredObject| -> BTreeSet<String> {
        match view.declaration() {
            Some(Declaration::View(declared)) => declared.select.canonical.references.tables.clone(),
            _ => BTreeSet::new(),
        }
    };
    let mut waiting = views;
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut ordered = Vec::with_capacity(names.len());
    while !waiting.is_empty() {
        let (ready, rest): (Vec<&StoredObject>, Vec<_>) = waiting.into_iter().partition(|view| {
            reads(view).iter().all(|name| {
                !names.contains(name.as_str()) || done.contains(name.as_str()) || *name == view.id.name.normalized
            })
        });
        let (ready, rest) = if ready.is_empty() { (rest, Vec::new()) } else { (ready, rest) };
        done.extend(ready.iter().map(|view| view.id.name.normalized.as_str()));
        ordered.extend(ready);
        waiting = rest;
    }
    ordered
}

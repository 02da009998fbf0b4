//! Which object owns another one.

use ptah_model::{KindCatalog, Object, ObjectId, SchemaModel};

/// The identities that the owner of `id` may have: of the parent kind that the catalogue names first, then of every
/// other kind, because a kind of owner is not part of an identity (a trigger belongs to a table or to a view).
fn candidates<'a>(id: &'a ObjectId, kinds: &'a KindCatalog) -> impl Iterator<Item = ObjectId> + 'a {
    let parent = kinds.get(&id.kind).and_then(|m| m.parent.clone());
    let others = kinds.iter().filter(|m| !m.member).map(|m| m.kind.clone());
    parent
        .into_iter()
        .chain(others)
        .filter(|kind| *kind != id.kind)
        .filter_map(|kind| Some(ObjectId { kind, schema: id.schema.clone(), owner: None, name: id.owner.clone()? }))
}

/// The object that owns `id` in `model`; absent for one that stands alone, or when the owner is not there.
pub(crate) fn owner_of<'a>(model: &'a SchemaModel, id: &ObjectId, kinds: &KindCatalog) -> Option<&'a Object> {
    id.owner.as_ref()?;
    candidates(id, kinds).find_map(|owner| model.get(&owner))
}

/// Whether the owner of `id` exists in `model` and could not be read.
pub(crate) fn owner_not_described(model: &SchemaModel, id: &ObjectId, kinds: &KindCatalog) -> bool {
    id.owner.is_some() && candidates(id, kinds).any(|owner| model.is_not_described(&owner))
}

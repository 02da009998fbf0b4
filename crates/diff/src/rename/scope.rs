//! The place in which names are distinct: objects of one kind beside each other, or members of one kind in an object.

use std::collections::{BTreeMap, BTreeSet};

use ptah_model::{Kind, Member, MemberId, Name, NotDescribed, Object, ObjectId, SchemaModel};

use super::{RenameHint, RenameRecord};

/// The passes, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// Objects that stand alone.
    Standing,
    /// Objects that another one owns.
    Owned,
    /// Members.
    Member,
}

impl Tier {
    pub(super) fn of(hint: &RenameHint) -> Self {
        match (&hint.member, &hint.object.owner) {
            (Some(_), _) => Self::Member,
            (None, Some(_)) => Self::Owned,
            (None, None) => Self::Standing,
        }
    }
}

/// One such place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Scope {
    kind: Kind,
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Beside { schema: Option<Name>, owner: Option<Name> },
    In(ObjectId),
}

impl Scope {
    /// The place that a hint is about.
    pub(super) fn of(hint: &RenameHint) -> Self {
        match &hint.member {
            Some(member) => Self::of_member(&hint.object, &member.kind),
            None => Self::of_object(&hint.object),
        }
    }

    fn of_object(id: &ObjectId) -> Self {
        Self { kind: id.kind.clone(), place: Place::Beside { schema: id.schema.clone(), owner: id.owner.clone() } }
    }

    fn of_member(object: &ObjectId, kind: &Kind) -> Self {
        Self { kind: kind.clone(), place: Place::In(object.clone()) }
    }

    /// The identity of what has this name here.
    pub(super) fn identity(&self, name: &Name) -> (ObjectId, Option<MemberId>) {
        let (kind, name) = (self.kind.clone(), name.clone());
        match &self.place {
            Place::Beside { schema, owner } => {
                (ObjectId { kind, schema: schema.clone(), owner: owner.clone(), name }, None)
            }
            Place::In(object) => (object.clone(), Some(MemberId { kind, name })),
        }
    }

    /// The names that a model has here.
    pub(super) fn names(&self, model: &SchemaModel) -> BTreeSet<Name> {
        match &self.place {
            Place::Beside { .. } => model
                .objects()
                .map(|o| &o.id)
                .filter(|id| Self::of_object(id) == *self)
                .map(|id| id.name.clone())
                .collect(),
            Place::In(object) => model
                .get(object)
                .into_iter()
                .flat_map(|o| o.members_of(&self.kind))
                .map(|m| m.id.name.clone())
                .collect(),
        }
    }

    /// The names of what exists here and could not be read.
    pub(super) fn unread(&self, model: &SchemaModel) -> BTreeSet<Name> {
        let ids = model.not_described().map(|u| &u.id);
        ids.filter(|id| Self::of_object(id) == *self).map(|id| id.name.clone()).collect()
    }

    /// Whether what has this name is defined alike in both models.
    pub(super) fn same_on_both(&self, name: &Name, current: &SchemaModel, desired: &SchemaModel) -> bool {
        let (object, member) = self.identity(name);
        let (Some(a), Some(b)) = (current.get(&object), desired.get(&object)) else {
            return false;
        };
        match member {
            Some(id) => a.member(&id).zip(b.member(&id)).is_some_and(|(x, y)| canonical(x) == canonical(y)),
            None => ptah_model::object_digest(a) == ptah_model::object_digest(b),
        }
    }

    /// What the ledger says of a rename here.
    pub(super) fn record(&self, from: &Name, to: &Name) -> RenameRecord {
        let owner = match &self.place {
            Place::Beside { .. } => None,
            Place::In(object) => Some(object.name.normalized.to_string()),
        };
        RenameRecord {
            kind: self.kind.clone(),
            owner,
            from: from.normalized.to_string(),
            to: to.normalized.to_string(),
        }
    }

    /// What lives here, for people.
    pub(super) fn plural(&self) -> String {
        match &self.place {
            Place::Beside { .. } => format!("objects of the kind {}", self.kind),
            Place::In(object) => format!("members of the kind {} of {object}", self.kind),
        }
    }
}

fn canonical(member: &Member) -> Vec<(&str, &str)> {
    member.facets.iter().map(|(name, facet)| (name.as_str(), facet.canonical.as_str())).collect()
}

/// Whether any object or member has this name: kinds can share a name space in ways that only the engine knows.
pub(super) fn is_taken(name: &Name, model: &SchemaModel) -> bool {
    let member = |o: &Object| o.members.iter().any(|m| m.id.name == *name);
    model.objects().any(|o| o.id.name == *name || member(o)) || model.not_described().any(|u| u.id.name == *name)
}

/// The model with all these names given at once. Facets keep what they say: how references follow is the engine's
/// business and shows in the next reading.
pub(super) fn rename_all(model: &SchemaModel, net: &BTreeMap<(Scope, Name), Name>) -> SchemaModel {
    let renamed = |id: &ObjectId| net.get(&(Scope::of_object(id), id.name.clone())).cloned();
    // An owned object names its owner without the owner's kind; every kind that can own shares its names.
    let owners: BTreeMap<(Option<Name>, Name), Name> = net
        .iter()
        .filter_map(|((scope, from), to)| match &scope.place {
            Place::Beside { schema, owner: None } => Some(((schema.clone(), from.clone()), to.clone())),
            Place::Beside { owner: Some(_), .. } | Place::In(_) => None,
        })
        .collect();
    let identity = |id: &ObjectId| {
        let owner = id.owner.clone().map(|owner| {
            let key = (id.schema.clone(), owner.clone());
            owners.get(&key).cloned().unwrap_or(owner)
        });
        ObjectId {
            kind: id.kind.clone(),
            schema: id.schema.clone(),
            owner,
            name: renamed(id).unwrap_or_else(|| id.name.clone()),
        }
    };
    let mut after = SchemaModel::default();
    for object in model.objects() {
        let mut copy = object.clone();
        for member in &mut copy.members {
            let key = (Scope::of_member(&object.id, &member.id.kind), member.id.name.clone());
            if let Some(name) = net.get(&key) {
                member.id.name = name.clone();
            }
        }
        copy.id = identity(&object.id);
        after.insert(copy);
    }
    for unread in model.not_described() {
        after.insert_not_described(NotDescribed { id: identity(&unread.id), reason: unread.reason.clone() });
    }
    after
}

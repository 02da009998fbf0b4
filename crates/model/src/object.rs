//! Objects as a provider reads them: identity, members in the server's order, and facets.
//!
//! Ptah compares facets by equality and never looks inside one. That is sound because both sides of every comparison
//! were made by the same reader of the same engine.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::facets::Facets;
use crate::identifier::Name;
use crate::kind::Kind;

/// The identity of an object: its kind and the parts of its name, never joined into one string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// The kind.
    pub kind: Kind,
    /// The schema it lives in; absent where the engine has no schemas.
    pub schema: Option<Name>,
    /// The object that owns it and goes with it (the table of an index or a trigger); absent for one that stands alone.
    pub owner: Option<Name>,
    /// Its own name.
    pub name: Name,
}

/// The identity of a member within its object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId {
    /// The kind, for example `column`.
    pub kind: Kind,
    /// Its name; for a constraint without a name, what it says.
    pub name: Name,
}

/// Something that belongs to an object and is read and created with it: a column, a key, a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its identity within the object.
    pub id: MemberId,
    /// Its attributes.
    pub facets: Facets,
}

/// One object of a schema model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its identity.
    pub id: ObjectId,
    /// Its own attributes, without those of its members.
    pub facets: Facets,
    /// Its members in the server's order. Identities are distinct.
    pub members: Vec<Member>,
}

/// Something that exists and could not be read. It is never compared, altered or dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDescribed {
    /// What it is.
    pub id: ObjectId,
    /// Why it was not read: one line under the rules of a reason.
    pub reason: String,
}

/// What is declared or read: all objects of one database within the scope. Models share the objects that they have in
/// common, so that a second reading of a large schema costs little.
#[derive(Clone, Debug, Default)]
pub struct SchemaModel {
    objects: BTreeSet<ById>,
    not_described: BTreeMap<ObjectId, NotDescribed>,
}

/// An object that is found by its identity.
#[derive(Clone)]
struct ById(Arc<Object>);

impl Borrow<ObjectId> for ById {
    fn borrow(&self) -> &ObjectId {
        &self.0.id
    }
}

impl Ord for ById {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.id.cmp(&other.0.id)
    }
}

impl PartialOrd for ById {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ById {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for ById {}

impl fmt::Debug for ById {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq for SchemaModel {
    fn eq(&self, other: &Self) -> bool {
        self.not_described == other.not_described && self.objects().eq(other.objects())
    }
}

impl Eq for SchemaModel {}

impl Object {
    /// The member with this identity.
    pub fn member(&self, id: &MemberId) -> Option<&Member> {
        self.members.iter().find(|m| m.id == *id)
    }

    /// The members of one kind in the server's order.
    pub fn members_of<'a>(&'a self, kind: &'a Kind) -> impl Iterator<Item = &'a Member> {
        self.members.iter().filter(move |m| m.id.kind == *kind)
    }
}

impl SchemaModel {
    /// Adds an object. Returns `false`, and changes nothing, when one with the same identity is there.
    pub fn insert(&mut self, object: Object) -> bool {
        self.insert_shared(Arc::new(object))
    }

    /// The same with an object that others may have as well.
    pub fn insert_shared(&mut self, object: Arc<Object>) -> bool {
        // A set leaves the one that is there in its place.
        self.objects.insert(ById(object))
    }

    /// Notes something that exists and could not be read. The first note of an identity stays.
    pub fn insert_not_described(&mut self, unread: NotDescribed) {
        self.not_described.entry(unread.id.clone()).or_insert(unread);
    }

    /// The object with this identity.
    pub fn get(&self, id: &ObjectId) -> Option<&Object> {
        self.objects.get(id).map(|known| &*known.0)
    }

    /// The same, to be shared.
    pub fn get_shared(&self, id: &ObjectId) -> Option<&Arc<Object>> {
        self.objects.get(id).map(|known| &known.0)
    }

    /// Takes an object out.
    pub fn remove(&mut self, id: &ObjectId) -> Option<Object> {
        self.objects.take(id).map(|known| Arc::unwrap_or_clone(known.0))
    }

    /// All objects in the order of their identities.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = &Object> {
        self.objects.iter().map(|known| &*known.0)
    }

    /// What exists and could not be read, in the order of identities.
    pub fn not_described(&self) -> impl ExactSizeIterator<Item = &NotDescribed> {
        self.not_described.values()
    }

    /// Whether the object exists and could not be read.
    pub fn is_not_described(&self, id: &ObjectId) -> bool {
        self.not_described.contains_key(id)
    }

    /// Whether nothing at all is declared or was found.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.not_described.is_empty()
    }
}

impl fmt::Display for ObjectId {
    /// `index users_email on users`: for people, never to be parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if let Some(schema) = &self.schema {
            write!(f, "{}.", schema.shown())?;
        }
        f.write_str(self.name.shown())?;
        match &self.owner {
            Some(owner) => write!(f, " on {}", owner.shown()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.name.shown();
        let word = self.kind.as_str().replace('-', " ");
        // What a thing without a name says may begin with its kind in the server's words: `FOREIGN KEY (owner) …`.
        let says_its_kind = !self.name.is_named() && shown.to_ascii_lowercase().starts_with(&word);
        if says_its_kind { f.write_str(shown) } else { write!(f, "{} {shown}", self.kind) }
    }
}

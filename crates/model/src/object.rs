//! Objects as a provider reads them: identity, members in the server's order, and facets.
//!
//! Ptah compares facets by equality and never looks inside one. That is sound because both sides of every comparison
//! were made by the same reader of the same engine.

use std::collections::BTreeMap;
use std::fmt;

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

/// The name of a facet, for example `type` or `default`. A facet name is the provider's word for one attribute.
pub type FacetName = String;

/// One attribute of an object or a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// The server's own spelling, for people.
    pub text: String,
    /// What equality rests on. Two facets are the same exactly when their canonical forms are the same bytes.
    pub canonical: String,
}

/// Facets by name. An absent name means that the object does not have the attribute, which differs from an empty one.
pub type Facets = BTreeMap<FacetName, Facet>;

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

/// What is declared or read: all objects of one database within the scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaModel {
    objects: BTreeMap<ObjectId, Object>,
    not_described: BTreeMap<ObjectId, NotDescribed>,
}

impl Facet {
    /// A facet whose spelling is its canonical form.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { canonical: text.clone(), text }
    }

    /// A facet whose spelling differs from its canonical form.
    pub fn new(text: impl Into<String>, canonical: impl Into<String>) -> Self {
        Self { text: text.into(), canonical: canonical.into() }
    }
}

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
        if self.objects.contains_key(&object.id) {
            return false;
        }
        self.objects.insert(object.id.clone(), object);
        true
    }

    /// Notes something that exists and could not be read. The first note of an identity stays.
    pub fn insert_not_described(&mut self, unread: NotDescribed) {
        self.not_described.entry(unread.id.clone()).or_insert(unread);
    }

    /// The object with this identity.
    pub fn get(&self, id: &ObjectId) -> Option<&Object> {
        self.objects.get(id)
    }

    /// Takes an object out.
    pub fn remove(&mut self, id: &ObjectId) -> Option<Object> {
        self.objects.remove(id)
    }

    /// All objects in the order of their identities.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = &Object> {
        self.objects.values()
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

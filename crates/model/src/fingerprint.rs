//! The fingerprint of an observed state: "is it still what I decided on?"
//!
//! It covers identities, members in their order, and the canonical form of every facet; never spellings, so that a
//! server which rewrites quotes does not look changed. What could not be read counts by its identity alone. The exact
//! bytes are part of the contract, because host and provider both compute it.

use std::fmt;
use std::str::FromStr;

use crate::digest::{Digest, DigestBuilder, DigestError};
use crate::facets::Facets;
use crate::identifier::Name;
use crate::object::{Object, ObjectId, SchemaModel};

/// Identity of an observed state. Two readings with equal fingerprints show the same schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(Digest);

impl Fingerprint {
    /// The fingerprint of a schema model.
    pub fn of(model: &SchemaModel) -> Self {
        let objects = model.objects().map(object_digest);
        let unread = model.not_described().map(|u| &u.id);
        Self::from_parts(objects, unread)
    }

    /// The fingerprint from the digests of the objects, in the order of their identities, and the identities of what
    /// could not be read, in order. A provider that keeps the digests need not hash an unchanged object again.
    pub fn from_parts<'a>(
        objects: impl ExactSizeIterator<Item = Digest>,
        unread: impl ExactSizeIterator<Item = &'a ObjectId>,
    ) -> Self {
        let mut builder = DigestBuilder::new("ptah.schema.v1").number(objects.len() as u64);
        for digest in objects {
            builder = builder.bytes(digest.as_bytes());
        }
        builder = builder.number(unread.len() as u64);
        for id in unread {
            builder = identity(builder, id);
        }
        Self(builder.finish())
    }
}

/// The digest of one object: its identity, facets and members.
pub fn object_digest(object: &Object) -> Digest {
    let mut builder = identity(DigestBuilder::new("ptah.object.v1"), &object.id);
    builder = facets(builder, &object.facets).number(object.members.len() as u64);
    for member in &object.members {
        builder = builder.text(member.id.kind.as_str()).text(&member.id.name.normalized);
        builder = facets(builder, &member.facets);
    }
    builder.finish()
}

fn identity(builder: DigestBuilder, id: &ObjectId) -> DigestBuilder {
    let part = |name: &Option<Name>| name.as_ref().map(|n| n.normalized.clone());
    builder
        .text(id.kind.as_str())
        .optional(part(&id.schema).as_deref())
        .optional(part(&id.owner).as_deref())
        .text(&id.name.normalized)
}

fn facets(mut builder: DigestBuilder, facets: &Facets) -> DigestBuilder {
    builder = builder.number(facets.len() as u64);
    for (name, facet) in facets {
        builder = builder.text(name).text(&facet.canonical);
    }
    builder
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl FromStr for Fingerprint {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        text.parse().map(Self)
    }
}

#[cfg(test)]
mod tests;

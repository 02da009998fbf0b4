//! Identities, digests, identifier rules and the object model that every engine shares.
//!
//! Everything above a provider is written in these words, and nothing here knows an engine: an object is an identity,
//! the kind's common traits in which Ptah has a say, and *facets* that only the provider interprets. Pure: no clock,
//! file, randomness or I/O.

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

mod diagnostic;
mod digest;
mod facets;
mod fingerprint;
mod id;
mod identifier;
mod kind;
mod object;
mod position;
mod risk;
mod text;

pub use diagnostic::{Code, Diagnostic, Severity};
pub use digest::{Digest, DigestBuilder, DigestError};
pub use facets::{Facet, FacetName, FacetPool, Facets, Iter as FacetsIter};
pub use fingerprint::{Fingerprint, object_digest};
pub use id::{EngineName, IdError, OperationId, ProviderId, Scope, SnapshotId};
pub use identifier::{Comparison, IdentifierRules, Name, fold_ascii};
pub use kind::{Holds, Kind, KindCatalog, KindModel};
pub use object::{Member, MemberId, NotDescribed, Object, ObjectId, SchemaModel};
pub use position::{Position, SourceName};
pub use risk::{Loss, Risk};
pub use text::Text;

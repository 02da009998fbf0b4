//! Who may write one database: the realm as it was read, and its claimants.

use ptah_model::Digest;

use crate::ids::{Operation, Uid};
use crate::object::Instance;

/// What is known about the realm that a resource names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RealmReading {
    /// It names a key: the realm is the namespace's own and needs no grant.
    Key,
    /// It names a `PtahRealm` that is absent, does not list the namespace, or is of another engine. One answer for all
    /// three, so that nobody can find out which realms there are.
    NotGranted,
    /// It names a `PtahRealm` that admits it.
    Granted {
        /// Whether one claimant at most is allowed, whatever claimants declare.
        exclusive: bool,
    },
}

/// One admitted claimant of the realm, the resource itself included.
#[expect(clippy::struct_excessive_bools, reason = "each is one fact of its own, and every combination is possible")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claimant {
    /// The resource.
    pub uid: Uid,
    /// Whether it claims by a `PtahRealm`, not by a key of its own namespace.
    pub by_realm: bool,
    /// Whether it declares the sharing.
    pub shared: bool,
    /// Whether it claims nothing now: suspended, or being deleted.
    pub dormant: bool,
    /// Whether its deletion was asked for.
    pub deleting: bool,
    /// The run that it has to settle.
    pub unresolved: Option<Operation>,
    /// How often it has tried.
    pub attempts: u32,
    /// The database that it last read, and which running server answered; absent where the engine does not say.
    pub looked: Option<Looked>,
}

/// What a claimant last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Looked {
    /// What the server said the database is.
    pub database: Digest,
    /// Which running server that was.
    pub instance: Instance,
}

//! Who may write one database: the realm as it was read, and its claimants.

use crate::ids::{Operation, Uid};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claimant {
    /// The resource.
    pub uid: Uid,
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
}

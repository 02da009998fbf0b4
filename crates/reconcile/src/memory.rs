//! What a process remembers between passes and loses when it dies. A decision may rest on it only where losing it is safe.

use ptah_lifecycle::{Lease, LeaseReading, Time};

/// What one process remembers about one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    /// What it knows from its own last writes.
    pub own: ptah_lifecycle::Memory,
    /// The realm's Lease as it was last read, and since when.
    pub realm: Remembered,
    /// The database's Lease as it was last read, and since when.
    pub database: Remembered,
}

/// A Lease held by another, and since when it was read as exactly this.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Remembered(Option<(Lease, Time)>);

impl Remembered {
    /// Takes in a reading made at `now`. Any difference starts the count again.
    pub fn read(&mut self, lease: Option<Lease>, now: Time) -> LeaseReading {
        let since = match (&self.0, &lease) {
            (Some((known, since)), Some(found)) if known == found => *since,
            (Some(_) | None, _) => now,
        };
        self.0 = lease.clone().filter(|lease| lease.holder.is_some()).map(|lease| (lease, since));
        LeaseReading { lease, unchanged_since: since }
    }
}

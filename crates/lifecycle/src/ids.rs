//! Identities and time, as small values that the core compares and never makes.
//!
//! Fresh ones come in with the [`Snapshot`](crate::Snapshot); their text forms belong to the edge.

use std::fmt;

/// The UID that the API server gave an object. Never reused, so a re-created object is another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(pub u128);

/// One decided operation: a UUIDv7 made with its claim, spent once, in the cluster and in the database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation(pub u128);

/// One unbroken tenure of a Lease, or one set of execution components: random, compared for equality only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u128);

/// What a compare-and-swap names: the state of one stored object. Compared for equality only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u64);

/// A moment, in whole seconds since 1970 (UTC), by the clock of whoever wrote it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// The moment `seconds` later.
    #[must_use]
    pub fn plus(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }

    /// Whether this moment has come at `now`.
    pub fn reached(self, now: Time) -> bool {
        self <= now
    }
}

macro_rules! short_debug {
    ($($type:ident $letter:literal),*) => {$(
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{:x}"), self.0)
            }
        }
    )*};
}

short_debug!(Uid "u", Operation "op", Epoch "e", Version "v");

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_printed_short_and_by_its_kind() {
        let printed = format!("{:?} {:?} {:?} {:?} {:?}", Uid(31), Operation(2), Epoch(3), Version(4), Time(5));
        assert_eq!(printed, "u1f op2 e3 v4 t5");
    }

    #[test]
    fn a_moment_has_come_from_the_very_second_on() {
        assert!(!Time(5).reached(Time(4)) && Time(5).reached(Time(5)) && Time(5).reached(Time(6)));
        assert_eq!(Time(i64::MAX).plus(1), Time(i64::MAX));
    }
}

//! Telling a clone from an alias: two names of one database, or one name of two.
//!
//! A base backup says that it is its origin. Only which *running server* answers tells the two apart, and a server that was
//! restarted is another one, too. So another instance counts only when one of the two was read as the same instance before
//! the other's reading began and after it ended: one server cannot have been both. Until then the two are aliases.
//!
//! ```text
//!   A ├─read a─┤ · · · · · · · · · ├─read a─┤        since(A) < began(B), ended(B) < began(A), a ≠ b
//!   B             ├─read b─┤
//! ```
//!
//! A proven clone gets a Lease of its own, whose name has the coordination digest in it. A hold under the plain name refuses
//! it until it is settled. Where a claimant of the plain name is then read on the very instance, or the instance becomes
//! another one, the proof is gone, and so is the name.

use crate::decision::{Decision, Why};
use crate::ids::Time;
use crate::object::{Claimant, Identity, Instance, Observed, Reading, Resource, Shown};
use crate::snapshot::Snapshot;

/// The database of a reading, with what this resource has proven about it: the proof stands while the instance does.
pub fn identity(resource: &Resource, reading: &Reading) -> Identity {
    let proven = resource.status.observed.filter(|seen| {
        let same = seen.identity.database == reading.identity.database;
        same && reading.instance.is_some() && seen.instance.map(|instance| instance.digest) == reading.instance
    });
    Identity { apart: proven.and_then(|seen| seen.identity.apart), ..reading.identity }
}

/// Which instance a reading found that was claimed at `began` and is taken in at `ended`, and since when.
pub(crate) fn seen(resource: &Resource, reading: &Reading, began: Time, ended: Time) -> Option<Instance> {
    let digest = reading.instance?;
    let before = resource.status.observed.filter(|seen| seen.identity.database == reading.identity.database);
    let unbroken = before.and_then(|seen| seen.instance).filter(|before| before.digest == digest);
    Some(Instance { digest, since: unbroken.map_or(ended, |before| before.since), began, ended })
}

/// Writes down that the database is proven to be another one, or that this is not proven any more. The plan goes: it names
/// the database.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    let observed = s.resource.status.observed?;
    let apart = match observed.identity.apart {
        Some(_) if is_shared(s) => None,
        None if crate::realm::take_realm_census(s) == Err(Shown::RealmAliased) && is_clone(s) => {
            Some(s.resource.spec.coordination)
        }
        Some(_) | None => return None,
    };
    let mut status = s.next_status();
    status.plan = None;
    let identity = Identity { apart, ..observed.identity };
    status.observed = Some(Observed { identity, ..observed.outdated() });
    status.shown = Shown::Pending;
    Some(s.write(status, Why::StandApart))
}

/// Whether this resource's database is proven to be another than that of everybody who claims it under the name that it is
/// bound to.
fn is_clone(s: &Snapshot) -> bool {
    let Some(observed) = s.resource.status.observed else { return false };
    let Some(own) = observed.instance else { return false };
    let mut live = incumbents(s).peekable();
    live.peek().is_some()
        && live.all(|other| {
            let same_name = other.looked.filter(|looked| looked.database == observed.identity.database);
            same_name.is_some_and(|looked| differ(own, looked.instance))
        })
}

/// Whether a database that stands apart is reached under its plain name after all: a claimant there was last read on the very
/// instance that this one was.
pub(crate) fn is_shared(s: &Snapshot) -> bool {
    let Some(observed) = s.resource.status.observed.filter(|seen| seen.identity.apart.is_some()) else { return false };
    let own = observed.instance.map(|instance| instance.digest);
    incumbents(s).any(|other| other.looked.map(|looked| looked.instance.digest) == own)
}

fn incumbents(s: &Snapshot) -> impl Iterator<Item = &Claimant> {
    s.incumbents.iter().filter(|claimant| !claimant.deleting)
}

/// Whether these are two running servers: one of them stood before and after the other was read.
fn differ(one: Instance, other: Instance) -> bool {
    one.digest != other.digest && (stood_around(one, other) || stood_around(other, one))
}

/// Whether `outer` was read as the same instance before `inner`'s last reading began, and again after it ended. Moments that
/// are equal prove nothing.
fn stood_around(outer: Instance, inner: Instance) -> bool {
    outer.since < inner.began && inner.ended < outer.began
}

#[cfg(test)]
mod tests {
    use ptah_model::Digest;

    use super::*;

    fn instance(name: &str, since: i64, began: i64, ended: i64) -> Instance {
        Instance { digest: Digest::of(name.as_bytes()), since: Time(since), began: Time(began), ended: Time(ended) }
    }

    #[test]
    fn two_servers_differ_only_when_one_was_read_on_both_sides_of_the_other() {
        let inner = instance("b", 25, 20, 25);
        let rows = [
            ("around", instance("a", 10, 30, 35), true),
            ("not before", instance("a", 21, 30, 35), false),
            ("not after", instance("a", 10, 24, 35), false),
            ("only before: restarted since, perhaps", instance("a", 10, 5, 10), false),
            ("only after: restarted before, perhaps", instance("a", 35, 30, 35), false),
            ("at the same moment as it began", instance("a", 20, 30, 35), false),
            ("at the same moment as it ended", instance("a", 10, 25, 35), false),
            ("the same server", instance("b", 10, 30, 35), false),
        ];
        for (row, outer, expected) in rows {
            assert_eq!(differ(outer, inner), expected, "{row}");
            assert_eq!(differ(inner, outer), expected, "{row}, the other way round");
        }
    }
}

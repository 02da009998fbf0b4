//! One database has one writer: the census of a realm, and how far a claim is granted.

use crate::bounds;
use crate::decision::Decision;
use crate::instance;
use crate::object::{Claimant, LeaseReading, RealmReading, Shown};
use crate::snapshot::Snapshot;

/// Refuses a new claim, and looks again soon: another resource's edit wakes nobody here.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    if let Some(renamed) = instance::step(s) {
        return Some(renamed);
    }
    let refused = take_realm_census(s).err()?;
    Some(s.wait(bounds::REFUSAL_LOOK, refused))
}

/// Whether the resource is granted its realm and is its only claimant, or every claimant declares the sharing.
///
/// Taken before every claim, and again, uncached, before every mutating dispatch and every permit.
///
/// # Errors
/// What people are shown: [`Shown::RealmNotAuthorized`] or [`Shown::RealmConflict`], without anybody's name; or
/// [`Shown::RealmAliased`] when the database is reached under another realm's name, or is not bound yet and a claimant by a
/// `PtahRealm` goes first.
pub fn take_realm_census(s: &Snapshot) -> Result<(), Shown> {
    let exclusive = match s.realm {
        RealmReading::NotGranted => return Err(Shown::RealmNotAuthorized),
        RealmReading::Key => false,
        RealmReading::Granted { exclusive } => exclusive,
    };
    let mut live = s.claimants.iter().filter(|claimant| !claimant.dormant && !claimant.deleting).peekable();
    let several = live.clone().count() > 1;
    if several && (exclusive || live.any(|claimant| !claimant.shared)) {
        return Err(Shown::RealmConflict);
    }
    match &s.database_lease {
        Some(reading) if crate::hold::aliased(s, reading) => Err(Shown::RealmAliased),
        Some(reading) if gives_way(s, reading) || instance::is_shared(s) => Err(Shown::RealmAliased),
        Some(_) | None => Ok(()),
    }
}

/// Among those who reach a database that is bound to nobody yet, whoever claims it by a `PtahRealm` goes first: a key gives
/// way. Once it is bound, nobody is outranked any more.
fn gives_way(s: &Snapshot, reading: &LeaseReading) -> bool {
    let unbound = reading.lease.as_ref().is_none_or(|lease| lease.bound_to.is_none());
    let by_realm = |other: &Claimant| other.by_realm && other.uid != s.uid() && !other.dormant && !other.deleting;
    unbound && s.realm == RealmReading::Key && s.newcomers.iter().any(by_realm)
}

/// Whether the resource may claim anything in its realm at all.
pub fn is_admitted(s: &Snapshot) -> bool {
    s.realm != RealmReading::NotGranted
}

//! Stored state is never read by a manager that predates it, and a manager that does not lead writes nothing.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use crate::decision::{Decision, Refusal};
use crate::object::LeaseReading;
use crate::snapshot::Snapshot;

/// The kinds of stored object that carry the contract version of what is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoredKind {
    /// A `PtahSchema`: its binding, plan, applied plan, record and hold.
    Schema,
    /// A `PtahSchemaPlan`.
    SchemaPlan,
    /// A `PtahMigration`.
    Migration,
    /// A `PtahMigrationPlan`.
    MigrationPlan,
    /// A database's Lease: its hold, what was settled on it, and the realm that it is bound to.
    Lease,
    /// A `PtahResultRecord`.
    ResultRecord,
}

/// One stored object, with every version that stands anywhere in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// Its namespace and name, as a person would look for it.
    pub name: String,
    /// The versions as they are stored; none in an object that was never reconciled.
    pub versions: Vec<i64>,
}

/// Why stored state must not be touched by this manager. Nothing here passes by itself: a newer release has to run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoredStateError {
    /// A newer contract wrote it.
    #[error("controller downgrade refused: {kind} {name} is of contract {found}, and this manager knows {supported}")]
    Newer {
        /// Its kind.
        kind: StoredKind,
        /// Its namespace and name.
        name: String,
        /// The version that was found.
        found: i64,
        /// The highest version that this manager knows.
        supported: u32,
    },
    /// No contract wrote it.
    #[error("{kind} {name} carries {found}, which is no contract version")]
    Malformed {
        /// Its kind.
        kind: StoredKind,
        /// Its namespace and name.
        name: String,
        /// What was found.
        found: i64,
    },
    /// It was not looked at, which is not the same as finding nothing.
    #[error("the {0} objects were not listed")]
    NotListed(StoredKind),
}

/// Refuses the whole pass, before anything else is looked at.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    if verify_stored_controller_state(s).is_err() {
        return Some(Decision::Refuse(Refusal::NewerState));
    }
    (!s.manager.leads).then_some(Decision::Refuse(Refusal::NotLeading))
}

/// Whether every piece of stored state in this snapshot is of a contract that this manager understands.
///
/// The scan before a start and before an update of the resource types asks the same about every stored object; this is
/// its share of each pass. Leases are in it, because the hold, what was settled and the realm are stored there; so is the
/// result, because another replica of another version may have stored it.
///
/// # Errors
/// [`Refusal::NewerState`]: then nothing is written, not even a renewal.
pub fn verify_stored_controller_state(s: &Snapshot) -> Result<(), Refusal> {
    let status = s.resource.status.state_version;
    let plans = [&s.plan, &s.held_plan].into_iter().flatten().map(|plan| plan.state_version);
    let leases = [s.database_lease.as_ref(), s.plain_lease.as_ref()].into_iter().flatten().map(lease);
    let frame = s.frame.as_ref().map(|frame| frame.state_version);
    let newest = plans.chain(leases).chain(frame).fold(status, u32::max);
    if newest > s.manager.state_version { Err(Refusal::NewerState) } else { Ok(()) }
}

/// The highest version on a Lease: of its hold, of what was settled there, and of what it is bound to.
fn lease(reading: &LeaseReading) -> u32 {
    let carried = reading.lease.as_ref().map_or(0, |lease| lease.state_version);
    reading.hold().map_or(carried, |hold| carried.max(hold.state_version))
}

/// Whether everything that is stored in the cluster is of a contract that this manager understands: before it starts, and
/// before every update of the resource types. Each list has to be whole.
///
/// # Errors
/// [`StoredStateError`]: the first object that is newer or malformed, or a kind that was not listed. One bad place is
/// enough, whatever else is empty.
pub fn verify_stored_objects(
    listed: &BTreeMap<StoredKind, Vec<StoredObject>>,
    supported: u32,
) -> Result<(), StoredStateError> {
    for kind in StoredKind::ALL {
        let objects = listed.get(&kind).ok_or(StoredStateError::NotListed(kind))?;
        for object in objects {
            for found in object.versions.iter().copied() {
                verify(kind, &object.name, found, supported)?;
            }
        }
    }
    Ok(())
}

fn verify(kind: StoredKind, name: &str, found: i64, supported: u32) -> Result<(), StoredStateError> {
    let name = name.to_owned();
    if found < 1 {
        return Err(StoredStateError::Malformed { kind, name, found });
    }
    if found > i64::from(supported) {
        return Err(StoredStateError::Newer { kind, name, found, supported });
    }
    Ok(())
}

impl StoredKind {
    /// All of them: each has to be scanned.
    pub const ALL: [Self; 6] =
        [Self::Schema, Self::SchemaPlan, Self::Migration, Self::MigrationPlan, Self::Lease, Self::ResultRecord];
}

impl fmt::Display for StoredKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Schema => "PtahSchema",
            Self::SchemaPlan => "PtahSchemaPlan",
            Self::Migration => "PtahMigration",
            Self::MigrationPlan => "PtahMigrationPlan",
            Self::Lease => "Lease",
            Self::ResultRecord => "PtahResultRecord",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_told_the_kind_by_the_name_that_the_cluster_knows() {
        let told = StoredKind::ALL.map(|kind| StoredStateError::NotListed(kind).to_string());
        let kinds = ["PtahSchema", "PtahSchemaPlan", "PtahMigration", "PtahMigrationPlan", "Lease", "PtahResultRecord"];
        assert_eq!(told, kinds.map(|kind| format!("the {kind} objects were not listed")));
    }
}

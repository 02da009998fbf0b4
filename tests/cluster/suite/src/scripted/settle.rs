//! A settling reading, under the database's lock.

use anyhow::Result;
use ptah_records::operator::latest::{
    Answer, Compared, Failure, LockBusy, MigrationStep, RowsRead, Section, ServerIdentity, SettleBasis, StoredContent,
    TargetIdentity,
};
use ptah_records::operator::text::{Sha256, ShortText};

use super::database::{Database, Objects};
use super::facts::{failure, fingerprint, seen};
use super::plan::staged;
use super::trouble::Trouble;
use super::work::{Ending, Place, silenced};

pub(super) fn settle(
    place: &Place<'_>,
    target: &TargetIdentity,
    basis: &SettleBasis,
    trouble: Option<Trouble>,
) -> Result<Ending> {
    if trouble == Some(Trouble::NoConnection) {
        return place.reports(vec![failed(basis, failure("connect_failed", "The database is not reached.")?)]);
    }
    let identity = place.store.read()?.database.identity();
    if identity.database_identity != target.database_identity {
        return place.reports(vec![failed(basis, failure("wrong_database", "This is another database.")?)]);
    }
    if trouble == Some(Trouble::Busy) {
        return place.reports(vec![busy(identity, "4711")]);
    }
    let session = match place.store.session(place.patience())? {
        Ok(session) => session,
        Err(holder) => return place.reports(vec![busy(identity, &holder)]),
    };
    let session = match silenced(trouble.as_ref(), Some(session)) {
        Ok(ending) => return Ok(ending),
        Err(session) => session,
    };
    if trouble.is_some() {
        return place.reports(vec![failed(basis, failure("read_failed", "The database cannot be read.")?)]);
    }
    let database = place.store.read()?.database;
    let section = match basis {
        SettleBasis::Schema { exclude, desired, .. } => {
            Section::Compare(Answer::Done(compared(place, &database, exclude.as_slice(), desired.as_ref())?))
        }
        SettleBasis::Migration { .. } => Section::Rows(Answer::Done(rows(&database, basis)?)),
    };
    drop(session);
    place.reports(vec![section])
}

fn failed(basis: &SettleBasis, failure: Failure) -> Section {
    match basis {
        SettleBasis::Schema { .. } => Section::Compare(Answer::Failed(failure)),
        SettleBasis::Migration { .. } => Section::Rows(Answer::Failed(failure)),
    }
}

/// The holder of the lock is a process; of a dead one nobody knows how old it is.
fn busy(identity: ServerIdentity, holder: &str) -> Section {
    Section::Busy(LockBusy { identity, holder: ShortText::new(holder).ok(), age_seconds: None })
}

fn compared(
    place: &Place<'_>,
    database: &Database,
    exclude: &[ShortText],
    desired: Option<&StoredContent>,
) -> Result<Compared> {
    let actual = seen(&database.objects, exclude);
    let bytes = desired.map(|content| staged(&place.content, content)).transpose()?.flatten();
    let desired: Option<Objects> = bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose()?;
    Ok(Compared {
        identity: database.identity(),
        state_fingerprint: fingerprint(&actual),
        as_desired: desired.map(|desired| desired == actual),
        runs: database.run_rows()?,
    })
}

fn rows(database: &Database, basis: &SettleBasis) -> Result<RowsRead> {
    let SettleBasis::Migration { planned, applied_rows_digest, .. } = basis else {
        anyhow::bail!("a basis of the other family");
    };
    let planned = planned.as_slice();
    let is_there = |one: &MigrationStep| {
        let mut rows = database.history.iter();
        rows.any(|row| row.version == one.version && row.checksum == one.checksum && !row.dirty)
    };
    let every_planned_applied = planned.iter().all(is_there);
    let older = database.history.iter().filter(|row| !planned.iter().any(|one| one.version == row.version));
    let older = Sha256::from(&Database::digest_of(older));
    Ok(RowsRead {
        identity: database.identity(),
        rows_digest: Sha256::from(&Database::digest_of(database.history.iter())),
        dirty: database.history.iter().any(|row| row.dirty),
        every_planned_applied,
        older_unchanged: older == *applied_rows_digest,
        // What was planned was all that was pending in the artifact.
        nothing_pending: every_planned_applied,
        runs: database.run_rows()?,
    })
}

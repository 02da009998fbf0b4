//! Puts operations together from their rows.

use std::collections::BTreeMap;
use std::str::FromStr;

use ptah_model::{Digest, Fingerprint, OperationId};
use ptah_provider_api::claim::{ClaimsReading, OperationRecord, Proof, RenameRecord, SegmentRecord};
use ptah_provider_api::session::DatabaseIdentity;
use ptah_provider_sdk::Failure;
use rusqlite::{Connection, Row};

use super::tables::{damaged, latest, meta};
use super::text;
use crate::fault::failed;

/// Reads everything that belongs to this database. `limit` is for finished operations.
pub(crate) fn read(connection: &Connection, identity: DatabaseIdentity, limit: u32) -> Result<ClaimsReading, Failure> {
    let mut reading =
        ClaimsReading { identity, latest: 0, operations: Vec::new(), proofs: Vec::new(), renames: Vec::new() };
    let Some(meta) = meta(connection)? else {
        return Ok(reading);
    };
    reading.latest = latest(connection)?;
    reading.operations = operations(connection, &meta.uuid, limit)?;
    reading.proofs = proofs(connection, &meta.uuid)?;
    reading.renames = renames(connection)?;
    Ok(reading)
}

/// Unfinished operations and the newest finished ones, newest first. A run that only proved is no operation.
fn operations(connection: &Connection, uuid: &str, limit: u32) -> Result<Vec<OperationRecord>, Failure> {
    let query = "SELECT operation, plan, phase, segment, segments, transactional, state_before, state_after, outcome,
                        applied, at_us, sequence
                 FROM _ptah_runs WHERE uuid = ?1 AND phase <> 'prove' AND operation IN (
                   SELECT operation FROM _ptah_runs WHERE uuid = ?1 AND phase <> 'prove' GROUP BY operation
                   HAVING sum(phase = 'settle') = 0
                   UNION
                   SELECT operation FROM (SELECT operation, max(sequence) AS last FROM _ptah_runs
                     WHERE uuid = ?1 AND phase <> 'prove' GROUP BY operation HAVING sum(phase = 'settle') > 0 ORDER BY last DESC LIMIT ?2))
                 ORDER BY sequence";
    let mut statement = connection.prepare(query).map_err(failed)?;
    let mut rows = statement.query((uuid, limit)).map_err(failed)?;
    let mut found: BTreeMap<String, (i64, OperationRecord)> = BTreeMap::new();
    while let Some(row) = rows.next().map_err(failed)? {
        add(&mut found, row).map_err(|_| damaged("_ptah_runs"))?;
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|(first, _)| std::cmp::Reverse(*first));
    Ok(found.into_iter().map(|(_, operation)| operation).collect())
}

/// Why a row cannot be used; only that it cannot is told.
struct Unreadable;

impl From<rusqlite::Error> for Unreadable {
    fn from(_: rusqlite::Error) -> Self {
        Self
    }
}

fn parsed<T: FromStr>(text: Option<String>) -> Result<T, Unreadable> {
    text.and_then(|text| text.parse().ok()).ok_or(Unreadable)
}

fn add(found: &mut BTreeMap<String, (i64, OperationRecord)>, row: &Row<'_>) -> Result<(), Unreadable> {
    let name: String = row.get(0)?;
    let phase: String = row.get(2)?;
    let operation = match found.entry(name.clone()) {
        std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
        std::collections::btree_map::Entry::Vacant(entry) => entry.insert((
            row.get(11)?,
            OperationRecord {
                operation: OperationId::new(name).map_err(|_| Unreadable)?,
                plan: parsed::<Digest>(row.get(1)?)?,
                segments: row.get::<_, Option<u32>>(4)?.ok_or(Unreadable)?,
                intents: Vec::new(),
                settled: None,
                at_us: row.get(10)?,
            },
        )),
    };
    let operation = &mut operation.1;
    match phase.as_str() {
        "intend" => {
            let segment: usize = row.get::<_, u32>(3)?.try_into().map_err(|_| Unreadable)?;
            if segment != operation.intents.len() {
                return Err(Unreadable);
            }
            operation.intents.push(SegmentRecord {
                transactional: row.get(5)?,
                before: parsed::<Fingerprint>(row.get(6)?)?,
                after: parsed::<Fingerprint>(row.get(7)?)?,
                outcome: None,
            });
        }
        "outcome" => {
            let segment: usize = row.get::<_, u32>(3)?.try_into().map_err(|_| Unreadable)?;
            let word: String = row.get(8)?;
            let outcome = text::outcome(&word).ok_or(Unreadable)?;
            let record = operation.intents.get_mut(segment).ok_or(Unreadable)?;
            record.outcome = Some((outcome, row.get(9)?));
        }
        "settle" => {
            let word: String = row.get(8)?;
            operation.settled = Some(text::verdict(&word).ok_or(Unreadable)?);
        }
        _ => return Err(Unreadable),
    }
    Ok(())
}

fn proofs(connection: &Connection, uuid: &str) -> Result<Vec<Proof>, Failure> {
    let query = "SELECT sources, settings, state FROM _ptah_proofs WHERE uuid = ?1 ORDER BY sequence DESC";
    let mut statement = connection.prepare(query).map_err(failed)?;
    let rows = statement
        .query_map([uuid], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))
        .map_err(failed)?;
    let mut proofs = Vec::new();
    for row in rows {
        let (sources, settings, state) = row.map_err(failed)?;
        // A proof that cannot be read is one that is not remembered: it is only a shortcut.
        if let (Ok(sources), Ok(settings), Ok(state)) = (sources.parse(), settings.parse(), state.parse()) {
            proofs.push(Proof { sources, settings, state });
        }
    }
    Ok(proofs)
}

fn renames(connection: &Connection) -> Result<Vec<RenameRecord>, Failure> {
    let query = "SELECT kind, owner, from_name, to_name FROM _ptah_renames ORDER BY id";
    let mut statement = connection.prepare(query).map_err(failed)?;
    let rows = statement.query_map([], |row| {
        Ok(RenameRecord { kind: row.get(0)?, owner: row.get(1)?, from: row.get(2)?, to: row.get(3)? })
    });
    rows.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}

//! Runs a rebuild and proves it.

use rusqlite::Connection;

use super::RebuildTable;
use super::verify::{Broken, Violations, count, is_table, row_ids_lost, sequence_of, statistics_of};
use crate::guard::Guard;
use crate::settings::LegacyRenames;
use crate::unit::{UnitFailure, statement};

/// What has to be the same afterwards.
struct Before {
    violations: Violations,
    broken: Broken,
    sequence: Option<i64>,
    statistics: i64,
}

/// Runs the statements in their order, with checks between that only read.
pub(crate) fn run(
    connection: &Connection,
    guard: &Guard,
    payload: &RebuildTable,
    statements: &[String],
) -> Result<(), UnitFailure> {
    let before = guard.as_ours(|| look(connection, payload)).map_err(|stop| stop.failure(guard))?;
    let half = |failure: UnitFailure| UnitFailure { is_half_done: true, ..failure };
    // Or views and triggers that name the table would be rewritten, or stop the rename.
    let legacy = LegacyRenames::on(connection).map_err(|error| UnitFailure::of(&error, guard))?;
    for (place, text) in statements.iter().enumerate() {
        statement(connection, guard, text).map_err(half)?;
        if place == payload.copies {
            let proven = guard.as_ours(|| copied(connection, payload));
            proven.map_err(|stop| half(stop.failure(guard)))?;
        }
    }
    // What works afterwards has to work without it.
    drop(legacy);
    let proven = guard.as_ours(|| after(connection, payload, &before));
    proven.map_err(|stop| half(stop.failure(guard)))
}

/// Why a check could not be made, or what it found.
enum Stop {
    Sqlite(rusqlite::Error),
    Found(String),
}

type Checked<T> = Result<T, Stop>;

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Stop {
    fn failure(self, guard: &Guard) -> UnitFailure {
        match self {
            Self::Sqlite(error) => UnitFailure::of(&error, guard),
            Self::Found(reason) => UnitFailure::ours(reason),
        }
    }
}

/// A check: what it found, unless it holds.
fn unless(holds: bool, found: &str) -> Checked<()> {
    if holds { Ok(()) } else { Err(Stop::Found(found.to_owned())) }
}

fn look(connection: &Connection, payload: &RebuildTable) -> Checked<Before> {
    unless(is_table(connection, &payload.table)?, "the table that is to be rebuilt is not there")?;
    unless(!is_table(connection, &payload.new_table)?, "the name under which the table is to be rebuilt is in use")?;
    Ok(Before {
        violations: Violations::of(connection, &payload.table, &payload.children)?,
        broken: Broken::of(connection)?,
        sequence: sequence_of(connection, &payload.table)?,
        statistics: statistics_of(connection, &payload.table)?,
    })
}

/// Both tables are there and hold the same rows.
fn copied(connection: &Connection, payload: &RebuildTable) -> Checked<()> {
    unless(
        count(connection, &payload.table)? == count(connection, &payload.new_table)?,
        "the copy has another number of rows than the table",
    )?;
    unless(
        !payload.keeps_row_ids || row_ids_lost(connection, &payload.table, &payload.new_table)? == 0,
        "the copy has other row IDs than the table",
    )
}

fn after(connection: &Connection, payload: &RebuildTable, before: &Before) -> Checked<()> {
    unless(
        is_table(connection, &payload.table)? && !is_table(connection, &payload.new_table)?,
        "the statements of the rebuild do not leave the table under its name",
    )?;
    unless(
        !payload.keeps_sequence || sequence_of(connection, &payload.table)? == before.sequence,
        "the next automatic key of the table would not be the one that it was",
    )?;
    unless(
        !payload.keeps_statistics || statistics_of(connection, &payload.table)? == before.statistics,
        "the statistics of the table were not carried over",
    )?;
    let violations = Violations::of(connection, &payload.table, &payload.children)?;
    if let Some(table) = violations.new_since(&before.violations) {
        let found = format!("rows of `{table}` would break a foreign key that they do not break now");
        return Err(Stop::Found(found));
    }
    if let Some(name) = Broken::of(connection)?.new_since(&before.broken) {
        return Err(Stop::Found(format!("`{name}` works now and would not work after the rebuild")));
    }
    Ok(())
}

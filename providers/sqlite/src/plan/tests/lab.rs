//! Two databases in memory, the host's own comparison and order, and the provider's own way to run a unit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use ptah_diff::{Change, ColumnOrder, CompareOptions, compare};
use ptah_model::{EngineName, KindCatalog, Risk, SnapshotId};
use ptah_plan::order::order;
use ptah_plan::request::planned_changes;
use ptah_provider_api::key::SessionId;
use ptah_provider_api::plan::{PlanReply, PlanRequest, PlannedChange, SnapshotRef};
use ptah_provider_api::step::{Step, StepId};
use ptah_provider_sdk::Snapshot as _;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;

use crate::catalogue::{self, SqliteSnapshot};
use crate::guard::{Guard, install};
use crate::settings;
use crate::trace::{self, Traced};
use crate::unit::Work;

/// A database like a target: what `connect` sets for writing is set.
pub(super) struct Lab {
    pub(super) connection: Connection,
    guard: Arc<Guard>,
    /// What SQLite says that it ran since it was looked at last.
    traced: Arc<Mutex<Vec<Traced>>>,
}

/// Why a plan was not run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// Changes were refused: the codes.
    Refused(Vec<String>),
    /// Rows stand against it: the codes of checks, each with its count.
    Rows(Vec<(String, i64)>),
    /// A unit failed.
    Failed(StepId, String),
}

/// A reading of a scratch database.
pub(super) fn declared(sql: &str) -> SqliteSnapshot {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(sql).unwrap();
    catalogue::read(&connection).unwrap()
}

fn options(order: ColumnOrder) -> CompareOptions {
    CompareOptions { column_order: order }
}

/// What differs, by the host's own comparison.
pub(super) fn differences(current: &SqliteSnapshot, desired: &SqliteSnapshot, order: ColumnOrder) -> Vec<Change> {
    let kinds = KindCatalog::new(crate::kinds::models());
    compare(current.schema(), desired.schema(), &kinds, &options(order)).unwrap().changes
}

pub(super) fn request(changes: Vec<PlannedChange>) -> PlanRequest {
    let at =
        |name: &str| SnapshotRef { session: SessionId::new("s").unwrap(), snapshot: SnapshotId::new(name).unwrap() };
    PlanRequest { engine: EngineName::new("sqlite").unwrap(), current: at("c"), desired: at("d"), changes }
}

/// The provider's answer, proven whole, and the same when asked again.
pub(super) fn answer(changes: Vec<PlannedChange>, current: &SqliteSnapshot, desired: &SqliteSnapshot) -> PlanReply {
    let request = request(changes);
    let reply = crate::plan::plan(&request, current, desired).unwrap();
    reply.validate_for(&request).unwrap();
    assert_eq!(reply, crate::plan::plan(&request, current, desired).unwrap(), "same input, other steps");
    reply
}

/// The answer for two schemas.
pub(super) fn planned(current: &str, desired: &str) -> PlanReply {
    let (current, desired) = (declared(current), declared(desired));
    let changes = differences(&current, &desired, ColumnOrder::Ignore);
    answer(planned_changes(&changes), &current, &desired)
}

/// The only step of two schemas.
pub(super) fn only_step(current: &str, desired: &str) -> Step {
    let mut reply = planned(current, desired);
    assert_eq!(reply.refusals, Vec::new());
    assert_eq!(reply.steps.len(), 1, "{:#?}", texts(&reply));
    reply.steps.remove(0)
}

/// `id: statement; statement` of each step.
pub(super) fn texts(reply: &PlanReply) -> Vec<String> {
    reply.steps.iter().map(|step| format!("{}: {}", step.id.0, step.unit.statements().join("; "))).collect()
}

/// The codes of the checks that stop a plan.
pub(super) fn stopped(lab: &Lab, desired: &str) -> Vec<(String, i64)> {
    match lab.become_(desired) {
        Err(Stopped::Rows(codes)) => codes,
        other => panic!("{other:#?}"),
    }
}

pub(super) fn code(code: &str, count: i64) -> (String, i64) {
    (code.to_owned(), count)
}

/// The codes of refusals.
pub(super) fn refused(current: &str, desired: &str) -> Vec<String> {
    planned(current, desired).refusals.into_iter().map(|refusal| refusal.code).collect()
}

impl Lab {
    pub(super) fn new(sql: &str) -> Self {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false).unwrap();
        connection.execute_batch(sql).unwrap();
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).unwrap();
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).unwrap();
        let guard = install(&mut connection, Arc::new(AtomicBool::new(false))).unwrap();
        let traced: Arc<Mutex<Vec<Traced>>> = Arc::default();
        let into = Arc::clone(&traced);
        trace::follow(&mut connection, &guard, move |one| into.lock().unwrap().push(one)).unwrap();
        Self { connection, guard, traced }
    }

    pub(super) fn read(&self) -> SqliteSnapshot {
        catalogue::read(&self.connection).unwrap()
    }

    /// All rows of a query, as text.
    pub(super) fn rows(&self, query: &str) -> Vec<String> {
        let mut statement = self.connection.prepare(query).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let values = (0..columns).map(|at| match row.get_ref(at).unwrap() {
                ValueRef::Null => "NULL".to_owned(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => format!("{number:?}"),
                ValueRef::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
                ValueRef::Blob(bytes) => format!("x'{}'", hex::encode(bytes)),
            });
            found.push(values.collect::<Vec<_>>().join(" "));
        }
        found
    }

    pub(super) fn number(&self, query: &str) -> i64 {
        self.connection.query_row(query, [], |row| row.get(0)).unwrap()
    }

    /// Makes the database what `desired` declares, and proves that nothing differs afterwards.
    pub(super) fn become_(&self, desired: &str) -> Result<PlanReply, Stopped> {
        self.become_in(desired, ColumnOrder::Ignore, false)
    }

    pub(super) fn become_in(&self, desired: &str, order: ColumnOrder, backwards: bool) -> Result<PlanReply, Stopped> {
        let (current, wanted) = (self.read(), declared(desired));
        let changes = differences(&current, &wanted, order);
        let reply = answer(planned_changes(&changes), &current, &wanted);
        self.run(&reply, backwards)?;
        let left = differences(&self.read(), &wanted, order);
        assert_eq!(left, Vec::new(), "differs afterwards; {:#?}", texts(&reply));
        Ok(reply)
    }

    /// Runs steps in the host's order, or in the order that comes as late as the waits permit.
    pub(super) fn run(&self, reply: &PlanReply, backwards: bool) -> Result<(), Stopped> {
        if !reply.refusals.is_empty() {
            return Err(Stopped::Refused(reply.refusals.iter().map(|refusal| refusal.code.clone()).collect()));
        }
        let blocks = order(reply.steps.clone()).unwrap();
        let steps: Vec<Step> = blocks.into_iter().flat_map(|block| block.steps).collect();
        let steps = if backwards { latest_first(&steps) } else { steps };
        // Once before anything runs, as the host does.
        for step in &steps {
            assert!(step.hazards.iter().all(|hazard| hazard.text.len() > 10), "{:?}", step.hazards);
        }
        let offending: Vec<_> = steps.iter().flat_map(|step| self.offending(step)).collect();
        if !offending.is_empty() {
            return Err(Stopped::Rows(offending));
        }
        let needs: BTreeSet<String> = steps.iter().flat_map(|step| step.needs.iter().cloned()).collect();
        settings::make(&self.connection, &needs).unwrap();
        self.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let ran = steps.iter().try_for_each(|step| self.one(step));
        let end = if ran.is_ok() { "COMMIT" } else { "ROLLBACK" };
        if !self.connection.is_autocommit() {
            self.connection.execute_batch(end).unwrap();
        }
        settings::restore(&self.connection);
        ran
    }

    /// The checks of a step that rows stand against.
    pub(super) fn offending(&self, step: &Step) -> Vec<(String, i64)> {
        let counted = step.checks.iter().map(|check| {
            let count: i64 = self.connection.query_row(&check.count, [], |row| row.get(0)).unwrap_or_else(|error| {
                panic!("{}: {}: {error}", step.id.0, check.count);
            });
            if let Some(rows) = &check.rows {
                assert_eq!(self.rows(rows).len(), usize::try_from(count).unwrap(), "{rows}");
            }
            (check.code.clone(), count)
        });
        counted.filter(|(_, count)| *count > 0).collect()
    }

    fn one(&self, step: &Step) -> Result<(), Stopped> {
        assert_eq!(self.offending(step), Vec::new(), "{}", step.id.0);
        let failed = |reason: String| Stopped::Failed(step.id.clone(), reason);
        let work = Work::of(&step.unit).map_err(failed)?;
        self.traced.lock().unwrap().clear();
        let ran = work.run(&self.connection, &self.guard, None);
        self.prove_printed(step, ran.is_ok());
        ran.map_err(|failure| Stopped::Failed(step.id.clone(), failure.reason.to_string()))
    }

    /// SQLite's own trace of a unit is what the plan prints for it, word for word and in its order, or the beginning of
    /// that when it failed. What ran beside it only read.
    fn prove_printed(&self, step: &Step, whole: bool) {
        let traced = std::mem::take(&mut *self.traced.lock().unwrap());
        let (units, ours): (Vec<_>, Vec<_>) = traced.into_iter().partition(|one| one.is_unit);
        let units: Vec<_> = units.into_iter().map(|one| one.text).collect();
        let printed = step.unit.statements();
        let count = if whole { printed.len() } else { units.len().min(printed.len()) };
        assert_eq!(units, printed[..count], "{}", step.id.0);
        let asks = |text: &str| text.starts_with("SELECT ") || (text.starts_with("PRAGMA ") && !text.contains('='));
        let more: Vec<_> = ours.iter().filter(|one| !asks(&one.text)).collect();
        assert!(more.is_empty(), "{}: beside it ran {more:?}", step.id.0);
    }
}

/// A topological order that takes, of all steps that may be next, the one that was planned last.
fn latest_first(steps: &[Step]) -> Vec<Step> {
    let mut left: BTreeMap<usize, &Step> = steps.iter().enumerate().collect();
    let mut done: BTreeSet<&StepId> = BTreeSet::new();
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let ready = left.iter().rev().find(|(_, step)| step.after.iter().all(|after| done.contains(&after.step)));
        let at = *ready.unwrap().0;
        let step = left.remove(&at).unwrap();
        done.insert(&step.id);
        ordered.push(step.clone());
    }
    ordered
}

/// The risk and loss of a step, in short.
pub(super) fn cost(step: &Step) -> String {
    match (step.risk, step.loss) {
        (Risk::Safe, None) => "safe".to_owned(),
        (risk, None) => risk.to_string(),
        (risk, Some(loss)) => format!("{risk}, loses {loss}"),
    }
}

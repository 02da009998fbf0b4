//! A session on a scratch database.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ptah_provider_api::execute::{ExecuteRequest, Outcome, TransactionId};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reason::Reason;
use ptah_provider_api::session::DatabaseIdentity;
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_sdk::{Executed, Failure, Interrupt, SessionFacts};

use super::route::{Known, Route, Space};
use super::transaction::Transaction;
use super::world::World;
use crate::catalogue::SqliteSnapshot;
use crate::fault::precondition;
use crate::parallel::in_parts;
use crate::query;
use crate::sql::ast::ObjectKind;
use crate::sql::cursor::{Cursor, significant};
use crate::target::{capabilities, identifier_rules, settings_digest};
use crate::unit::{UnitFailure, Work};

/// How many units make a thread worth its start, to read what they are about.
const UNITS_OF_WORKER: usize = 200;

/// A session on a scratch database, which ends with it.
#[derive(Debug)]
pub(crate) struct DevSession {
    pub(super) world: World,
    pub(super) transaction: Option<Transaction>,
    pub(super) ended: Vec<(TransactionId, TransactionState)>,
}

impl DevSession {
    pub(super) fn new(world: World) -> Self {
        Self { world, transaction: None, ended: Vec::new() }
    }

    /// What the session states.
    pub(crate) fn facts() -> SessionFacts {
        SessionFacts {
            database: "scratch".to_owned(),
            default_schema: None,
            server_version: rusqlite::version().to_owned(),
            identifier_rules: identifier_rules(),
            features: crate::describe::features(),
            capabilities: capabilities(),
            settings_digest: settings_digest(),
            identity: DatabaseIdentity {
                uuid: None,
                recorded_physical: None,
                physical: "memory".to_owned(),
                route: "memory".to_owned(),
            },
            exists: true,
            notes: Vec::new(),
        }
    }

    /// How another thread stops what runs.
    pub(crate) fn interrupt(&self) -> Interrupt {
        let stopped = Arc::clone(&self.world.stopped);
        Arc::new(move || stopped.store(true, Ordering::Relaxed))
    }

    /// One reading of everything.
    pub(crate) fn inspect(&mut self) -> Result<Arc<SqliteSnapshot>, Failure> {
        self.world.read().map(Arc::new)
    }

    /// Executes units.
    pub(crate) fn execute(&mut self, request: &ExecuteRequest) -> Executed {
        let limit = request.statement_timeout_ms.map(Duration::from_millis);
        let works = match self.understand(request) {
            Ok(works) => works,
            Err(reason) => return answer(Outcome::NotStarted, 0, Reason::or_malformed(reason), None),
        };
        let routes = in_parts(&works, UNITS_OF_WORKER, |part| part.iter().map(route).collect());
        for (applied, (work, route)) in works.iter().zip(routes).enumerate() {
            let Err(failure) = self.run(work, route, limit) else {
                continue;
            };
            let lost = self.world.shards.iter().any(super::shard::Shard::lost_transaction);
            if self.transaction.is_some() && (failure.is_half_done || lost) {
                self.finish(false);
                let told = format!("{}; the whole transaction was rolled back", failure.reason);
                let reason = Reason::or_malformed(told);
                return answer(Outcome::NotApplied, 0, reason, failure.engine_code);
            }
            let outcome = if applied == 0 { Outcome::NotApplied } else { Outcome::Partial };
            return answer(outcome, applied, failure.reason, failure.engine_code);
        }
        Executed {
            outcome: Outcome::Applied,
            applied: u32::try_from(works.len()).unwrap_or(u32::MAX),
            diagnostic: None,
            engine_code: None,
        }
    }

    fn understand<'a>(&self, request: &'a ExecuteRequest) -> Result<Vec<Work<'a>>, String> {
        match (&request.transaction, &self.transaction) {
            (Some(wanted), Some(open)) if *wanted == open.id => {}
            (Some(_), _) => return Err("the session has no such open transaction".to_owned()),
            (None, Some(_)) => return Err("the session has an open transaction".to_owned()),
            (None, None) => {}
        }
        let settings = self.transaction.as_ref().map(|open| &open.settings);
        let works = request.units.iter().map(|unit| {
            let work = Work::of(unit)?;
            if work.needs_transaction() && request.transaction.is_none() {
                return Err("a rebuild runs only inside a transaction".to_owned());
            }
            match work.lacks(settings) {
                None => Ok(work),
                Some(setting) => {
                    Err(format!("a unit needs the setting `{setting}`, which the transaction was begun without"))
                }
            }
        });
        works.collect()
    }

    fn run(
        &mut self,
        work: &Work<'_>,
        route: Result<Route, String>,
        limit: Option<Duration>,
    ) -> Result<(), UnitFailure> {
        match route.map_err(UnitFailure::ours)? {
            Route::Create { known, if_not_exists: true, .. } if self.world.get(&known.key).is_some() => Ok(()),
            Route::Create { known, calls_functions, .. } => self.create(work, known, calls_functions, limit),
            Route::Change(names) => self.change(work, &names, limit),
        }
    }

    fn create(
        &mut self,
        work: &Work<'_>,
        known: Known,
        calls_functions: bool,
        limit: Option<Duration>,
    ) -> Result<(), UnitFailure> {
        // Shards do not see each other, so the question that SQLite would ask is asked here.
        if self.world.get(&known.key).is_some() {
            return Err(UnitFailure::exists());
        }
        // Views that waited for it bring everything else that they read.
        let is_read = known.kind == ObjectKind::View || self.is_waited_for(&known);
        let shard = self.shard_for(&known).map_err(rearranging)?;
        self.world.begin_in(shard).map_err(rearranging)?;
        self.world.shards[shard].run(work, calls_functions, limit)?;
        if known.kind == ObjectKind::VirtualTable {
            // A module makes tables of its own.
            return self.world.refresh(shard).map_err(rearranging);
        }
        let Work::Statement(text) = work else {
            return Err(UnitFailure::ours("an operation makes no object by itself"));
        };
        let stored_text = text.trim().trim_end_matches(';').trim_end().to_owned();
        self.world.put(known, stored_text, Some(shard), None);
        if is_read {
            self.world.invite(shard).map_err(rearranging)?;
        }
        Ok(())
    }

    /// Whether a view named it before it was there.
    fn is_waited_for(&self, known: &Known) -> bool {
        self.world.mentioning(&known.key.1).any(|piece| piece.known.kind == ObjectKind::View)
    }

    /// Where a new object goes: to its table, to what it reads, or where there is room.
    fn shard_for(&mut self, known: &Known) -> Result<usize, Failure> {
        if let Some(owner) = &known.owner {
            let whole = self.world.whole(owner);
            return if whole.is_empty() { self.world.roomy_shard() } else { self.world.gather(&whole) };
        }
        // Views that named it before it was there can be read from now on.
        let waiting: BTreeSet<String> = self
            .world
            .mentioning(&known.key.1)
            .filter(|piece| piece.known.kind == ObjectKind::View)
            .map(|piece| piece.known.key.1.clone())
            .collect();
        if !waiting.is_empty() {
            let touched = self.world.touched_by(&waiting);
            let shard = self.world.gather(&touched)?;
            self.world.reread_views_of(shard);
            return Ok(shard);
        }
        if known.kind == ObjectKind::View {
            let homes = known.mentions.iter().filter_map(|name| self.world.table_or_view(name));
            let homes: BTreeSet<Option<usize>> = homes.map(|piece| piece.home).collect();
            if let (1, Some(Some(only))) = (homes.len(), homes.first()) {
                return Ok(*only);
            }
        }
        self.world.roomy_shard()
    }

    fn change(
        &mut self,
        work: &Work<'_>,
        names: &BTreeSet<String>,
        limit: Option<Duration>,
    ) -> Result<(), UnitFailure> {
        let touched = self.world.touched_by(names);
        let shard = self.world.gather(&touched).map_err(rearranging)?;
        self.world.begin_in(shard).map_err(rearranging)?;
        self.world.invite(shard).map_err(rearranging)?;
        self.world.shards[shard].run(work, true, limit)?;
        self.world.refresh(shard).map_err(rearranging)?;
        self.world.reread_views_of(shard);
        self.world.send_guests_home(shard, &touched).map_err(rearranging)
    }

    /// Runs a read-only query where the tables that it names are.
    pub(crate) fn query_rows(&mut self, request: &QueryRowsRequest) -> Result<QueryRowsReply, Failure> {
        let tokens = significant(&request.query).map_err(|_| precondition("the query cannot be read"))?;
        let names = super::route::names_in(&Cursor::new(&request.query, &tokens));
        let known = names.iter().filter_map(|name| self.world.get(&(Space::Main, name.clone())));
        let keys = known.map(|piece| piece.known.key.clone()).collect();
        let shard = self.world.gather(&keys)?;
        query::run(self.world.shards[shard].connection(), &request.query, request.limit)
    }
}

/// What a unit is about.
fn route(work: &Work<'_>) -> Result<Route, String> {
    match work {
        Work::Statement(text) => Route::of(text),
        Work::Rebuild(payload, statements) => {
            let mut names: BTreeSet<String> = BTreeSet::from([crate::sql::name::fold(&payload.table)]);
            // Indexes and triggers are made again by statements of the rebuild itself; a body may name anything.
            for text in *statements {
                if let Ok(tokens) = significant(text) {
                    names.extend(super::route::names_in(&Cursor::new(text, &tokens)));
                }
            }
            Ok(Route::Change(names))
        }
    }
}

fn rearranging(failure: Failure) -> UnitFailure {
    let reason = failure
        .reason
        .map_or_else(|| "the scratch database could not be rearranged".to_owned(), |reason| reason.as_str().to_owned());
    UnitFailure::ours(reason)
}

fn answer(outcome: Outcome, applied: usize, reason: Reason, engine_code: Option<String>) -> Executed {
    Executed { outcome, applied: u32::try_from(applied).unwrap_or(u32::MAX), diagnostic: Some(reason), engine_code }
}

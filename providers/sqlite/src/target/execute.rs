//! Executes units in their order, stops at the first that fails, and says the truth about what is there.

use std::time::Duration;

use ptah_provider_api::execute::{ExecuteRequest, Outcome};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reason::Reason;
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_sdk::{Executed, Failure};

use super::TargetSession;
use crate::fault::precondition;
use crate::query;
use crate::settings;
use crate::unit::{UnitFailure, Work};

impl TargetSession {
    /// Executes units.
    pub(crate) fn execute(&mut self, request: &ExecuteRequest) -> Result<Executed, Failure> {
        let works = match self.understand(request) {
            Ok(works) => works,
            Err(reason) => return Ok(not_started(reason)),
        };
        let limit = request.statement_timeout_ms.map(Duration::from_millis);
        let open = self.writable()?;
        let (connection, guard) = (&open.connected.connection, &open.connected.guard);
        // The wait for others before a statement that stands alone; inside a transaction nobody else is in the way.
        let _ = connection.busy_timeout(self.patience);
        for (applied, work) in works.iter().enumerate() {
            if let Err(failure) = work.run(connection, guard, limit) {
                let in_transaction = request.transaction.is_some();
                return Ok(self.stopped(applied, failure, in_transaction));
            }
        }
        Ok(Executed { outcome: Outcome::Applied, applied: count(works.len()), diagnostic: None, engine_code: None })
    }

    /// Everything that can be said before anything is sent.
    fn understand<'a>(&self, request: &'a ExecuteRequest) -> Result<Vec<Work<'a>>, String> {
        match &request.transaction {
            Some(id) if self.transaction.is_open(id) => {}
            Some(id) => {
                return Err(match self.transaction.how_it_ended(id) {
                    Some(TransactionState::RolledBack) => "the transaction was rolled back".to_owned(),
                    Some(_) => "the transaction has ended".to_owned(),
                    None => "the session has no such transaction".to_owned(),
                });
            }
            None if self.transaction.any_open() => return Err("the session has an open transaction".to_owned()),
            None => {}
        }
        let settings = self.transaction.settings();
        let mut works = Vec::with_capacity(request.units.len());
        for unit in &request.units {
            let work = Work::of(unit)?;
            if work.needs_transaction() && request.transaction.is_none() {
                return Err("a rebuild runs only inside a transaction".to_owned());
            }
            if let Some(setting) = work.lacks(settings) {
                return Err(format!("a unit needs the setting `{setting}`, which the transaction was begun without"));
            }
            works.push(work);
        }
        Ok(works)
    }

    /// What is there after a unit failed.
    fn stopped(&mut self, applied: usize, failure: UnitFailure, in_transaction: bool) -> Executed {
        let UnitFailure { reason, engine_code, is_io, is_half_done } = failure;
        let outcome = if in_transaction {
            self.stopped_in_transaction(applied, is_half_done)
        } else if is_io {
            // The statement committed by itself or did not; what came before it did.
            Some(Outcome::Unknown)
        } else {
            Some(prefix(applied))
        };
        let (outcome, applied, reason) = if let Some(outcome) = outcome {
            (outcome, applied, reason)
        } else {
            let told = format!("{reason}; the whole transaction was rolled back");
            (Outcome::NotApplied, 0, Reason::or_malformed(told))
        };
        Executed { outcome, applied: count(applied), diagnostic: Some(reason), engine_code }
    }

    /// `None`: the transaction is gone, and everything in it.
    fn stopped_in_transaction(&mut self, applied: usize, is_half_done: bool) -> Option<Outcome> {
        let connection = &self.writable().ok()?.connected.connection;
        if is_half_done && !connection.is_autocommit() {
            // Some statements of the operation ran: no prefix of units describes that, so all of it goes.
            let _ = connection.execute_batch("ROLLBACK");
        }
        if !connection.is_autocommit() {
            return Some(if is_half_done { Outcome::Unknown } else { prefix(applied) });
        }
        settings::restore(connection);
        self.latest = None;
        self.transaction.end(TransactionState::RolledBack);
        None
    }

    /// Runs a read-only query.
    pub(crate) fn query_rows(&mut self, request: &QueryRowsRequest) -> Result<QueryRowsReply, Failure> {
        match &request.transaction {
            Some(id) if !self.transaction.is_open(id) => return Err(precondition("the transaction is not open")),
            None if self.transaction.any_open() => return Err(precondition("the session has an open transaction")),
            _ => {}
        }
        if self.open.is_none() {
            return Err(precondition("the database does not exist"));
        }
        let patience = self.patience;
        self.read(patience, |connection| query::run(connection, &request.query, request.limit))
    }
}

/// What is known when a unit failed without a trace after `applied` others.
fn prefix(applied: usize) -> Outcome {
    if applied == 0 { Outcome::NotApplied } else { Outcome::Partial }
}

fn not_started(reason: String) -> Executed {
    Executed {
        outcome: Outcome::NotStarted,
        applied: 0,
        diagnostic: Some(Reason::or_malformed(reason)),
        engine_code: None,
    }
}

/// At most 1,000 units are in a request.
fn count(units: usize) -> u32 {
    u32::try_from(units).unwrap_or(u32::MAX)
}

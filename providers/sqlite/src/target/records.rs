//! Claims, adoption and forgetting: what is written for Ptah itself, each in a transaction that commits alone unless
//! the request names the one that is open.

use std::convert::Infallible;

use ptah_provider_api::claim::{AdoptRequest, ClaimRequest, ClaimState, ClaimsReading};
use ptah_provider_api::reason::Reason;
use ptah_provider_api::session::DatabaseIdentity;
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_sdk::{Failure, FailureCode, error_with_reason};
use rusqlite::Connection;

use super::reading::schema_version;
use super::transaction::{begin_to_write, commit_within};
use super::{Known, TargetSession};
use crate::claims::{self, Recorded};
use crate::connect::Patience;
use crate::fault::{Fault, precondition};

type Claimed = (ClaimState, u64, Option<Reason>);

impl TargetSession {
    /// Records one phase of an operation.
    pub(crate) fn claim(&mut self, request: &ClaimRequest) -> Result<Claimed, Failure> {
        self.need_lock()?;
        if let Some(wanted) = &request.transaction {
            if !self.transaction.is_open(wanted) {
                return Ok(not_written("the transaction that the row belongs to is not open"));
            }
            let connection = &self.writable()?.connected.connection;
            let meta = claims::meta(connection)?;
            return Ok(match claims::record(connection, request, meta, &self.physical()) {
                Ok(recorded) => answer(recorded),
                Err(error) => not_written(Fault::of(&error).sentence),
            });
        }
        if self.transaction.any_open() {
            return Ok(not_written("a transaction is open, and the row has to commit alone"));
        }
        self.claim_alone(request)
    }

    fn claim_alone(&mut self, request: &ClaimRequest) -> Result<Claimed, Failure> {
        let physical = self.physical();
        let written = self.write_alone(|connection| {
            let meta = claims::meta(connection)?;
            match claims::record(connection, request, meta, &physical) {
                Ok(recorded) if recorded.sequence > 0 => Ok(Ok(recorded)),
                Ok(refused) => Ok(Err(answer(refused))),
                Err(error) => Ok(Err(not_written(Fault::of(&error).sentence))),
            }
        })?;
        Ok(match written {
            Written::Committed(recorded) => answer(recorded),
            Written::Refused(answer) => answer,
            Written::NotBegun(fault) => not_written(fault.sentence),
            Written::RolledBack(fault) => not_written(fault.map_or("it could not be committed", |f| f.sentence)),
            Written::Unknown(fault) => {
                let why = fault.map_or("nobody knows whether it was committed", |f| f.sentence);
                (ClaimState::Unknown, 0, Some(Reason::or_malformed(why)))
            }
        })
    }

    /// Making our tables changes the number that SQLite gives the schema, and not the schema: a reading that was
    /// current before is current after.
    fn carry_reading_over(&mut self, before: i64, after: i64) {
        if let Some((version, _)) = &mut self.latest
            && *version == before
        {
            *version = after;
        }
    }

    /// Reads what the database remembers.
    pub(crate) fn read_claims(&mut self, limit: u32) -> Result<ClaimsReading, Failure> {
        if self.open.is_none() {
            return Ok(ClaimsReading {
                identity: self.identity(Known::Absent),
                latest: 0,
                operations: Vec::new(),
                proofs: Vec::new(),
                renames: Vec::new(),
            });
        }
        let unread = self.identity(Known::Absent);
        let (known, mut reading) = self.read(self.patience, |connection| {
            Ok((Known::read(connection)?, claims::read(connection, unread.clone(), limit)?))
        })?;
        reading.identity = self.identity(known);
        Ok(reading)
    }

    /// Records what a moved or copied database is.
    pub(crate) fn adopt(&mut self, request: &AdoptRequest) -> Result<DatabaseIdentity, Failure> {
        let physical = self.physical();
        let meta = self.must_write(|connection| claims::adopt(connection, request, &physical))?;
        Ok(self.identity(Known::Recorded(meta)))
    }

    /// Takes away everything of ours.
    pub(crate) fn forget(&mut self) -> Result<(), Failure> {
        self.must_write(claims::forget)
    }

    /// Writes, or fails.
    fn must_write<T>(&mut self, write: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let unknown = "nobody knows whether it was committed";
        match self.write_alone(|connection| write(connection).map(Ok::<T, Infallible>))? {
            Written::Committed(result) => Ok(result),
            Written::Refused(never) => match never {},
            Written::NotBegun(fault) | Written::RolledBack(Some(fault)) => Err(fault.failure()),
            Written::RolledBack(None) => Err(precondition("it could not be committed")),
            Written::Unknown(None) => Err(error_with_reason(FailureCode::Unknown, unknown)),
            Written::Unknown(Some(fault)) => {
                Err(error_with_reason(FailureCode::Unknown, format!("{unknown}: {}", fault.sentence)))
            }
        }
    }

    /// Runs something in a transaction of its own, under the lock. Whatever is not committed is rolled back.
    fn write_alone<T, R>(
        &mut self,
        write: impl FnOnce(&Connection) -> Result<Result<T, R>, Failure>,
    ) -> Result<Written<T, R>, Failure> {
        self.need_lock()?;
        if self.transaction.any_open() {
            return Err(precondition("a transaction is open"));
        }
        let patience = Patience::of(self.patience);
        let open = self.writable()?;
        let (connection, stopped) = (&open.connected.connection, &open.connected.guard.stopped);
        if let Err(error) = begin_to_write(connection, &patience) {
            return Ok(Written::NotBegun(Fault::of(&error)));
        }
        let versions = || -> Result<(Result<T, R>, i64, i64), Failure> {
            let before = schema_version(connection)?;
            let result = write(connection)?;
            Ok((result, before, schema_version(connection)?))
        };
        let (result, before, after) = versions().inspect_err(|_| roll_back(connection))?;
        let result = match result {
            Ok(result) => result,
            Err(refused) => {
                roll_back(connection);
                return Ok(Written::Refused(refused));
            }
        };
        Ok(match commit_within(connection, &patience, stopped) {
            (TransactionState::Committed, _) => {
                self.carry_reading_over(before, after);
                Written::Committed(result)
            }
            (TransactionState::RolledBack, fault) => Written::RolledBack(fault),
            (_, fault) => Written::Unknown(fault),
        })
    }
}

/// What became of a transaction of our own.
enum Written<T, R> {
    Committed(T),
    /// What was to be written refused to be, and nothing was.
    Refused(R),
    NotBegun(Fault),
    RolledBack(Option<Fault>),
    Unknown(Option<Fault>),
}

fn answer(recorded: Recorded) -> Claimed {
    let Recorded { state, sequence, reason } = recorded;
    (state, sequence, reason.map(Reason::or_malformed))
}

fn not_written(why: &str) -> Claimed {
    (ClaimState::NotWritten, 0, Some(Reason::or_malformed(why)))
}

/// After a failure; a transaction that SQLite ended by itself has nothing left to roll back.
fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
}

//! What a session does, call by call, on its own thread. Each answers what is known, and never more.

use std::sync::Arc;
use std::time::Duration;

use ptah_provider_api::claim::{AdoptReply, AdoptRequest, ClaimReceipt, ClaimRequest, ClaimState, ClaimsReading};
use ptah_provider_api::claim::{ForgetReply, ForgetRequest, ReadClaimsRequest};
use ptah_provider_api::execute::{ExecuteReply, ExecuteRequest, Outcome, TransactionId, is_engine_code};
use ptah_provider_api::key::Key;
use ptah_provider_api::lock::{LockCall, LockReceipt, LockRequest, LockState};
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::reason::Reason;
use ptah_provider_api::session::Purpose;
use ptah_provider_api::transaction::{BeginRequest, EndRequest, TransactionReceipt, TransactionState};

use super::actor::{Actor, reason_of};
use super::locks::Attempted;
use crate::engine::{Began, Ended, EngineSession, Executed, LockAttempt};
use crate::failure::Failure;
use crate::status::{broken, not_found, precondition};

const NOT_OPEN: &str = "the transaction is not open on the session";
const READ_ONLY: &str = "the session was opened only to read";

impl<S: EngineSession> Actor<S> {
    /// Whether something may be changed, in a transaction that is open or outside one.
    fn may_change(&mut self, transaction: Option<&TransactionId>) -> Result<(), Reason> {
        if self.shared.purpose == Purpose::Read {
            return Err(Reason::or_malformed(READ_ONLY));
        }
        self.standing()?;
        if self.transactions.allow(transaction) { Ok(()) } else { Err(Reason::or_malformed(NOT_OPEN)) }
    }

    /// Reads the catalogue.
    pub(crate) fn inspect(&mut self, lock_timeout: Duration) -> Result<Arc<S::Snapshot>, Failure> {
        self.ready_or_fail()?;
        self.session.inspect(lock_timeout)
    }

    /// Asks the rows.
    pub(crate) fn query_rows(&mut self, asked: &QueryRowsRequest) -> Result<QueryRowsReply, Failure> {
        self.ready_or_fail()?;
        if !self.transactions.allow(asked.transaction.as_ref()) {
            return Err(precondition(NOT_OPEN));
        }
        let reply = self.session.query_rows(asked)?;
        reply.validate_for(asked).map_err(broken)?;
        Ok(reply)
    }

    /// Executes units.
    pub(crate) fn execute(&mut self, asked: &ExecuteRequest) -> Result<ExecuteReply, Failure> {
        let reply = |executed: Executed| {
            let Executed { outcome, applied, diagnostic, engine_code } = executed;
            let failed = outcome != Outcome::Applied;
            ExecuteReply {
                key: asked.key.clone(),
                outcome,
                applied_count: applied,
                diagnostic: diagnostic.filter(|_| failed).map(|r| r.as_str().to_owned()),
                engine_code: engine_code.filter(|code| failed && is_engine_code(code)),
            }
        };
        if let Err(why) = self.may_change(asked.transaction.as_ref()) {
            let outcome = Outcome::NotStarted;
            return Ok(reply(Executed { outcome, applied: 0, diagnostic: Some(why), engine_code: None }));
        }
        let reply = reply(self.session.execute(asked)?);
        self.prove(reply.validate_for(asked))?;
        Ok(reply)
    }

    /// Begins a transaction.
    pub(crate) fn begin(&mut self, asked: &BeginRequest) -> Result<TransactionReceipt, Failure> {
        let mut may = self.may_change(None);
        if may.is_ok() && self.transactions.any_open() {
            may = Err(Reason::or_malformed("another transaction is open on the session"));
        }
        let began = match may {
            Ok(()) => self.session.begin(asked)?,
            Err(why) => {
                let state = TransactionState::NotStarted;
                Began { state, transaction: None, found_state: None, diagnostic: Some(why) }
            }
        };
        let Began { state, transaction, found_state, diagnostic } = began;
        let begun = state == TransactionState::Begun;
        let receipt = TransactionReceipt {
            key: asked.key.clone(),
            transaction: transaction.unwrap_or_else(|| TransactionId(String::new())),
            state,
            found_state: found_state.filter(|_| state == TransactionState::StateChanged),
            diagnostic: diagnostic.filter(|_| !begun).map(|r| r.as_str().to_owned()),
        };
        self.prove(receipt.validate_for_begin(asked))?;
        if begun {
            self.transactions.begun(receipt.transaction.clone());
        }
        Ok(receipt)
    }

    /// Commits; with a lock lost, rolls back and says so.
    pub(crate) fn commit(&mut self, asked: &EndRequest) -> Result<TransactionReceipt, Failure> {
        if let Some(state) = self.known_end(asked)? {
            return Ok(end_receipt(asked, state, None));
        }
        let Err(why) = self.standing() else {
            let wait = Duration::from_millis(asked.lock_timeout_ms);
            let ended = self.session.commit(&asked.transaction, wait);
            return self.ended(asked, ended);
        };
        let state = match self.session.rollback(&asked.transaction) {
            Ok(Ended { state: TransactionState::RolledBack, .. }) => TransactionState::RolledBack,
            Ok(_) | Err(_) => TransactionState::Unknown,
        };
        self.ended(asked, Ok(Ended { state, diagnostic: Some(why) }))
    }

    /// Rolls back, on a fenced session too.
    pub(crate) fn rollback(&mut self, asked: &EndRequest) -> Result<TransactionReceipt, Failure> {
        let known = self.known_end(asked)?;
        // One whose end is unknown is tried again: what is rolled back twice is rolled back.
        if let Some(state) = known.filter(|state| *state != TransactionState::Unknown) {
            return Ok(end_receipt(asked, state, None));
        }
        let ended = self.session.rollback(&asked.transaction);
        self.ended(asked, ended)
    }

    /// How a transaction ended; `None` for the open one. One that never was is not found.
    fn known_end(&self, asked: &EndRequest) -> Result<Option<TransactionState>, Failure> {
        let end = self.transactions.end(&asked.transaction);
        if end.is_none() && !self.transactions.is_open(&asked.transaction) {
            return Err(not_found(NOT_OPEN));
        }
        Ok(end)
    }

    /// Remembers how a transaction ended. One whose end failed may have ended either way.
    fn ended(&mut self, asked: &EndRequest, ended: Result<Ended, Failure>) -> Result<TransactionReceipt, Failure> {
        let state = ended.as_ref().map_or(TransactionState::Unknown, |e| e.state);
        self.transactions.ended(asked.transaction.clone(), state);
        let Ended { state, diagnostic } = ended?;
        let receipt = end_receipt(asked, state, diagnostic);
        self.prove(receipt.validate_for_end(asked))?;
        Ok(receipt)
    }

    /// Records one phase of an operation.
    pub(crate) fn claim(&mut self, asked: &ClaimRequest) -> Result<ClaimReceipt, Failure> {
        let (state, sequence, diagnostic) = match self.may_change(asked.transaction.as_ref()) {
            Ok(()) => self.session.claim(asked)?,
            Err(why) => (ClaimState::NotWritten, 0, Some(why)),
        };
        let failed = !matches!(state, ClaimState::Intended | ClaimState::Recorded);
        let diagnostic = diagnostic.filter(|_| failed).map(|r| r.as_str().to_owned());
        let receipt = ClaimReceipt { key: asked.key.clone(), state, sequence, diagnostic };
        self.prove(receipt.validate_for(asked))?;
        Ok(receipt)
    }

    /// Reads what the database remembers.
    pub(crate) fn read_claims(&mut self, asked: &ReadClaimsRequest) -> Result<ClaimsReading, Failure> {
        self.ready_or_fail()?;
        let reading = self.session.read_claims(asked.limit)?;
        reading.validate_for(asked).map_err(broken)?;
        Ok(reading)
    }

    /// Records what a moved or copied database is.
    pub(crate) fn adopt(&mut self, asked: &AdoptRequest) -> Result<AdoptReply, Failure> {
        self.may_change(None).map_err(|why| precondition(why.as_str()))?;
        let identity = self.session.adopt(asked)?;
        let reply = AdoptReply { key: asked.key.clone(), identity };
        self.prove(reply.validate_for(asked))?;
        Ok(reply)
    }

    /// Takes away everything of ours.
    pub(crate) fn forget(&mut self, asked: &ForgetRequest) -> Result<ForgetReply, Failure> {
        self.may_change(None).map_err(|why| precondition(why.as_str()))?;
        self.session.forget()?;
        Ok(ForgetReply { key: asked.key.clone() })
    }

    /// Makes the attempt that was asked for, unless it was released in the meantime.
    pub(crate) fn try_lock(&mut self, asked: &LockRequest) -> Result<LockReceipt, Failure> {
        let Key { scope, request: id, .. } = &asked.key;
        let wanted = { self.shared.locks().wanted(id) };
        let attempt = match self.ready() {
            Err(why) => LockAttempt::Lost(Some(why)),
            Ok(()) if !wanted => LockAttempt::Lost(None),
            Ok(()) => self.attempt(asked),
        };
        let attempted = { self.shared.locks().attempted(id, attempt) };
        let (state, why) = match attempted {
            Attempted::Answer(state, why) => (state, why),
            Attempted::Undo => {
                // It was won after its release: whether giving it back works or not, nothing may rest on it.
                drop(self.session.release_lock(scope, id));
                (LockState::Lost, None)
            }
        };
        lock_receipt(asked, state, why, LockCall::Try)
    }

    /// One attempt. What came of one that failed is unclear: it is undone, and nothing rests on it.
    fn attempt(&mut self, asked: &LockRequest) -> LockAttempt {
        let Key { scope, request: id, .. } = &asked.key;
        self.session.try_lock(scope, id).unwrap_or_else(|failure| {
            drop(self.session.release_lock(scope, id));
            LockAttempt::Lost(reason_of(failure))
        })
    }

    /// The first answer to a lock ID that comes again.
    pub(crate) fn first_answer(&mut self, asked: &LockRequest) -> Result<LockReceipt, Failure> {
        let (state, why) = { self.shared.locks().first_answer(&asked.key.request) };
        lock_receipt(asked, state, why, LockCall::Try)
    }

    /// Proves that a lock is held now, or that it is lost.
    pub(crate) fn check_lock(&mut self, asked: &LockRequest) -> Result<LockReceipt, Failure> {
        let Key { scope, request: id, .. } = &asked.key;
        let known = { self.shared.locks().is_held(id, scope) };
        if !known {
            return lock_receipt(asked, LockState::Lost, None, LockCall::Check);
        }
        match self.session.check_lock(scope, id) {
            Ok(true) => lock_receipt(asked, LockState::Acquired, None, LockCall::Check),
            Ok(false) => self.found_lost(asked, None, LockCall::Check),
            Err(failure) => self.found_lost(asked, reason_of(failure), LockCall::Check),
        }
    }

    /// Gives a lock back. What was pending when the release came has been undone by now.
    pub(crate) fn release_lock(&mut self, asked: &LockRequest) -> Result<LockReceipt, Failure> {
        let Key { scope, request: id, .. } = &asked.key;
        let held = { self.shared.locks().is_held(id, scope) };
        if !held {
            return lock_receipt(asked, LockState::Released, None, LockCall::Release);
        }
        match self.session.release_lock(scope, id) {
            Ok(true) => {
                self.shared.locks().released(id);
                lock_receipt(asked, LockState::Released, None, LockCall::Release)
            }
            Ok(false) => self.found_lost(asked, None, LockCall::Release),
            Err(failure) => self.found_lost(asked, reason_of(failure), LockCall::Release),
        }
    }

    fn found_lost(&mut self, asked: &LockRequest, why: Option<Reason>, call: LockCall) -> Result<LockReceipt, Failure> {
        self.lost_lock(&asked.key.request, why.clone());
        lock_receipt(asked, LockState::Lost, why, call)
    }
}

/// The receipt of an end.
fn end_receipt(asked: &EndRequest, state: TransactionState, diagnostic: Option<Reason>) -> TransactionReceipt {
    let failed = state != TransactionState::Committed;
    TransactionReceipt {
        key: asked.key.clone(),
        transaction: asked.transaction.clone(),
        state,
        found_state: None,
        diagnostic: diagnostic.filter(|_| failed).map(|r| r.as_str().to_owned()),
    }
}

/// The receipt of a lock request.
pub(crate) fn lock_receipt(
    asked: &LockRequest,
    state: LockState,
    why: Option<Reason>,
    call: LockCall,
) -> Result<LockReceipt, Failure> {
    let diagnostic = why.map(|r| r.as_str().to_owned());
    let receipt = LockReceipt { key: asked.key.clone(), state, diagnostic };
    receipt.validate_for(asked, call).map_err(broken)?;
    Ok(receipt)
}

//! The owner of a connection: what it may still do, and the check of the locks that guard it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ptah_provider_api::Violation;
use ptah_provider_api::key::RequestId;
use ptah_provider_api::reason::Reason;

use super::Shared;
use super::transactions::Transactions;
use crate::engine::EngineSession;
use crate::failure::{Failure, FailureCode};
use crate::status::{broken, panicked, precondition};

/// Why a session does nothing any more but release, roll back and close.
const LOST: &str = "a lock that guards the session was lost";
const BROKEN: &str = "the provider failed in an earlier call on the session";
const CLOSING: &str = "the session is being closed";

/// What lives on a session's thread.
pub(crate) struct Actor<S: EngineSession> {
    pub(crate) session: S,
    pub(crate) shared: Arc<Shared<S>>,
    pub(crate) transactions: Transactions,
    /// Set once and for good.
    fenced: Option<&'static str>,
}

/// Runs engine code; a panic is a failure, and the process goes on.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked()))
}

impl<S: EngineSession> Actor<S> {
    pub(super) fn new(session: S, shared: Arc<Shared<S>>) -> Self {
        Self { session, shared, transactions: Transactions::default(), fenced: None }
    }

    /// Runs one piece of work. After a panic nobody knows what the engine's state is, so the session is fenced.
    pub(super) fn run<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|_| {
            self.fence(BROKEN);
            Err(panicked())
        })
    }

    /// Ends the connection. The engine rolls back and releases.
    pub(super) fn close(self) {
        let session = self.session;
        drop(caught(|| {
            session.close();
            Ok(())
        }));
    }

    fn fence(&mut self, why: &'static str) {
        self.fenced.get_or_insert(why);
    }

    /// Whether work of any kind may begin.
    pub(crate) fn ready(&self) -> Result<(), Reason> {
        let closing = self.shared.is_closing().then_some(CLOSING);
        closing.or(self.fenced).map_or(Ok(()), |why| Err(Reason::or_malformed(why)))
    }

    /// Whether work of any kind may begin, as a failed call.
    pub(crate) fn ready_or_fail(&self) -> Result<(), Failure> {
        self.ready().map_err(|why| precondition(why.as_str()))
    }

    /// Whether something may be changed: the session is ready, and the server says that every lock which guards it is
    /// held now. Asked right before every effect.
    pub(crate) fn standing(&mut self) -> Result<(), Reason> {
        self.ready()?;
        let guards = self.shared.locks().held();
        for (id, scope) in guards {
            let held = self.session.check_lock(&scope, &id);
            if !matches!(held, Ok(true)) {
                self.lost_lock(&id, held.err().and_then(|f| f.reason));
            }
        }
        self.ready()
    }

    /// A held lock is gone: the session is fenced for good.
    pub(crate) fn lost_lock(&mut self, id: &RequestId, why: Option<Reason>) {
        self.shared.locks().lost(id, why);
        self.fence(LOST);
    }

    /// Refuses a reply that breaks the contract. Whoever makes one cannot be trusted with the next change.
    pub(crate) fn prove(&mut self, proof: Result<(), Violation>) -> Result<(), Failure> {
        proof.map_err(|violation| {
            self.fence(BROKEN);
            broken(violation)
        })
    }
}

/// The reason of a failure, for a receipt that says what is known instead of failing.
pub(crate) fn reason_of(failure: Failure) -> Option<Reason> {
    let Failure { code, reason } = failure;
    reason.or_else(|| (code == FailureCode::Unavailable).then(|| Reason::or_malformed("the server cannot be reached")))
}

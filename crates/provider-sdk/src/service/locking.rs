//! The three calls about locks: the table says at once what a request means, and the session's thread does the rest.

use ptah_provider_api::lock::{LockCall, LockReceipt, LockRequest, LockState};
use ptah_provider_api::session::Purpose;
use ptah_provider_wire::pb;
use tonic::Request;

use super::{Open, Provider};
use crate::engine::Engine;
use crate::failure::{Failure, FailureCode, error_with_reason};
use crate::session::locks::{LockRefusal, Start};
use crate::session::seen_before;
use crate::session::work::lock_receipt;
use crate::status::{exhausted, precondition};

impl<E: Engine> Provider<E> {
    /// One attempt, or the first answer again.
    pub(super) async fn attempt_lock(&self, request: Request<pb::LockRequest>) -> Result<LockReceipt, Failure> {
        let (asked, handle) = self.lock_call("TryLock", request)?;
        if handle.shared.purpose == Purpose::Read {
            return Err(precondition("the session was opened only to read, and a lock changes something"));
        }
        let start = { handle.shared.locks().start_try(&asked.key.request, &asked.key.scope) };
        let start = start.map_err(refusal)?;
        let work = move |actor: &mut crate::session::Actor<E::Session>| match start {
            Start::Work => actor.try_lock(&asked),
            // Whatever attempt there was came into the mailbox before this, so that its answer is known by then.
            Start::Known => actor.first_answer(&asked),
        };
        let mut receipt = handle.call(work).await?;
        self.strip(&mut receipt.diagnostic);
        Ok(receipt)
    }

    /// Whether a lock is held now.
    pub(super) async fn prove_lock(&self, request: Request<pb::LockRequest>) -> Result<LockReceipt, Failure> {
        let (asked, handle) = self.lock_call("CheckLock", request)?;
        let mut receipt = handle.call(move |actor| actor.check_lock(&asked)).await?;
        self.strip(&mut receipt.diagnostic);
        Ok(receipt)
    }

    /// Gives a lock back. What needs nothing from the server is answered at once, also while another call runs.
    pub(super) async fn give_lock_back(&self, request: Request<pb::LockRequest>) -> Result<LockReceipt, Failure> {
        let (asked, handle) = self.lock_call("ReleaseLock", request)?;
        let start = { handle.shared.locks().start_release(&asked.key.request, &asked.key.scope) };
        let mut receipt = match start.map_err(refusal)? {
            Start::Known => lock_receipt(&asked, LockState::Released, None, LockCall::Release)?,
            Start::Work => handle.call(move |actor| actor.release_lock(&asked)).await?,
        };
        self.strip(&mut receipt.diagnostic);
        Ok(receipt)
    }

    /// The request and its session. An ID that was spent for something else is no lock ID.
    fn lock_call(
        &self,
        call: &'static str,
        request: Request<pb::LockRequest>,
    ) -> Result<(LockRequest, Open<E>), Failure> {
        let asked: LockRequest = self.read(request)?;
        let handle = self.session(call, &asked.key.session)?;
        if handle.shared.is_spent(&asked.key.request) {
            return Err(seen_before());
        }
        Ok((asked, handle))
    }
}

fn refusal(refusal: LockRefusal) -> Failure {
    match refusal {
        LockRefusal::Full => exhausted("the session remembers no more lock IDs"),
        LockRefusal::OtherScope => {
            error_with_reason(FailureCode::InvalidArgument, "the lock ID was used before for another scope")
        }
    }
}

//! What the database remembers: read, and written one phase at a time.

use std::time::Instant;

use ptah_apply::Event;
use ptah_model::{Digest, Fingerprint, OperationId};
use ptah_plan::request::ledger_record;
use ptah_provider_api::claim::{ClaimPhase, ClaimReceipt, ClaimState, Proof, Verdict};
use ptah_provider_api::execute::{Outcome, TransactionId};
use ptah_provider_host::{Answer, Claim};

use super::Runner;
use crate::clock::now_us;
use crate::memory::proven_state;
use crate::patience::{Patience, waited_out, within};
use crate::progress::Phase;

/// How many finished operations are read with the unfinished ones: enough to see one that was spent recently. The
/// database itself refuses one that was spent earlier.
const FINISHED_READ: u32 = 64;

impl Runner<'_> {
    pub(super) async fn read_claims(&mut self) -> Event {
        let read = async |_| self.session.read_claims(FINISHED_READ).await;
        let read = tokio::select! {
            read = within(self.order.limits.lock, Some(self.one_wait), (self.progress, None), read) => read,
            () = self.stop.asked() => return Event::Interrupted,
        };
        match read {
            Ok(reading) => {
                let event =
                    Event::ClaimsRead { identity: reading.identity.state(), operations: reading.operations.clone() };
                self.sequence = reading.latest;
                self.claims = Some(reading);
                event
            }
            Err(error) => self.lost(error),
        }
    }

    pub(super) async fn adopt(&mut self) -> Event {
        let Some(adoption) = self.order.adoption else { return Event::NotRecorded };
        // Recorded twice it is recorded once, so a call that waited for other writers in vain is made again.
        let adopt = async |_| match self.session.adopt(&self.scope, adoption, now_us()).await {
            Answer::Reply(_) => Ok(()),
            Answer::NotSent(error) | Answer::Lost(error) => Err(error),
        };
        let waits = (self.progress, Some(self.stop));
        match within(self.order.limits.lock, Some(self.one_wait), waits, adopt).await {
            Ok(()) => {
                self.adopted = true;
                Event::Recorded
            }
            Err(error) => self.lost(error),
        }
    }

    pub(super) async fn settle_earlier(
        &mut self,
        operation: &OperationId,
        verdict: Verdict,
        found: Fingerprint,
    ) -> Event {
        let known = self.claims.iter().flat_map(|c| &c.operations).find(|o| o.operation == *operation);
        let Some(plan) = known.map(|o| o.plan) else { return Event::NotRecorded };
        let phase = ClaimPhase::Settle { verdict, found, proof: None, renames: Vec::new() };
        self.claim(operation.clone(), plan, phase, false).await
    }

    pub(super) async fn intend(&mut self, segment: usize) -> Event {
        let Some(plan) = self.plan() else { return Event::NotRecorded };
        let Some(work) = plan.segments().get(segment) else { return Event::NotRecorded };
        let phase = ClaimPhase::Intend {
            segment: place(segment),
            segments: place(plan.segments().len()),
            transactional: work.segment.transaction,
            before: work.before,
            after: work.after,
        };
        let digest = plan.digest();
        self.progress.at(Phase::Applying(segment + 1, plan.segments().len()));
        // The core says whether this is tried again: the lock is proven before each attempt.
        self.busy.get_or_insert_with(|| Patience::new(self.order.limits.lock));
        let began = Instant::now();
        let receipt = self.claim_once(&self.order.operation.clone(), digest, &phase, None).await;
        if receipt.as_ref().is_ok_and(|receipt| self.waited_in_vain(receipt, began)) {
            self.why = receipt.ok().and_then(|receipt| receipt.diagnostic);
            return self.busy(began).await;
        }
        self.busy = None;
        match receipt {
            Ok(receipt) if receipt.state == ClaimState::Intended => {
                self.sequence = receipt.sequence;
                self.why = None;
                Event::Intended
            }
            // Whether it is there, and with it whether the operation is spent, nobody knows.
            Ok(receipt) if receipt.state == ClaimState::Unknown => {
                self.why = receipt.diagnostic;
                Event::Lost
            }
            Ok(receipt) => self.after_claim(receipt),
            Err(event) => event,
        }
    }

    pub(super) async fn record_outcome(
        &mut self,
        segment: usize,
        outcome: Outcome,
        applied: u32,
        in_transaction: bool,
    ) -> Event {
        let Some(digest) = self.plan().map(ptah_plan::Plan::digest) else { return Event::NotRecorded };
        let phase = ClaimPhase::Outcome { segment: place(segment), outcome, applied };
        self.claim(self.order.operation.clone(), digest, phase, in_transaction).await
    }

    /// Closes this operation. A proof is remembered only of a run that read back as it should.
    pub(super) async fn settle(&mut self, verdict: Verdict, found: Fingerprint) -> Event {
        let Some(plan) = self.plan() else { return Event::NotRecorded };
        let proven = verdict == Verdict::Applied && found == plan.to() && self.is_wholly_described();
        let settings = self.session.facts().settings_digest;
        let proof = proven.then_some(Proof { sources: self.sources, settings, state: found });
        let renames = if verdict == Verdict::Applied {
            plan.head().renames.iter().map(ledger_record).collect()
        } else {
            Vec::new()
        };
        let digest = plan.digest();
        let phase = ClaimPhase::Settle { verdict, found, proof, renames };
        self.claim(self.order.operation.clone(), digest, phase, false).await
    }

    /// Whether a proof of what was read can be kept and is not kept already. A database that Ptah never changed keeps none:
    /// its tables are made by the first run that changes something.
    pub(super) fn is_worth_remembering(&self, found: Fingerprint) -> bool {
        let settings = self.session.facts().settings_digest;
        let keeps = self.claims.as_ref().is_some_and(|claims| claims.identity.uuid.is_some());
        keeps && self.is_wholly_described() && proven_state(self.claims.as_ref(), self.sources, settings) != Some(found)
    }

    /// Whether everything that the schema has could be described. What could not is told each time, so that is not
    /// remembered as nothing to do.
    fn is_wholly_described(&self) -> bool {
        self.reading.as_ref().is_none_or(|reading| reading.schema.not_described().len() == 0)
    }

    /// The sources read as what was read of the database, so the next run needs no more than the two digests.
    pub(super) async fn remember(&mut self, found: Fingerprint) -> Event {
        let settings = self.session.facts().settings_digest;
        let proof = Proof { sources: self.sources, settings, state: found };
        let event = self.claim(self.order.operation.clone(), self.sources, ClaimPhase::Prove { proof }, false).await;
        // Nothing of the answer depends on it, so nothing is told of a record that could not be made.
        (self.why, self.cause) = (None, None);
        event
    }

    /// Stores a row, and asks again while other writers are in the way: a receipt says for certain that nothing was
    /// written.
    async fn claim(&mut self, operation: OperationId, plan: Digest, phase: ClaimPhase, in_transaction: bool) -> Event {
        let transaction = if in_transaction { self.transaction.clone() } else { None };
        let patience = Patience::new(self.order.limits.lock);
        loop {
            let began = Instant::now();
            match self.claim_once(&operation, plan, &phase, transaction.clone()).await {
                Ok(receipt)
                    if transaction.is_none()
                        && self.waited_in_vain(&receipt, began)
                        && patience.is_left()
                        && !self.stop.is_asked() =>
                {
                    self.progress.at(Phase::WaitingForWriters);
                }
                Ok(receipt) => return self.after_claim(receipt),
                Err(event) => return event,
            }
        }
    }

    /// Whether it is certain that nothing was written, after as long as a call waits for other writers.
    fn waited_in_vain(&self, receipt: &ClaimReceipt, began: Instant) -> bool {
        receipt.state == ClaimState::NotWritten && waited_out(self.one_wait, began.elapsed())
    }

    async fn claim_once(
        &mut self,
        operation: &OperationId,
        plan: Digest,
        phase: &ClaimPhase,
        transaction: Option<TransactionId>,
    ) -> Result<ClaimReceipt, Event> {
        let claim = Claim { operation: operation.clone(), plan, phase: phase.clone(), transaction, at_us: now_us() };
        match self.session.claim(&self.scope, claim).await {
            Answer::Reply(receipt) => Ok(receipt),
            Answer::NotSent(error) => {
                self.cause = Some(error.into());
                Err(Event::NotRecorded)
            }
            Answer::Lost(error) => Err(self.lost(error)),
        }
    }

    fn after_claim(&mut self, receipt: ClaimReceipt) -> Event {
        let event = match receipt.state {
            ClaimState::Intended | ClaimState::Recorded => {
                self.sequence = receipt.sequence;
                return Event::Recorded;
            }
            ClaimState::Already => Event::AlreadySpent,
            ClaimState::OtherUnfinished(_) | ClaimState::NotWritten | ClaimState::Unknown => Event::NotRecorded,
        };
        self.why = receipt.diagnostic;
        event
    }
}

fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

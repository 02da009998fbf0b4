//! What the database remembers: read, and written one phase at a time.

use ptah_apply::Event;
use ptah_model::{Digest, Fingerprint, OperationId};
use ptah_plan::request::ledger_record;
use ptah_provider_api::claim::{ClaimPhase, ClaimReceipt, ClaimState, Proof, Verdict};
use ptah_provider_api::execute::Outcome;
use ptah_provider_host::{Answer, Claim};

use super::Runner;
use crate::clock::now_us;

/// How many finished operations are read with the unfinished ones: enough to see one that was spent recently. The
/// database itself refuses one that was spent earlier.
const FINISHED_READ: u32 = 64;

impl Runner<'_> {
    pub(super) async fn read_claims(&mut self) -> Event {
        match self.session.read_claims(FINISHED_READ).await {
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
        match self.session.adopt(&self.scope, adoption, now_us()).await {
            Answer::Reply(_) => Event::Recorded,
            Answer::NotSent(error) => {
                self.cause = Some(error.into());
                Event::NotRecorded
            }
            Answer::Lost(error) => self.lost(error),
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
        self.progress.at(crate::progress::Phase::Applying(segment + 1, plan.segments().len()));
        match self.claim(self.order.operation.clone(), digest, phase, false).await {
            Event::Recorded => Event::Intended,
            other => other,
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
        let proven = verdict == Verdict::Applied && found == plan.to();
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

    async fn claim(&mut self, operation: OperationId, plan: Digest, phase: ClaimPhase, in_transaction: bool) -> Event {
        let transaction = if in_transaction { self.transaction.clone() } else { None };
        let claim = Claim { operation, plan, phase, transaction, at_us: now_us() };
        match self.session.claim(&self.scope, claim).await {
            Answer::Reply(receipt) => self.after_claim(receipt),
            Answer::NotSent(error) => {
                self.cause = Some(error.into());
                Event::NotRecorded
            }
            Answer::Lost(error) => self.lost(error),
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

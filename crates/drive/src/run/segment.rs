//! One segment: begin with its assertions, ask the rows, send, commit or roll back.

use std::time::Instant;

use ptah_apply::Event;
use ptah_model::Fingerprint;
use ptah_plan::gate::permits_loss;
use ptah_plan::{PlanSegment, PlannedStep};
use ptah_provider_api::contract::{LOCK_WAIT_LIMIT, UNITS_LIMIT};
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::reading::Reading;
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::{TransactionReceipt, TransactionState};
use ptah_provider_host::{Answer, Begin, HostError};

use super::Runner;
use crate::memory::proven_state;
use crate::patience::{Patience, within};
use crate::prepare::ask_step;

impl Runner<'_> {
    fn segment(&self, index: usize) -> Option<PlanSegment> {
        self.plan()?.segments().get(index).cloned()
    }

    pub(super) async fn begin(&mut self, index: usize) -> Event {
        let Some(work) = self.segment(index) else { return Event::NotBegun(TransactionState::NotStarted) };
        let patience = *self.busy.get_or_insert_with(|| Patience::new(self.order.limits.lock));
        let began = Instant::now();
        let begin = Begin {
            settings: work.segment.settings,
            expect_state: Some(work.before),
            expect_claim: Some(self.sequence),
            lock_timeout: patience.one(),
        };
        let answer = self.session.begin(&self.scope, begin).await;
        if let Answer::Reply(receipt) = &answer
            && receipt.state == TransactionState::Busy
        {
            self.why.clone_from(&receipt.diagnostic);
            return self.busy(began).await;
        }
        self.busy = None;
        match answer {
            Answer::Reply(receipt) if receipt.state == TransactionState::Begun => {
                self.transaction = Some(receipt.transaction);
                self.why = None;
                Event::Begun
            }
            Answer::Reply(receipt) => {
                self.why = receipt.diagnostic;
                Event::NotBegun(receipt.state)
            }
            Answer::NotSent(error) => {
                self.cause = Some(error.into());
                Event::NotBegun(TransactionState::NotStarted)
            }
            Answer::Lost(error) => self.lost(error),
        }
    }

    /// Asks what can be asked before the segment's units. With renames in front of a step its questions use names that
    /// do not exist yet; they are asked on the way.
    pub(super) async fn check_rows(&mut self, index: usize) -> Event {
        let Some(work) = self.segment(index) else { return Event::RowsOffend };
        if work.segment.transaction && renames_first(&work) {
            return Event::RowsHold;
        }
        for step in &work.segment.steps {
            let event = self.ask(step).await;
            if event != Event::RowsHold {
                return event;
            }
        }
        Event::RowsHold
    }

    /// Values that a step would change are permitted together with everything else that is lost; rows that make it fail
    /// never are.
    async fn ask(&mut self, step: &PlannedStep) -> Event {
        let rules = &self.session.facts().identifier_rules;
        let permitted = self.plan().is_some_and(|plan| permits_loss(plan, step, rules));
        match ask_step(&self.session, step, self.transaction.as_ref()).await {
            Ok(counts) => {
                let offending = step.step.checks.iter().zip(counts).find(|(c, n)| *n > 0 && !(c.lossy && permitted));
                let Some((check, count)) = offending else { return Event::RowsHold };
                let rows = if count == 1 { "row" } else { "rows" };
                self.why = Some(format!("{}: {} ({count} {rows})", step.title, check.sentence));
                Event::RowsOffend
            }
            Err(error) => self.lost(error),
        }
    }

    pub(super) async fn execute(&mut self, index: usize) -> Event {
        let not_started = Event::Executed { outcome: Outcome::NotStarted, applied: 0 };
        let Some(work) = self.segment(index) else { return not_started };
        let late = work.segment.transaction && renames_first(&work);
        let mut applied = 0;
        for steps in calls(&work.segment.steps, late) {
            if late && let Some(first) = steps.first() {
                let event = self.ask(first).await;
                if event != Event::RowsHold {
                    return event;
                }
            }
            match self.send(steps).await {
                Event::Executed { outcome: Outcome::Applied, applied: now } => applied += now,
                Event::Executed { outcome, applied: now } => return so_far(outcome, applied + now),
                other => return other,
            }
        }
        Event::Executed { outcome: Outcome::Applied, applied }
    }

    async fn send(&mut self, steps: &[PlannedStep]) -> Event {
        let units: Vec<Unit> = steps.iter().map(|s| s.step.unit.clone()).collect();
        let timeout = self.order.limits.statement;
        let executed = self.session.execute(&self.scope, units, self.transaction.as_ref(), timeout).await;
        let (outcome, applied) = (executed.reply.outcome, executed.reply.applied_count);
        if outcome != Outcome::Applied {
            let failed = steps.get(applied as usize).map_or("a step", |s| s.title.as_str());
            let why = executed.reply.diagnostic.unwrap_or_else(|| "it did not succeed".to_owned());
            self.why = Some(format!("{failed}: {why}"));
            self.cause = executed.cause.map(Into::into);
        }
        Event::Executed { outcome, applied }
    }

    pub(super) async fn commit(&mut self, _: usize) -> Event {
        let Some(transaction) = self.transaction.take() else { return Event::CommitUnknown };
        let timeout = self.order.limits.lock.min(LOCK_WAIT_LIMIT);
        let answer = self.session.commit(&self.scope, &transaction, timeout).await;
        self.ended(answer)
    }

    pub(super) async fn rollback(&mut self, _: usize) -> Event {
        let Some(transaction) = self.transaction.take() else { return Event::RolledBack };
        let answer = self.session.rollback(&self.scope, &transaction).await;
        self.ended(answer)
    }

    fn ended(&mut self, answer: Answer<TransactionReceipt>) -> Event {
        match answer {
            Answer::Reply(receipt) => match receipt.state {
                TransactionState::Committed => Event::Committed,
                TransactionState::RolledBack => {
                    self.why = self.why.take().or(receipt.diagnostic);
                    Event::RolledBack
                }
                _ => {
                    self.why = receipt.diagnostic;
                    Event::CommitUnknown
                }
            },
            Answer::NotSent(error) | Answer::Lost(error) => self.lost(error),
        }
    }

    pub(super) async fn read_state(&mut self, whole: bool) -> Event {
        if whole {
            self.progress.at(crate::progress::Phase::Reading);
            if let Some(found) = self.remembered_state().await {
                return found;
            }
        }
        let stop = self.stop;
        let read = tokio::select! {
            read = self.inspect(!whole) => read,
            () = stop.asked(), if !self.told_to_stop => return Event::Interrupted,
        };
        match read {
            Ok(reading) => {
                let found = reading.fingerprint;
                if whole {
                    self.reading = Some(reading);
                }
                Event::StateRead(found)
            }
            Err(error) => self.lost(error),
        }
    }

    async fn inspect(&self, fingerprint_only: bool) -> Result<Reading, HostError> {
        let inspect = async |lock_timeout| self.session.inspect(lock_timeout, fingerprint_only).await;
        within(self.order.limits.lock, None, (self.progress, None), inspect).await
    }

    /// When the database remembers a proof for these sources and settings, the fingerprint alone can be enough.
    async fn remembered_state(&mut self) -> Option<Event> {
        self.proven_state()?;
        match self.inspect(true).await {
            Ok(reading) if self.proven_state() == Some(reading.fingerprint) => {
                self.remembered = true;
                Some(Event::StateRead(reading.fingerprint))
            }
            Ok(_) => None,
            Err(error) => Some(self.lost(error)),
        }
    }

    fn proven_state(&self) -> Option<Fingerprint> {
        if self.order.fresh || matches!(self.order.wanted, super::Wanted::Saved(_)) {
            return None;
        }
        proven_state(self.claims.as_ref(), self.sources, self.session.facts().settings_digest)
    }
}

fn renames_first(work: &PlanSegment) -> bool {
    work.segment.steps.first().is_some_and(|s| s.phase == ptah_plan::PhaseKind::Renames)
}

/// Cuts the steps of a segment into calls: at the limit, and before each step whose questions are asked on the way.
fn calls(steps: &[PlannedStep], late: bool) -> Vec<&[PlannedStep]> {
    let mut calls = Vec::new();
    let mut begin = 0;
    for end in 1..=steps.len() {
        let asks = late && steps.get(end).is_some_and(|s| !s.step.checks.is_empty());
        if end == steps.len() || asks || end - begin == UNITS_LIMIT {
            calls.push(&steps[begin..end]);
            begin = end;
        }
    }
    calls
}

/// What is known of a segment when a later call of it did not succeed.
fn so_far(outcome: Outcome, applied: u32) -> Event {
    let outcome = match (outcome, applied) {
        (Outcome::NotStarted | Outcome::NotApplied, 1..) => Outcome::Partial,
        (outcome, _) => outcome,
    };
    Event::Executed { outcome, applied }
}

//! The state machine: states, and what each event makes of them.
//!
//! Transitions up to the first intent are here; those of a segment are in [`segment`], and how a run closes in
//! [`closing`]. Every function returns the next state; nothing is decided by the shell.

mod closing;
mod segment;
#[cfg(test)]
mod tests;

use ptah_model::Fingerprint;
use ptah_provider_api::claim::OperationRecord;
use ptah_provider_api::session::IdentityState;

use crate::effect::Effect;
use crate::ending::{Against, Ending, Refusal, Trouble};
use crate::event::Event;
use crate::settle::{Settled, segments_in, verdict};
use crate::work::{Request, SegmentWork, Work};

use closing::Closing;
use segment::At;

/// One run. Feed it events until its effect is [`Effect::Finish`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    request: Request,
    known: Known,
    state: State,
}

/// What the run has learnt. Only ever grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    /// Whether the lock was taken and not given back, as far as this run knows.
    locked: bool,
    /// Whether this run recorded what a moved or copied database is.
    adopted: bool,
    /// Earlier operations that this run settled.
    settled: Vec<Settled>,
    /// What is to be done, once that is decided.
    work: Option<Work>,
    /// How many segments are certainly in the database.
    applied: usize,
    /// Whether a person asked to stop at a point where stopping had to wait.
    interrupted: bool,
}

/// Where the run stands. Each variant is named after the effect that is next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// The lock is to be tried. Then the claims are read.
    Locking,
    /// Another holds the lock. Then it is tried again.
    Waiting,
    /// What the database remembers is to be read. Then earlier operations are settled, or the schema is read.
    ReadingClaims,
    /// What a moved or copied database is, is to be recorded. Then the claims are read again.
    Adopting,
    /// The schema is to be read in order to settle these. Then they are settled one by one.
    ReadingToSettle(Vec<OperationRecord>),
    /// The last of these is to be settled, by this reading. Then the next, or the schema is read.
    SettlingEarlier(Vec<OperationRecord>, Fingerprint),
    /// The schema is to be read. Then the plan is made, or, when it is made, compared with what was read.
    Reading,
    /// The plan is to be made. Then it is approved, or the run closes.
    Preparing(Fingerprint),
    /// That there is nothing to do is to be remembered. Then the run closes, whatever came of it.
    Remembering(Fingerprint),
    /// Consent is to be asked. Then the database is created, or the first segment begins.
    Approving,
    /// The database is to be created. Then it is locked and read.
    Creating,
    /// A segment is under way. Then the next one, or the run closes.
    Segment(usize, At),
    /// Everything that will be sent was sent. Then the lock is released.
    Closing(Closing),
    /// The lock is to be released. Then the run is over.
    Releasing(Ending),
    /// The run is over.
    Finished(Ending),
}

/// An event that cannot follow the effect that was next. A fault of the shell: the run must not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// What was next.
    pub effect: Effect,
    /// What was reported.
    pub event: Event,
}

impl Run {
    /// A run that has done nothing yet.
    pub fn new(request: Request) -> Self {
        let state = if request.target_exists { State::Locking } else { State::Preparing(empty()) };
        Self { request, known: Known::default(), state }
    }

    /// What is to be done next. Asking twice gives the same answer.
    pub fn effect(&self) -> Effect {
        match &self.state {
            State::Locking => Effect::TryLock,
            State::Waiting => Effect::WaitForLock,
            State::ReadingClaims => Effect::ReadClaims,
            State::Adopting => Effect::Adopt,
            State::ReadingToSettle(_) => Effect::ReadState { whole: false },
            State::Reading => Effect::ReadState { whole: self.known.work.is_none() },
            State::SettlingEarlier(operations, found) => match operations.last() {
                Some(operation) => Effect::SettleEarlier {
                    operation: operation.operation.clone(),
                    verdict: verdict(operation, *found),
                    found: *found,
                },
                None => Effect::ReadState { whole: false },
            },
            State::Preparing(found) => Effect::Prepare { found: *found },
            State::Remembering(found) => Effect::Remember { found: *found },
            State::Approving => Effect::Approve,
            State::Creating => Effect::CreateTarget,
            State::Segment(index, at) => self.segment_effect(*index, *at),
            State::Closing(closing) => closing.effect(),
            State::Releasing(_) => Effect::Release,
            State::Finished(ending) => Effect::Finish(ending.clone()),
        }
    }

    /// Takes in what came of the effect.
    pub fn observe(&mut self, event: Event) -> Result<(), Box<Illegal>> {
        let effect = self.effect();
        let state = std::mem::replace(&mut self.state, State::Finished(Ending::Refused(Refusal::ProviderLost)));
        let next = if let State::Segment(index, at) = state {
            // Once units may have been sent, an answer that is none is worth no more than a lost one.
            let event = if event == Event::CallFailed { Event::Lost } else { event.clone() };
            self.in_segment(index, at, event)
        } else if let State::Closing(closing) = state {
            let event = if event == Event::CallFailed { Event::Lost } else { event.clone() };
            self.in_closing(closing, event)
        } else {
            self.before_segments(state, event.clone())
        };
        self.state = next.ok_or_else(|| Box::new(Illegal { effect, event }))?;
        Ok(())
    }

    /// Earlier operations that this run settled, in the order in which it did.
    pub fn settled(&self) -> &[Settled] {
        &self.known.settled
    }

    /// Whether this run recorded what a moved or copied database is.
    pub fn adopted(&self) -> bool {
        self.known.adopted
    }

    /// Whether the run has stored an intent, so that its operation is spent.
    pub fn is_spent(&self) -> bool {
        match &self.state {
            State::Segment(0, At::ProvingForIntent | At::Intending) => false,
            State::Segment(..) | State::Closing(_) => true,
            State::Releasing(ending) | State::Finished(ending) => ending.is_spent(),
            State::Locking
            | State::Waiting
            | State::ReadingClaims
            | State::Adopting
            | State::ReadingToSettle(_)
            | State::SettlingEarlier(..)
            | State::Reading
            | State::Preparing(_)
            | State::Remembering(_)
            | State::Approving
            | State::Creating => false,
        }
    }

    /// Everything before the first segment. `None`: the event cannot follow.
    fn before_segments(&mut self, state: State, event: Event) -> Option<State> {
        Some(match (state, event) {
            // A lost provider can neither be asked nor unlocked; its session ends with it.
            (State::Releasing(ending), Event::Released | Event::Lost | Event::CallFailed) => State::Finished(ending),
            (state @ State::Releasing(_), Event::Interrupted) => state,
            (State::Finished(_), _) => return None,
            // Nothing was to be done, and that stays true. A lost provider takes the lock with it.
            (State::Remembering(_), Event::Recorded | Event::NotRecorded | Event::Interrupted | Event::CallFailed) => {
                self.close(Ending::InSync)
            }
            (State::Remembering(_), Event::Lost) => State::Finished(Ending::InSync),
            (State::Creating, Event::Lost | Event::NotCreated | Event::CallFailed) => {
                State::Finished(Ending::Refused(Refusal::NotCreated))
            }
            (_, Event::Lost) => State::Finished(Ending::Refused(Refusal::ProviderLost)),
            (_, Event::CallFailed) => self.close(Ending::Refused(Refusal::ProviderRefused)),
            (_, Event::Interrupted) => self.close(Ending::Refused(Refusal::Interrupted)),

            (State::Locking, Event::LockAcquired) => {
                self.known.locked = true;
                State::ReadingClaims
            }
            (State::Locking, Event::LockBusy { waited_ms }) if waited_ms < self.request.lock_wait_ms => State::Waiting,
            (State::Locking, Event::LockBusy { .. }) => State::Finished(Ending::Refused(Refusal::LockBusy)),
            (State::Locking, Event::LockLost) => State::Finished(Ending::Refused(Refusal::LockLost)),
            (State::Waiting, Event::Waited) => State::Locking,

            (State::ReadingClaims, Event::ClaimsRead { identity, operations }) => {
                self.after_claims(identity, operations)
            }
            (State::Adopting, Event::Recorded) => {
                self.known.adopted = true;
                State::ReadingClaims
            }
            (State::Adopting, Event::NotRecorded) => self.close(Ending::Refused(Refusal::MovedOrCopied)),
            (State::ReadingToSettle(operations), Event::StateRead(found)) => State::SettlingEarlier(operations, found),
            (State::SettlingEarlier(operations, found), Event::Recorded) => self.after_settlement(operations, found),
            (State::SettlingEarlier(..), Event::NotRecorded) => self.close(Ending::Refused(Refusal::NotSettled)),
            (State::Reading, Event::StateRead(found)) => self.after_reading(found),

            (State::Preparing(found), Event::InSync { to_remember: true })
                if self.known.locked && !self.request.dry_run =>
            {
                State::Remembering(found)
            }
            (State::Preparing(_), Event::InSync { .. }) => self.close(Ending::InSync),
            (State::Preparing(_), Event::PlanRefused(against)) => self.close(Ending::Refused(Refusal::Plan(against))),
            (State::Preparing(found), Event::Planned(work)) => self.after_planning(found, work),
            (State::Approving, Event::Declined) => self.close(Ending::Declined),
            (State::Approving, Event::Approved) if self.known.locked => State::Segment(0, At::ProvingForIntent),
            (State::Approving, Event::Approved) => State::Creating,
            (State::Creating, Event::Created) => State::Locking,
            (State::Creating, Event::PlanRefused(_)) => State::Finished(Ending::Refused(Refusal::Stale)),
            (_, _) => return None,
        })
    }

    /// The operation must be new, the database the one it says it is, and nothing may be left open.
    fn after_claims(&mut self, identity: IdentityState, operations: Vec<OperationRecord>) -> State {
        if identity == IdentityState::MovedOrCopied {
            if self.request.adopts && !self.request.dry_run && !self.known.adopted {
                return State::Adopting;
            }
            return self.close(Ending::Refused(Refusal::MovedOrCopied));
        }
        let spent = operations.iter().any(|o| o.operation == self.request.operation);
        // Newest first; the last one, the oldest, is settled first.
        let unfinished: Vec<_> = operations.into_iter().filter(|o| o.settled.is_none()).collect();
        // A settlement is a record, and a dry run leaves none.
        match (unfinished.is_empty() || self.request.dry_run, spent) {
            (false, _) => State::ReadingToSettle(unfinished),
            (true, true) => self.close(Ending::Refused(Refusal::Spent)),
            (true, false) => State::Reading,
        }
    }

    fn after_settlement(&mut self, mut operations: Vec<OperationRecord>, found: Fingerprint) -> State {
        if let Some(done) = operations.pop() {
            self.known.settled.push(Settled {
                verdict: verdict(&done, found),
                applied: segments_in(&done, found),
                of: done.segments as usize,
                operation: done.operation,
            });
        }
        if !operations.is_empty() {
            return State::SettlingEarlier(operations, found);
        }
        let own = self.known.settled.iter().any(|s| s.operation == self.request.operation);
        if own { self.close(Ending::Refused(Refusal::Spent)) } else { State::Reading }
    }

    /// With work in hand the reading is the second one, of a database that this run created: it has to be what was
    /// planned on.
    fn after_reading(&mut self, found: Fingerprint) -> State {
        match &self.known.work {
            None => State::Preparing(found),
            Some(work) if work.from == found => State::Segment(0, At::ProvingForIntent),
            Some(_) => self.close(Ending::Refused(Refusal::Stale)),
        }
    }

    fn after_planning(&mut self, found: Fingerprint, work: Work) -> State {
        if work.from != found {
            return self.close(Ending::Refused(Refusal::Stale));
        }
        if work.segments.is_empty() {
            return self.close(Ending::Refused(Refusal::Plan(Against::Plan)));
        }
        self.known.work = Some(work);
        if self.request.dry_run { self.close(Ending::DryRun) } else { State::Approving }
    }

    /// Ends the run: through the release of the lock when it is held.
    fn close(&mut self, ending: Ending) -> State {
        if self.known.locked { State::Releasing(ending) } else { State::Finished(ending) }
    }

    fn segment_count(&self) -> usize {
        self.known.work.as_ref().map_or(0, |w| w.segments.len())
    }

    fn segment(&self, index: usize) -> Option<&SegmentWork> {
        self.known.work.as_ref()?.segments.get(index)
    }

    /// How the run ends when the segment under way is certainly not in the database.
    fn stopped(&self, trouble: Trouble) -> Ending {
        match self.known.applied {
            0 => Ending::NotApplied(trouble),
            applied => Ending::Partial { applied, of: self.segment_count(), trouble },
        }
    }

    /// How the run ends when nobody knows about the segment under way.
    fn unknown(&self, trouble: Trouble) -> Ending {
        Ending::Unknown { applied: self.known.applied, of: self.segment_count(), trouble }
    }
}

/// The state of a database that does not exist.
fn empty() -> Fingerprint {
    Fingerprint::of(&ptah_model::SchemaModel::default())
}

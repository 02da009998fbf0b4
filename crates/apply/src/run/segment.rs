//! One segment: prove the lock, store the intent, send, store the outcome, commit.
//!
//! In a transaction the outcome row is written before the commit, so both are there or neither is. Outside one it is
//! written after the unit, and a run that dies between the two leaves a question that only a reading can answer.

use ptah_provider_api::execute::Outcome;
use ptah_provider_api::transaction::TransactionState;

use super::closing::Closing;
use super::{Run, State};
use crate::effect::Effect;
use crate::ending::{Ending, Refusal, Trouble};
use crate::event::Event;

/// Where a segment stands; named after the effect that is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// The lock is to be proven before the intent.
    ProvingForIntent,
    /// The intent is to be stored.
    Intending,
    /// In a transaction: the lock is to be proven before it begins.
    ProvingForBegin,
    /// In a transaction: it is to begin, and assert state and claim.
    Beginning,
    /// Outside a transaction: the schema is to be read, because nothing else asserts it.
    ReadingState,
    /// The rows are to be asked.
    CheckingRows,
    /// The lock is to be proven before the units are sent.
    ProvingForExecute,
    /// The units are to be sent.
    Executing,
    /// The outcome of applied units is to be stored.
    RecordingApplied,
    /// The lock is to be proven before the commit.
    ProvingForCommit,
    /// The commit is to be sent.
    Committing,
    /// The transaction is to be rolled back, because of this.
    RollingBack(Trouble),
    /// An outcome other than applied is to be stored, alone, with how many units are confirmed.
    RecordingFailure(Trouble, Outcome, u32),
}

impl Run {
    /// The effect that is next in a segment.
    pub(super) fn segment_effect(&self, segment: usize, at: At) -> Effect {
        let work = self.segment(segment);
        match at {
            At::ProvingForIntent | At::ProvingForBegin | At::ProvingForExecute | At::ProvingForCommit => {
                Effect::CheckLock
            }
            At::Intending => Effect::Intend { segment },
            At::Beginning => Effect::Begin { segment },
            At::ReadingState => Effect::ReadState { whole: false },
            At::CheckingRows => Effect::CheckRows { segment },
            At::Executing => Effect::Execute { segment },
            At::RecordingApplied => Effect::RecordOutcome {
                segment,
                outcome: Outcome::Applied,
                applied: work.map_or(0, |w| w.units),
                in_transaction: work.is_some_and(|w| w.transactional),
            },
            At::Committing => Effect::Commit { segment },
            At::RollingBack(_) => Effect::Rollback { segment },
            At::RecordingFailure(_, outcome, applied) => {
                Effect::RecordOutcome { segment, outcome, applied, in_transaction: false }
            }
        }
    }

    /// What an event makes of a segment. `None`: the event cannot follow.
    pub(super) fn in_segment(&mut self, index: usize, at: At, event: Event) -> Option<State> {
        let transactional = self.segment(index)?.transactional;
        let go = |at| State::Segment(index, at);
        Some(match (at, event) {
            (at, Event::Lost) => State::Finished(self.lost(index, at)),
            (at, Event::Interrupted) => self.interrupted(index, at),
            (at, Event::LockLost) => self.lock_lost(index, at)?,

            (At::ProvingForIntent, Event::LockHeld) => go(At::Intending),
            (At::Intending, Event::Intended) if transactional => go(At::ProvingForBegin),
            (At::Intending, Event::Intended) => go(At::ReadingState),
            (At::Intending, Event::AlreadySpent) if index == 0 => self.close(Ending::Refused(Refusal::Spent)),
            (At::Intending, Event::NotRecorded) if index == 0 => self.close(Ending::Refused(Refusal::NotRecorded)),
            // A receipt says for certain that nothing was written; the lock is proven again, because time has passed.
            (At::Intending, Event::Busy { waited_ms }) if self.waits_on(waited_ms) => go(At::ProvingForIntent),
            (At::Intending, Event::Busy { .. }) if index == 0 => self.close(Ending::Refused(Refusal::Busy)),
            (At::Intending, Event::Busy { .. }) => self.close(self.stopped(Trouble::Busy)),
            (At::Intending, Event::AlreadySpent | Event::NotRecorded) => self.close(self.stopped(Trouble::NotRecorded)),

            (At::ProvingForBegin, Event::LockHeld) => go(At::Beginning),
            (At::Beginning, Event::Begun) => go(self.rows_or_execute(index)),
            // It never began, so nothing was sent in it: this is the last point where waiting is no repetition.
            (At::Beginning, Event::Busy { waited_ms }) if self.waits_on(waited_ms) => go(At::ProvingForBegin),
            (At::Beginning, Event::Busy { .. }) => go(At::RecordingFailure(Trouble::Busy, Outcome::NotStarted, 0)),
            (At::Beginning, Event::NotBegun(state)) => {
                go(At::RecordingFailure(not_begun(state), Outcome::NotStarted, 0))
            }
            (At::ReadingState, Event::StateRead(found)) if found == self.segment(index)?.before => {
                go(self.rows_or_execute(index))
            }
            (At::ReadingState, Event::StateRead(_)) => {
                go(At::RecordingFailure(Trouble::StateChanged, Outcome::NotStarted, 0))
            }
            (At::CheckingRows, Event::RowsHold) => go(At::ProvingForExecute),
            (At::CheckingRows, Event::RowsOffend) => self.abandon(index, Trouble::RowsOffend, Outcome::NotStarted, 0),
            (At::ProvingForExecute, Event::LockHeld) => go(At::Executing),

            (At::Executing, Event::Executed { outcome: Outcome::Applied, .. }) => go(At::RecordingApplied),
            (At::Executing, Event::Executed { outcome, applied }) => {
                // Where nobody knows, the server cannot be said to have refused anything.
                let trouble = if outcome == Outcome::Unknown { Trouble::ProviderLost } else { Trouble::Failed };
                self.abandon(index, trouble, outcome, applied)
            }
            // Rows that can only be asked once earlier units of the transaction have run.
            (At::Executing, Event::RowsOffend) if transactional => go(At::RollingBack(Trouble::RowsOffend)),

            (At::RecordingApplied, Event::Recorded) if transactional => go(At::ProvingForCommit),
            (At::RecordingApplied, Event::Recorded) => self.next_segment(index),
            (At::RecordingApplied, Event::NotRecorded) if transactional => go(At::RollingBack(Trouble::NotRecorded)),
            (At::RecordingApplied, Event::NotRecorded) => {
                let ending = self.applied_without_record(index);
                self.close(ending)
            }
            (At::ProvingForCommit, Event::LockHeld) => go(At::Committing),
            (At::Committing, Event::Committed) => self.next_segment(index),
            (At::Committing, Event::RolledBack) => go(At::RecordingFailure(Trouble::Failed, Outcome::NotApplied, 0)),
            (At::Committing, Event::CommitUnknown) => self.close(self.unknown(Trouble::Failed)),

            (At::RollingBack(trouble), Event::RolledBack) => self.after_rollback(index, trouble),
            // A rollback that answers "committed", or nothing, leaves the question open.
            (At::RollingBack(trouble), Event::CommitUnknown | Event::Committed) => self.close(self.unknown(trouble)),

            (
                At::RecordingFailure(trouble, Outcome::Unknown | Outcome::Partial, _),
                Event::Recorded | Event::NotRecorded,
            ) => self.close(self.unknown(trouble)),
            (At::RecordingFailure(trouble, ..), Event::Recorded) => {
                State::Closing(Closing::reading(self.stopped(trouble)))
            }
            (At::RecordingFailure(trouble, ..), Event::NotRecorded) => self.close(self.stopped(trouble)),
            (_, _) => return None,
        })
    }

    /// Whether there is time left for other writers to end.
    fn waits_on(&self, waited_ms: u64) -> bool {
        waited_ms < self.request.busy_wait_ms
    }

    fn rows_or_execute(&self, index: usize) -> At {
        let asks = self.segment(index).is_some_and(|s| s.checks_rows);
        if asks { At::CheckingRows } else { At::ProvingForExecute }
    }

    /// Ends a segment that did not succeed: through a rollback when a transaction is open.
    fn abandon(&self, index: usize, trouble: Trouble, outcome: Outcome, applied: u32) -> State {
        let transactional = self.segment(index).is_some_and(|s| s.transactional);
        let at = if transactional { At::RollingBack(trouble) } else { At::RecordingFailure(trouble, outcome, applied) };
        State::Segment(index, at)
    }

    /// A lost lock fenced the session: nothing can be recorded on it any more.
    fn after_rollback(&mut self, index: usize, trouble: Trouble) -> State {
        if trouble == Trouble::LockLost {
            return self.close(self.stopped(trouble));
        }
        State::Segment(index, At::RecordingFailure(trouble, Outcome::NotApplied, 0))
    }

    fn next_segment(&mut self, index: usize) -> State {
        self.known.applied = index + 1;
        if self.known.applied == self.segment_count() {
            return State::Closing(Closing::ReadingApplied);
        }
        if self.known.interrupted {
            return State::Closing(Closing::reading(self.stopped(Trouble::Interrupted)));
        }
        State::Segment(index + 1, At::ProvingForIntent)
    }

    /// The unit is in the database and its record is not: the next command settles it.
    fn applied_without_record(&self, index: usize) -> Ending {
        let (applied, of) = (index + 1, self.segment_count());
        if applied == of { Ending::NotRecorded } else { Ending::Partial { applied, of, trouble: Trouble::NotRecorded } }
    }

    fn lock_lost(&mut self, index: usize, at: At) -> Option<State> {
        let transactional = self.segment(index).is_some_and(|s| s.transactional);
        Some(match at {
            At::ProvingForIntent if index == 0 => self.close(Ending::Refused(Refusal::LockLost)),
            At::ProvingForIntent | At::ProvingForBegin => self.close(self.stopped(Trouble::LockLost)),
            At::ProvingForExecute | At::ProvingForCommit if transactional => {
                State::Segment(index, At::RollingBack(Trouble::LockLost))
            }
            At::ProvingForExecute => self.close(self.stopped(Trouble::LockLost)),
            At::ProvingForCommit
            | At::Intending
            | At::Beginning
            | At::ReadingState
            | At::CheckingRows
            | At::Executing
            | At::RecordingApplied
            | At::Committing
            | At::RollingBack(_)
            | At::RecordingFailure(..) => return None,
        })
    }

    /// The effect that was next has not happened, and does not happen unless stopping here would lose knowledge.
    fn interrupted(&mut self, index: usize, at: At) -> State {
        let transactional = self.segment(index).is_some_and(|s| s.transactional);
        self.known.interrupted = true;
        match at {
            At::ProvingForIntent | At::Intending if index == 0 => self.close(Ending::Refused(Refusal::Interrupted)),
            At::ProvingForIntent | At::Intending => {
                State::Closing(Closing::reading(self.stopped(Trouble::Interrupted)))
            }
            At::ProvingForBegin | At::Beginning | At::ReadingState => {
                State::Segment(index, At::RecordingFailure(Trouble::Interrupted, Outcome::NotStarted, 0))
            }
            At::CheckingRows | At::ProvingForExecute | At::Executing => {
                self.abandon(index, Trouble::Interrupted, Outcome::NotStarted, 0)
            }
            At::RecordingApplied | At::ProvingForCommit | At::Committing if transactional => {
                State::Segment(index, At::RollingBack(Trouble::Interrupted))
            }
            At::RecordingApplied
            | At::ProvingForCommit
            | At::Committing
            | At::RollingBack(_)
            | At::RecordingFailure(..) => State::Segment(index, at),
        }
    }

    /// The provider is gone, and the effect that was under way may have happened.
    fn lost(&self, index: usize, at: At) -> Ending {
        let transactional = self.segment(index).is_some_and(|s| s.transactional);
        match at {
            At::ProvingForIntent if index == 0 => Ending::Refused(Refusal::ProviderLost),
            At::Intending if index == 0 => self.stopped(Trouble::IntentLost),
            At::RecordingApplied if !transactional => self.applied_without_record(index),
            // Units were sent: whatever ended the process does not prove that they were rolled back.
            At::Executing | At::RecordingApplied | At::ProvingForCommit | At::Committing | At::RollingBack(_) => {
                self.unknown(Trouble::ProviderLost)
            }
            At::RecordingFailure(_, Outcome::Unknown | Outcome::Partial, _) => self.unknown(Trouble::ProviderLost),
            At::RecordingFailure(trouble, ..) => self.stopped(trouble),
            At::ProvingForIntent
            | At::Intending
            | At::ProvingForBegin
            | At::Beginning
            | At::ReadingState
            | At::CheckingRows
            | At::ProvingForExecute => self.stopped(Trouble::ProviderLost),
        }
    }
}

fn not_begun(state: TransactionState) -> Trouble {
    match state {
        TransactionState::Busy => Trouble::Busy,
        TransactionState::StateChanged => Trouble::StateChanged,
        TransactionState::ClaimChanged => Trouble::ClaimChanged,
        TransactionState::NotStarted
        | TransactionState::Begun
        | TransactionState::Committed
        | TransactionState::RolledBack
        | TransactionState::Unknown => Trouble::Failed,
    }
}

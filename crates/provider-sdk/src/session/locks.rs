//! The table of lock IDs of one session. Pure: it says what to do, and is told what came of it.
//!
//! | ID | `TryLock` | `CheckLock` | `ReleaseLock` |
//! |---|---|---|---|
//! | new | one attempt | LOST | fenced: RELEASED, and no attempt is ever made |
//! | pending | waits for the first answer | waits | fences first; a late win is undone, and `TryLock` answers LOST |
//! | held | ACQUIRED, the first answer | asks the server | gives back: RELEASED, or LOST when it was gone |
//! | busy | BUSY, the first answer | LOST | fenced: RELEASED |
//! | lost | LOST | LOST | RELEASED |
//! | released | the first answer; LOST if it never was acquired | LOST | RELEASED |

use std::collections::HashMap;

use ptah_model::Scope;
use ptah_provider_api::key::RequestId;
use ptah_provider_api::lock::LockState;
use ptah_provider_api::reason::Reason;

use crate::engine::LockAttempt;

/// The most lock IDs that one session remembers; further new ones are refused.
pub(crate) const LOCK_IDS_LIMIT: usize = 100_000;

/// What is known about one ID.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// The attempt was asked for and has not ended. `fenced`: a release came in the meantime.
    Pending {
        fenced: bool,
    },
    Held,
    Busy(Option<Reason>),
    Lost(Option<Reason>),
    Released {
        acquired: bool,
    },
}

#[derive(Debug)]
struct Entry {
    scope: Scope,
    state: State,
}

/// Why a lock request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockRefusal {
    /// The session remembers [`LOCK_IDS_LIMIT`] IDs.
    Full,
    /// The ID was used for another scope.
    OtherScope,
}

/// What a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The session's thread has to make the attempt, or to give the lock back.
    Work,
    /// The answer is known, or will be when what was asked before has ended.
    Known,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attempted {
    /// This is the answer.
    Answer(LockState, Option<Reason>),
    /// It was won after a release: it has to be given back, and the answer is LOST.
    Undo,
}

/// The lock IDs of one session.
#[derive(Debug, Default)]
pub(crate) struct LockTable(HashMap<RequestId, Entry>);

impl LockTable {
    /// `TryLock` arrives.
    pub(crate) fn start_try(&mut self, id: &RequestId, scope: &Scope) -> Result<Start, LockRefusal> {
        if self.known(id, scope)? {
            return Ok(Start::Known);
        }
        self.insert(id, scope, State::Pending { fenced: false })?;
        Ok(Start::Work)
    }

    /// `ReleaseLock` arrives. Takes effect at once: from here on no attempt under this ID can be won.
    pub(crate) fn start_release(&mut self, id: &RequestId, scope: &Scope) -> Result<Start, LockRefusal> {
        if !self.known(id, scope)? {
            self.insert(id, scope, State::Released { acquired: false })?;
            return Ok(Start::Known);
        }
        let Some(entry) = self.0.get_mut(id) else { return Ok(Start::Known) };
        match &entry.state {
            State::Pending { .. } => entry.state = State::Pending { fenced: true },
            State::Held => return Ok(Start::Work),
            State::Busy(_) => entry.state = State::Released { acquired: false },
            State::Lost(_) | State::Released { .. } => return Ok(Start::Known),
        }
        // A pending attempt is waited for, so that RELEASED is never said while a late win is not undone.
        Ok(if matches!(entry.state, State::Pending { .. }) { Start::Work } else { Start::Known })
    }

    /// Whether the attempt under this ID is still wanted.
    pub(crate) fn wanted(&self, id: &RequestId) -> bool {
        matches!(self.state(id), Some(State::Pending { fenced: false }))
    }

    /// An attempt ended.
    pub(crate) fn attempted(&mut self, id: &RequestId, attempt: LockAttempt) -> Attempted {
        let fenced = !self.wanted(id);
        let (state, answer) = match attempt {
            LockAttempt::Acquired if fenced => (State::Released { acquired: false }, Attempted::Undo),
            LockAttempt::Busy(_) | LockAttempt::Lost(_) if fenced => {
                (State::Released { acquired: false }, Attempted::Answer(LockState::Lost, None))
            }
            LockAttempt::Acquired => (State::Held, Attempted::Answer(LockState::Acquired, None)),
            LockAttempt::Busy(why) => (State::Busy(why.clone()), Attempted::Answer(LockState::Busy, why)),
            LockAttempt::Lost(why) => (State::Lost(why.clone()), Attempted::Answer(LockState::Lost, why)),
        };
        self.set(id, state);
        answer
    }

    /// The first answer to `TryLock`, as it is given again.
    pub(crate) fn first_answer(&self, id: &RequestId) -> (LockState, Option<Reason>) {
        match self.state(id) {
            Some(State::Held | State::Released { acquired: true }) => (LockState::Acquired, None),
            Some(State::Busy(why)) => (LockState::Busy, why.clone()),
            Some(State::Lost(why)) => (LockState::Lost, why.clone()),
            Some(State::Pending { .. } | State::Released { acquired: false }) | None => (LockState::Lost, None),
        }
    }

    /// Whether the lock is held, as far as the session knows.
    pub(crate) fn is_held(&self, id: &RequestId, scope: &Scope) -> bool {
        self.0.get(id).is_some_and(|e| e.state == State::Held && e.scope == *scope)
    }

    /// Every lock that guards the session.
    pub(crate) fn held(&self) -> Vec<(RequestId, Scope)> {
        let held = self.0.iter().filter(|(_, e)| e.state == State::Held);
        held.map(|(id, e)| (id.clone(), e.scope.clone())).collect()
    }

    /// A held lock turned out to be gone.
    pub(crate) fn lost(&mut self, id: &RequestId, why: Option<Reason>) {
        self.set(id, State::Lost(why));
    }

    /// A held lock was given back.
    pub(crate) fn released(&mut self, id: &RequestId) {
        self.set(id, State::Released { acquired: true });
    }

    /// Whether an ID was ever used for a lock.
    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.0.contains_key(id)
    }

    fn known(&self, id: &RequestId, scope: &Scope) -> Result<bool, LockRefusal> {
        match self.0.get(id) {
            None => Ok(false),
            Some(entry) if entry.scope == *scope => Ok(true),
            Some(_) => Err(LockRefusal::OtherScope),
        }
    }

    fn insert(&mut self, id: &RequestId, scope: &Scope, state: State) -> Result<(), LockRefusal> {
        if self.0.len() >= LOCK_IDS_LIMIT {
            return Err(LockRefusal::Full);
        }
        self.0.insert(id.clone(), Entry { scope: scope.clone(), state });
        Ok(())
    }

    fn state(&self, id: &RequestId) -> Option<&State> {
        self.0.get(id).map(|e| &e.state)
    }

    fn set(&mut self, id: &RequestId, state: State) {
        if let Some(entry) = self.0.get_mut(id) {
            entry.state = state;
        }
    }
}

#[cfg(test)]
mod tests;

//! The run lock: one attempt at a time, each under a new ID, and proven right before what rests on it.

use std::time::{Duration, Instant};

use ptah_apply::Event;
use ptah_provider_api::lock::LockState;
use ptah_provider_host::Answer;

use super::{Runner, milliseconds};
use crate::patience;
use crate::progress::Phase;

/// How long a run waits before people are told of it.
const TELL_AFTER: Duration = Duration::from_secs(1);

/// The pause between two attempts: short beside any run, long beside an attempt.
const PAUSE: Duration = Duration::from_millis(100);

impl Runner<'_> {
    pub(super) async fn try_lock(&mut self) -> Event {
        let lock = self.session.lock(&self.scope);
        match self.session.try_lock(&lock).await {
            Answer::Reply(receipt) => {
                self.why = receipt.diagnostic;
                match receipt.state {
                    LockState::Acquired => {
                        self.lock = Some(lock);
                        Event::LockAcquired
                    }
                    LockState::Busy => {
                        let waited = self.started.elapsed();
                        // What ends within a second, such as the provider of a run that was killed, is not worth a word.
                        if waited > TELL_AFTER {
                            self.progress.at(Phase::WaitingForLock);
                        }
                        Event::LockBusy { waited_ms: milliseconds(waited) }
                    }
                    LockState::Lost | LockState::Released => Event::LockLost,
                }
            }
            // The attempt may have succeeded: the session's end, which follows, gives the lock back.
            Answer::NotSent(error) | Answer::Lost(error) => self.lost(error),
        }
    }

    pub(super) async fn wait_for_lock(&mut self) -> Event {
        let stop = self.stop;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => Event::Waited,
            () = stop.asked() => Event::Interrupted,
        }
    }

    /// Other writers kept an intent or a begin from happening, and it is certain that nothing of it did.
    pub(super) async fn busy(&mut self, began: Instant) -> Event {
        self.progress.at(Phase::WaitingForWriters);
        if began.elapsed() < patience::PAUSE {
            let stop = self.stop;
            tokio::select! {
                () = tokio::time::sleep(patience::PAUSE) => {}
                () = stop.asked() => {}
            }
        }
        let waited = self.busy.map_or(Duration::ZERO, |busy| busy.waited());
        Event::Busy { waited_ms: milliseconds(waited) }
    }

    pub(super) async fn check_lock(&mut self) -> Event {
        let Some(lock) = self.lock.clone() else { return Event::LockLost };
        match self.session.check_lock(&lock).await {
            Answer::Reply(receipt) if receipt.state == LockState::Acquired => Event::LockHeld,
            Answer::Reply(receipt) => {
                self.why = receipt.diagnostic;
                Event::LockLost
            }
            Answer::NotSent(error) | Answer::Lost(error) => self.lost(error),
        }
    }

    /// However it ends, the session is closed next, and that gives back what is still held.
    pub(super) async fn release(&mut self) -> Event {
        if let Some(lock) = self.lock.take() {
            let _answer = self.session.release_lock(&lock).await;
        }
        Event::Released
    }
}

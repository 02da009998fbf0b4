//! Waiting for other writers: any time that was asked for, as calls that each wait a short while.
//!
//! Only what certainly did nothing is asked again: a reading, an intent or a record whose receipt says that nothing was
//! written, a transaction that never began. That a call gave up because its wait was over is told by the clock too: an
//! answer that came before is about something else, and waiting would not help. What may have run never gets here.

use std::time::{Duration, Instant};

use ptah_provider_host::HostError;

use crate::progress::{Phase, Progress};
use crate::run::Stop;

/// How long one call waits at most: so long that the calls do not count, and so short that a person who asks to stop is
/// heard soon, and that on a server others do not queue long behind a request for a lock.
const ONE_WAIT: Duration = Duration::from_secs(2);

/// The pause after a call that did not wait by itself.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// A wait that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    wish: Duration,
    since: Instant,
}

impl Patience {
    /// Begins to wait.
    pub(crate) fn new(wish: Duration) -> Self {
        Self { wish, since: Instant::now() }
    }

    /// How long it has been.
    pub(crate) fn waited(&self) -> Duration {
        self.since.elapsed()
    }

    /// How long the next call may wait.
    pub(crate) fn one(&self) -> Duration {
        one_wait(self.wish.saturating_sub(self.waited()))
    }

    /// Whether there is time for another call.
    pub(crate) fn is_left(&self) -> bool {
        self.waited() < self.wish
    }
}

/// How long one call may wait, out of a longer wish.
pub(crate) fn one_wait(wish: Duration) -> Duration {
    wish.min(ONE_WAIT)
}

/// Whether a call that may wait so long, and took so long, gave up because of its wait. A tenth is left for clocks that
/// are not read at the same moment.
pub(crate) fn waited_out(given: Duration, took: Duration) -> bool {
    !given.is_zero() && took >= given.mul_f64(0.9)
}

/// Asks something that changes nothing, or that done twice is done once, again until the time is over or a person asks to
/// stop; whoever drops the future needs no flag for that. `given` is what a call waits whose own wait was fixed when the
/// session was opened; absent where the call is told.
pub(crate) async fn within<T>(
    wish: Duration,
    given: Option<Duration>,
    (progress, stop): (&dyn Progress, Option<&Stop>),
    mut call: impl AsyncFnMut(Duration) -> Result<T, HostError>,
) -> Result<T, HostError> {
    let patience = Patience::new(wish);
    loop {
        let (began, one) = (Instant::now(), patience.one());
        match call(one).await {
            Err(HostError::CallFailed { code, .. })
                if code.is_unavailable()
                    && waited_out(given.unwrap_or(one), began.elapsed())
                    && patience.is_left()
                    && !stop.is_some_and(Stop::is_asked) =>
            {
                progress.at(Phase::WaitingForWriters);
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_before_the_wait_was_over_is_not_about_waiting() {
        let second = Duration::from_secs(1);
        assert!(waited_out(second, second));
        assert!(waited_out(second, Duration::from_millis(950)));
        assert!(!waited_out(second, Duration::from_millis(20)));
        assert!(!waited_out(Duration::ZERO, second), "who does not wait is not told that it was too short");
    }

    #[test]
    fn a_long_wait_is_made_of_short_ones_that_end_in_time() {
        let patience = Patience::new(Duration::from_mins(5));
        assert_eq!(patience.one(), ONE_WAIT);
        assert!(patience.is_left());
        let over = Patience { wish: ONE_WAIT, since: Instant::now().checked_sub(ONE_WAIT).unwrap() };
        assert!(over.one().is_zero() && !over.is_left());
    }
}

//! How long things may take: pure arithmetic over two clocks.
//!
//! The permit gives a budget that counts from the moment at which its request was sent, by a clock that nobody sets and
//! that goes on while the machine sleeps. The operation names the end as a moment too, by the calendar. Whichever says
//! first that it is over is believed: a clock that is set forward ends a run early, and none makes it longer.

use std::time::Duration;

use ptah_records::operator::latest::RunLimits;

/// From SIGTERM to SIGKILL at most: every sum of the deadlines rests on it.
pub(crate) const KILL: Duration = Duration::from_secs(30);
/// How long a result is pushed after the run's time is over.
pub(crate) const PUSH: Duration = Duration::from_mins(2);
/// How long a process may take to be gone after SIGKILL, before it is given up as one that may still write.
pub(crate) const GONE: Duration = Duration::from_secs(10);

/// One look at both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Now {
    /// Since the machine was started, its sleep included.
    pub(crate) boot: Duration,
    /// Since 1970, as the calendar says.
    pub(crate) wall: Duration,
}

/// Until when something may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    boot: Duration,
    wall: Duration,
}

impl Window {
    /// The window of the run itself: `budget` from the moment at which the permit was asked for.
    pub(crate) fn of_run(limits: &RunLimits, sent: Now, budget: Duration) -> Self {
        Self { boot: sent.boot + budget, wall: Duration::from_millis(limits.execution_not_after.milliseconds()) }
    }

    /// The window in which a permit may be asked for. Asked is at least once: whether the clock is right, the permit's
    /// writer knows.
    pub(crate) fn of_asking(limits: &RunLimits, started: Now) -> Self {
        Self {
            boot: started.boot + whole(limits),
            wall: Duration::from_millis(limits.dispatch_not_after.milliseconds()),
        }
    }

    /// How much is left of it; nothing when it is over.
    pub(crate) fn left(&self, now: Now) -> Duration {
        self.boot.saturating_sub(now.boot).min(self.wall.saturating_sub(now.wall))
    }

    /// When it is over by the clock that nobody sets.
    pub(crate) fn end(&self) -> Duration {
        self.boot
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self, now: Now) -> bool {
        self.left(now).is_zero()
    }
}

/// The whole window of the run.
pub(crate) fn whole(limits: &RunLimits) -> Duration {
    Duration::from_secs(limits.window_seconds.get())
}

/// How a process is ended: asked, then killed, then given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    asked: Option<Duration>,
    grace: Duration,
    killed: Option<Duration>,
}

/// What is to be done about a process that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Wait at most this long, then ask again.
    Wait(Duration),
    /// Send SIGTERM.
    Terminate,
    /// Send SIGKILL to it and to everything that it left.
    Kill,
    /// It is not gone in spite of SIGKILL: it may still write.
    GiveUp,
}

/// How long nobody looks at most: the calendar may be set meanwhile.
const LOOK: Duration = Duration::from_secs(1);
/// How long between two attempts at killing: what forks meanwhile is found by the next.
const AGAIN: Duration = Duration::from_millis(50);

impl Ending {
    /// Notes that the end was asked for, with this time until the kill. A shorter time that is asked for later counts.
    pub(crate) fn ask(&mut self, now: Now, grace: Duration) {
        let until = self.asked.map(|asked| asked + self.grace);
        if until.is_none_or(|until| now.boot + grace < until) {
            (self.asked, self.grace) = (Some(now.boot), grace);
        }
    }

    /// What is to be done now. `leader` is the process itself; what it left is killed at once when it has ended.
    pub(crate) fn next(&self, window: Window, leader: bool, terminated: bool, now: Now) -> Act {
        if let Some(killed) = self.killed {
            return if now.boot >= killed + GONE { Act::GiveUp } else { Act::Wait(AGAIN) };
        }
        if !leader {
            return Act::Kill;
        }
        match self.asked {
            Some(_) if !terminated => Act::Terminate,
            Some(asked) if now.boot >= asked + self.grace => Act::Kill,
            Some(asked) => Act::Wait((asked + self.grace).saturating_sub(now.boot).min(LOOK)),
            None if window.is_over(now) => Act::Terminate,
            None => Act::Wait(window.left(now).min(LOOK)),
        }
    }

    /// Notes the first SIGKILL.
    pub(crate) fn kill(&mut self, now: Now) {
        self.killed.get_or_insert(now.boot);
    }

    /// Whether the end was asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether it is being killed.
    pub(crate) fn is_killing(&self) -> bool {
        self.killed.is_some()
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;

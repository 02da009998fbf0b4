//! The two clocks.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

use crate::window::Now;

/// What both say now.
pub(crate) fn now() -> Now {
    let boot = clock_gettime(ClockId::Boottime);
    let (seconds, nanoseconds) = (u64::try_from(boot.tv_sec), u32::try_from(boot.tv_nsec));
    Now {
        boot: Duration::new(seconds.unwrap_or(0), nanoseconds.unwrap_or(0)),
        // Before 1970 nothing is over by the calendar; the other clock decides then.
        wall: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
    }
}

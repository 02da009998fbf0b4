//! Fault points: in debug builds a test can have the program killed at a named place.
//!
//! `PTAH_FAULT=before-update:<k>` or `after-update:<k>` kills this process with SIGKILL right before or after the k-th
//! definition is written, from 1. Release builds contain none of this.

/// The variable that names the fault.
const VARIABLE: &str = "PTAH_FAULT";

/// Where a run can be killed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Point {
    /// Everything was looked at and tried; this definition is written next.
    BeforeUpdate(usize),
    /// This definition was written.
    AfterUpdate(usize),
}

/// Dies here if that is asked for.
pub(crate) fn hit(point: Point) {
    if !cfg!(debug_assertions) {
        return;
    }
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    let here = match point {
        Point::BeforeUpdate(place) => format!("before-update:{place}"),
        Point::AfterUpdate(place) => format!("after-update:{place}"),
    };
    if wanted == here {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

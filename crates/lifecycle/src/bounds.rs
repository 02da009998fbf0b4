//! Every bound of time and number that the operator rests on, once, with its sum.
//!
//! All are whole seconds unless they say otherwise. A run has one *window* W, chosen in the spec; everything else follows:
//!
//! ```text
//! claim ─── W ───► executionNotAfter ─ 30 kill ─ 30 slack ─► horizon
//!                                    ─ 120 push ────────────► no more results
//!   Pod deadline = W + 30 + 120 + 30      Job deadline = Pod + 60      Lease = Job + 60
//! ```

/// Shortest window of a run.
pub const WINDOW_MIN: i64 = 30;
/// Longest window of a run: a day.
pub const WINDOW_MAX: i64 = 86_400;
/// From SIGTERM to SIGKILL of the process that speaks to the database.
pub const KILL: i64 = 30;
/// How long after its deadline a runner goes on pushing its result.
pub const PUSH: i64 = 120;
/// For clocks that differ and for a kubelet that is late.
pub const SLACK: i64 = 30;
/// A Job outlives its Pod by this: a deadline of the Job deletes the Pod and its message, a deadline of the Pod keeps both.
pub const JOB_OVER_POD: i64 = 60;
/// A Lease outlives the Job by this, so that it cannot run out under a run.
pub const LEASE_OVER_JOB: i64 = 60;
/// Longest Lease that is written or believed: the sum for the longest window.
pub const LEASE_MAX: i64 = lease(WINDOW_MAX);
/// A Lease is renewed when this part of its duration has passed.
pub const RENEW_AFTER_PART: i64 = 3;
/// How long a refusal by the census or by a hold stands before it is looked at again.
pub const REFUSAL_LOOK: i64 = 60;
/// How long a pass waits for something that moves by itself: a Job, a Pod, a Lease.
pub const POLL: i64 = 5;
/// First wait after a settling attempt that did not settle, doubled each time, at most [`BACKOFF_MAX`]. It asks nothing of the
/// spec; the first wait after a failed reading is the resource's own.
pub const BACKOFF_FIRST: i64 = 30;
/// Longest wait after a failure, unless the first is longer.
pub const BACKOFF_MAX: i64 = 1_800;
/// Settling attempts of its owner after which any admitted claimant may settle a hold.
pub const SETTLE_ATTEMPTS: u32 = 3;
/// How long after a run's horizon any admitted claimant may settle its hold, whatever the owner does.
pub const SETTLE_PATIENCE: i64 = 900;
/// How many operation IDs whose hold was dropped a Lease remembers.
pub const SETTLED_KEPT: usize = 16;
/// How many Pods of one Job are kept by UID. More than one is already a fault.
pub const PODS_KEPT: usize = 8;
/// How long a plan that is no longer current is kept after the last thing that named it is gone: 90 days.
pub const PLAN_KEPT: i64 = 90 * 86_400;

/// How long the Pod of a run with this window may live.
pub const fn pod_deadline(window: i64) -> i64 {
    window + KILL + PUSH + SLACK
}

/// How long the Job of a run with this window may live.
pub const fn job_deadline(window: i64) -> i64 {
    pod_deadline(window) + JOB_OVER_POD
}

/// How long the Lease of a run with this window lasts without renewal.
pub const fn lease(window: i64) -> i64 {
    job_deadline(window) + LEASE_OVER_JOB
}

/// How long after a run's deadline its process is certainly killed by its own supervisor.
pub const fn horizon() -> i64 {
    KILL + SLACK
}

/// How long to wait after the `failures`-th settling attempt in a row that did not settle.
pub fn backoff(failures: u32) -> i64 {
    backoff_from(BACKOFF_FIRST, failures)
}

/// How long to wait after the `failures`-th failure in a row, where the first is followed by a wait of `first` seconds. Never
/// less than that, and never for ever.
pub fn backoff_from(first: i64, failures: u32) -> i64 {
    let first = first.clamp(1, WINDOW_MAX);
    let doubled = first.saturating_mul(1 << failures.saturating_sub(1).min(16));
    doubled.clamp(first, BACKOFF_MAX.max(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_outlives_everything_its_run_may_do_for_every_window() {
        for window in WINDOW_MIN..=WINDOW_MAX {
            assert!(lease(window) > job_deadline(window) && job_deadline(window) > pod_deadline(window));
            assert!(pod_deadline(window) > window + horizon() && pod_deadline(window) > window + PUSH);
            assert!(lease(window) <= LEASE_MAX);
        }
    }

    #[test]
    fn every_deadline_is_the_sum_that_the_page_names() {
        assert_eq!(pod_deadline(900), 900 + 30 + 120 + 30);
        assert_eq!(job_deadline(900), 900 + 180 + 60);
        assert_eq!(lease(900), 900 + 180 + 60 + 60);
        assert_eq!(LEASE_MAX, 86_400 + 300);
        assert_eq!(horizon(), 60);
    }

    #[test]
    fn the_wait_after_a_failure_grows_and_is_bounded() {
        assert_eq!([1, 2, 3, 7, 8, 4_000_000].map(backoff), [30, 60, 120, 1_800, 1_800, 1_800]);
        assert_eq!([1, 2, 9, u32::MAX].map(|failures| backoff_from(5, failures)), [5, 10, 1_280, 1_800]);
        assert_eq!(
            [1, 2, u32::MAX].map(|failures| backoff_from(3_600, failures)),
            [3_600; 3],
            "never less than the first"
        );
        assert_eq!([0, -7, i64::MIN].map(|first| backoff_from(first, 1)), [1; 3], "never at once");
        assert_eq!(backoff_from(i64::MAX, u32::MAX), WINDOW_MAX, "never for ever");
    }
}

//! How long to wait before something is tried again: longer each time, from 0.2 to 10 seconds, each a little different so
//! that a thousand Pods do not come back at once.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(10);

/// The pauses of one thing that is tried again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pauses {
    tried: u32,
}

impl Pauses {
    /// The next pause, of this thread's own randomness.
    pub(crate) fn next(&mut self) -> Duration {
        let mut byte = [0_u8; 1];
        // Without randomness the pauses are only all alike.
        let _ = rustix::rand::getrandom(&mut byte[..], rustix::rand::GetRandomFlags::empty());
        self.with(byte[0])
    }

    /// The next pause: between half of it and all of it, as `chance` says.
    fn with(&mut self, chance: u8) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.tried.min(10)).min(LONGEST);
        self.tried = self.tried.saturating_add(1);
        (whole / 2 + (whole / 2) * u32::from(chance) / 255).max(FIRST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_from_a_fifth_of_a_second_to_ten_and_no_further() {
        for chance in [0, 1, 128, 255] {
            let mut pauses = Pauses::default();
            let all: Vec<Duration> = (0..40).map(|_| pauses.with(chance)).collect();
            assert!(all.is_sorted() && all[0] == FIRST, "{all:?}");
            assert!(all.iter().all(|pause| (FIRST..=LONGEST).contains(pause)), "{all:?}");
            assert!(all[39] >= LONGEST / 2, "{all:?}");
        }
    }
}

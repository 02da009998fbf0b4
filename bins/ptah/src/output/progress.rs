//! What a command is doing, on a terminal only and only when it takes a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Output, clean, lock};

/// A phase that is shorter than this is not shown: a line that comes and goes says nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Numbers of phases, so that the end of one never ends the next.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// What is shown while a phase lasts.
#[derive(Debug)]
pub(super) struct Shown {
    number: u64,
    pub(super) bar: ProgressBar,
}

/// A phase that is under way. It ends when this is dropped.
#[must_use = "the phase ends when this is dropped"]
#[derive(Debug)]
pub struct Phase {
    output: Output,
    number: u64,
}

impl Output {
    /// Begins a phase, such as `reading the database`. One at a time: a new one takes the place of the old one.
    pub fn phase(&self, what: &str) -> Phase {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        if self.shared.general.progress && self.shared.stderr_is_terminal {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            bar.set_style(ProgressStyle::default_spinner());
            bar.set_message(clean(what));
            let earlier = lock(&self.shared.phase).replace(Shown { number, bar });
            if let Some(earlier) = earlier {
                earlier.bar.finish_and_clear();
            }
            show_later(self.clone(), number);
        }
        Phase { output: self.clone(), number }
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        let mut current = lock(&self.output.shared.phase);
        if current.as_ref().is_some_and(|shown| shown.number == self.number)
            && let Some(shown) = current.take()
        {
            shown.bar.finish_and_clear();
        }
    }
}

/// Shows the phase once it has lasted. The thread ends by itself, and shows nothing for a phase that is over.
fn show_later(output: Output, number: u64) {
    std::thread::spawn(move || {
        std::thread::sleep(PATIENCE);
        let current = lock(&output.shared.phase);
        if let Some(shown) = current.as_ref().filter(|shown| shown.number == number) {
            shown.bar.set_draw_target(ProgressDrawTarget::stderr());
            shown.bar.enable_steady_tick(Duration::from_millis(120));
        }
    });
}

//! What a command is doing, on a terminal only and only when it takes a while.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Output, clean, lock};

/// A phase that is shorter than this is not shown: a line that comes and goes says nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A phase that is under way. It ends when this is dropped.
#[must_use = "the phase ends when this is dropped"]
#[derive(Debug)]
pub struct Phase {
    output: Output,
}

impl Output {
    /// Begins a phase, such as `reading the database`. One at a time: a new one takes the place of the old one.
    pub fn phase(&self, what: &str) -> Phase {
        if self.shared.general.progress && self.shared.stderr_is_terminal {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            bar.set_style(ProgressStyle::default_spinner());
            bar.set_message(clean(what));
            *lock(&self.shared.phase) = Some(bar.clone());
            show_later(self.clone(), bar);
        }
        Phase { output: self.clone() }
    }

    /// Ends the phase, if there is one.
    fn end_phase(&self, which: Option<&ProgressBar>) {
        let mut current = lock(&self.shared.phase);
        let same = which.is_none_or(|bar| current.as_ref().is_some_and(|c| std::ptr::eq(c, bar)));
        if same && let Some(bar) = current.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        self.output.end_phase(None);
    }
}

/// Shows the phase once it has lasted. The thread ends by itself, and shows nothing for a phase that is over.
fn show_later(output: Output, bar: ProgressBar) {
    std::thread::spawn(move || {
        std::thread::sleep(PATIENCE);
        let current = lock(&output.shared.phase);
        if current.is_some() && !bar.is_finished() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(120));
        }
    });
}

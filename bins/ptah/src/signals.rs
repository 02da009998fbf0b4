//! Ctrl-C and the request to terminate: the first asks the work to stop, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use ptah_drive::run::Stop;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;

use crate::output::{Output, Page};

/// The exit code of a program that Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;
/// The exit code of a program that was asked to terminate.
pub const TERMINATED: u8 = 143;

/// What the signals said so far.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    stop: Stop,
    first: Arc<AtomicU8>,
    second: Arc<Notify>,
}

impl Signals {
    /// The flag that work looks at.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The exit code of the first signal.
    pub fn exit_code(&self) -> u8 {
        self.first.load(Ordering::SeqCst)
    }

    /// Waits for the second signal.
    pub async fn second(&self) {
        self.second.notified().await;
    }

    /// Begins to listen. Must be called in a runtime, whose tasks go on while the work waits.
    pub fn listen(&self, output: &Output) -> std::io::Result<()> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let (signals, output) = (self.clone(), output.clone());
        tokio::spawn(async move {
            loop {
                let code = tokio::select! {
                    _ = interrupt.recv() => INTERRUPTED,
                    _ = terminate.recv() => TERMINATED,
                };
                signals.take(code, &output);
            }
        });
        Ok(())
    }

    fn take(&self, code: u8, output: &Output) {
        if self.first.compare_exchange(0, code, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            output.tell(&Page::of("stopping; press Ctrl-C again to end at once"));
            self.stop.ask();
        } else {
            self.second.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_signal_asks_to_stop_and_the_second_ends() {
        let (output, _, err) = Output::of_buffers(false);
        let signals = Signals::default();
        assert!(!signals.stop().is_asked());
        signals.take(TERMINATED, &output);
        assert!(signals.stop().is_asked());
        assert_eq!(err.text(), "stopping; press Ctrl-C again to end at once\n");
        signals.take(INTERRUPTED, &output);
        signals.second().await;
        assert_eq!(signals.exit_code(), TERMINATED);
        assert_eq!(err.text().lines().count(), 1);
    }
}

//! Being asked to stop: SIGTERM from the kubelet, SIGINT from a person.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Whether stopping was asked for. Once it was, it stays so.
#[derive(Debug)]
pub(crate) struct Stop {
    term: Signal,
    interrupt: Signal,
    asked: bool,
}

impl Stop {
    /// Listens from now on.
    pub(crate) fn new() -> std::io::Result<Self> {
        let (term, interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(Self { term, interrupt, asked: false })
    }

    /// Comes back once stopping was asked for.
    pub(crate) async fn asked(&mut self) {
        if !self.asked {
            tokio::select! {
                _ = self.term.recv() => {}
                _ = self.interrupt.recv() => {}
            }
            self.asked = true;
        }
    }

    /// Whether it was.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked
    }
}

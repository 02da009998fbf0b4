//! A person asked to stop: a flag that the loop looks at, and that wakes what only waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Whether somebody asked to stop. Cheap to clone; all clones are one flag.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    wake: Arc<Notify>,
}

impl Stop {
    /// Asks to stop. Can be called from a signal task.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
        self.wake.notify_waiters();
        // For one that begins to wait right now.
        self.wake.notify_one();
    }

    /// Whether it was asked.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Waits until it is asked.
    pub async fn asked(&self) {
        while !self.is_asked() {
            self.wake.notified().await;
        }
    }
}

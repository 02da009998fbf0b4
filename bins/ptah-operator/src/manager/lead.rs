//! Whether this process leads, as far as it knows: until a moment of a clock that nobody sets.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

/// The lead, shared by everything that may only be done by the leader.
#[derive(Clone, Debug)]
pub(crate) struct Lead(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    until: Mutex<Option<Instant>>,
    changes: watch::Sender<bool>,
}

impl Lead {
    /// Nobody leads yet.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner { until: Mutex::new(None), changes: watch::Sender::new(false) }))
    }

    /// Whether it leads now. Asked right before every write.
    pub(crate) fn holds(&self) -> bool {
        let until = self.0.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() < until)
    }

    /// It leads until then.
    pub(crate) fn extend(&self, until: Instant) {
        *self.0.until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        self.0.changes.send_if_modified(|leads| !std::mem::replace(leads, true));
    }

    /// It leads no more.
    pub(crate) fn end(&self) {
        *self.0.until.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.changes.send_if_modified(|leads| std::mem::replace(leads, false));
    }

    /// Tells about a lead that began or ended.
    pub(crate) fn changes(&self) -> watch::Receiver<bool> {
        self.0.changes.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_lead_ends_by_itself() {
        let lead = Lead::new();
        assert!(!lead.holds());
        lead.extend(Instant::now() + Duration::from_mins(1));
        assert!(lead.holds());
        lead.extend(Instant::now());
        assert!(!lead.holds(), "its time is over, and nobody had to say so");
    }

    #[test]
    fn who_listens_is_told_of_a_beginning_and_an_end_once_each() {
        let lead = Lead::new();
        let mut changes = lead.changes();
        let later = Instant::now() + Duration::from_mins(1);
        lead.extend(later);
        assert!(changes.has_changed().unwrap() && *changes.borrow_and_update());
        lead.extend(later);
        assert!(!changes.has_changed().unwrap());
        lead.end();
        assert!(changes.has_changed().unwrap() && !*changes.borrow_and_update());
    }
}

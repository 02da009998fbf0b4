//! The phases of the work, for people who wait.

use std::cell::{Cell, RefCell};

use ptah_drive::{Phase, Progress};

use crate::crash;
use crate::output::{self, Output, Page};

/// Shows phases.
#[derive(Debug)]
pub(super) struct Phases {
    output: Output,
    current: RefCell<Option<output::Phase>>,
    has_told_of_waiting: Cell<bool>,
    has_told_of_writers: Cell<bool>,
}

impl Phases {
    pub(super) fn new(output: &Output) -> Self {
        Self {
            output: output.clone(),
            current: RefCell::new(None),
            has_told_of_waiting: Cell::new(false),
            has_told_of_writers: Cell::new(false),
        }
    }
}

impl Progress for Phases {
    fn at(&self, phase: Phase) {
        let words = match phase {
            Phase::LoadingSources => "creating the desired schema in a dev database".to_owned(),
            Phase::WaitingForLock => {
                // Told once, without a terminal too: a pipeline that stands still has to say what it waits for.
                if !self.has_told_of_waiting.replace(true) {
                    self.output.tell(&Page::of("another run holds the lock; waiting for it to end"));
                }
                "waiting for another run to end".to_owned()
            }
            Phase::WaitingForWriters => {
                if !self.has_told_of_writers.replace(true) {
                    self.output.tell(&Page::of("the database is not free yet; waiting for it"));
                }
                "waiting for the database".to_owned()
            }
            Phase::Reading => "reading the database".to_owned(),
            Phase::Planning => "planning".to_owned(),
            Phase::Proving => "proving the plan on a copy of the schema".to_owned(),
            Phase::AskingRows => "asking the rows".to_owned(),
            Phase::Applying(place, of) => {
                crash::may_have_run_from_now_on();
                format!("carrying out segment {place} of {of}")
            }
        };
        self.current.replace(Some(self.output.phase(&words)));
    }
}

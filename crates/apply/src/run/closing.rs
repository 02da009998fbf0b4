//! How a run that stored an intent closes: read again, settle, release.

use ptah_model::Fingerprint;
use ptah_provider_api::claim::Verdict;

use super::{Run, State};
use crate::effect::Effect;
use crate::ending::Ending;
use crate::event::Event;

/// Where the closing stands; named after the effect that is next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// Everything was applied; the schema is to be read, and to be what was decided.
    ReadingApplied,
    /// The run stopped with this ending; the schema is to be read for the record.
    ReadingStopped(Ending),
    /// The operation is to be settled, and the run to end so.
    Settling(Verdict, Fingerprint, Ending),
}

impl Closing {
    /// Closes a run that stopped.
    pub(super) fn reading(ending: Ending) -> Self {
        Self::ReadingStopped(ending)
    }

    /// The effect that is next.
    pub(super) fn effect(&self) -> Effect {
        match self {
            Self::ReadingApplied | Self::ReadingStopped(_) => Effect::ReadState { whole: false },
            Self::Settling(verdict, found, _) => Effect::Settle { verdict: *verdict, found: *found },
        }
    }
}

impl Run {
    /// What an event makes of the closing. `None`: the event cannot follow.
    pub(super) fn in_closing(&mut self, closing: Closing, event: Event) -> Option<State> {
        Some(match (closing, event) {
            (Closing::ReadingApplied, Event::StateRead(found)) => self.after_last_reading(found),
            (Closing::ReadingApplied, Event::Lost) => State::Finished(Ending::NotRecorded),
            (Closing::ReadingStopped(ending), Event::StateRead(found)) => {
                let verdict = if self.known.applied == 0 { Verdict::NotApplied } else { Verdict::Partial };
                State::Closing(Closing::Settling(verdict, found, ending))
            }
            (Closing::ReadingStopped(ending), Event::Lost) => State::Finished(ending),
            (Closing::Settling(_, _, ending), Event::Recorded) => self.close(ending),
            (Closing::Settling(_, _, ending), Event::NotRecorded) => self.close(without_record(ending)),
            (Closing::Settling(_, _, ending), Event::Lost) => State::Finished(without_record(ending)),
            // Stopping here would only lose the record of what was done.
            (closing, Event::Interrupted) => State::Closing(closing),
            (_, _) => return None,
        })
    }

    fn after_last_reading(&mut self, found: Fingerprint) -> State {
        let proven = self.known.work.as_ref().is_some_and(|w| w.to == found);
        let ending = if proven { Ending::Applied } else { Ending::NotProven { found } };
        State::Closing(Closing::Settling(Verdict::Applied, found, ending))
    }
}

/// What was proven stays true; only the record of it is missing. A run that stopped ends as it would have.
fn without_record(ending: Ending) -> Ending {
    if ending == Ending::Applied { Ending::NotRecorded } else { ending }
}

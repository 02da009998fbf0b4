//! What is kept of the last reading of a database.

use ptah_model::Digest;

use crate::ids::{Operation, Time};
use crate::object::{ClaimRows, Identity, StateRefusal};

/// What the last reading found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Observed {
    /// The database.
    pub identity: Identity,
    /// Its state.
    pub state: Digest,
    /// When the reading was taken in.
    pub at: Time,
    /// The inputs that it was made under.
    pub inputs: Digest,
    /// How many runs the database said had begun on it.
    pub sequence: u64,
    /// The run that the database then remembered as begun and not ended.
    pub unfinished: Option<Operation>,
    /// Which running server answered; absent where the engine does not say.
    pub instance: Option<Instance>,
    /// Whether nothing was to be done.
    pub in_sync: bool,
    /// Why nothing may be planned on it.
    pub refusal: Option<StateRefusal>,
}

/// Which running server answered, and when. Times are the manager's, around the reading: it began no earlier and ended no
/// later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// The database with what tells one running server from another.
    pub digest: Digest,
    /// When the first reading ended since which every reading has found this same instance.
    pub since: Time,
    /// When the last reading began.
    pub began: Time,
    /// When the last reading ended.
    pub ended: Time,
}

impl Observed {
    /// The same reading, with what the database remembered of runs when it was looked at again.
    #[must_use]
    pub fn looked_again(self, rows: &ClaimRows) -> Self {
        if rows.sequence < self.sequence {
            return self;
        }
        Self { sequence: rows.sequence, unfinished: rows.unfinished.map(|run| run.operation), ..self }
    }

    /// The same reading, to be made again at once, after this run was settled by other means than a look at it: the database
    /// may remember it as begun and not ended.
    #[must_use]
    pub fn without_a_look_at(self, run: Operation) -> Self {
        Self { unfinished: Some(run), ..self.outdated() }
    }

    /// The same reading, to be made again at once. Which database it was stays known, and with it its Lease.
    #[must_use]
    pub fn outdated(self) -> Self {
        Self { at: Time(i64::MIN), in_sync: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{IdentitySource, Unfinished};

    const EARLIER: Operation = Operation(1);
    const LATER: Operation = Operation(2);

    fn observed() -> Observed {
        let digest = Digest::of(b"");
        Observed {
            identity: Identity { database: digest, route: digest, source: IdentitySource::Reported, apart: None },
            state: digest,
            at: Time(5),
            inputs: digest,
            sequence: 7,
            unfinished: Some(EARLIER),
            instance: None,
            in_sync: true,
            refusal: None,
        }
    }

    fn rows(sequence: u64, unfinished: Option<Operation>) -> ClaimRows {
        let unfinished = unfinished.map(|operation| Unfinished { operation, family: None, plan: Digest::of(b"") });
        ClaimRows { sequence, unfinished }
    }

    #[test]
    fn what_the_database_remembers_is_noted_anew_unless_it_remembers_less() {
        let noted = |rows: ClaimRows| {
            let looked = observed().looked_again(&rows);
            (looked.sequence, looked.unfinished)
        };
        assert_eq!(noted(rows(6, Some(LATER))), (7, Some(EARLIER)), "it was put back: the next reading compares");
        assert_eq!(noted(rows(7, None)), (7, None));
        assert_eq!(noted(rows(7, Some(LATER))), (7, Some(LATER)));
        assert_eq!(noted(rows(8, None)), (8, None));
    }

    #[test]
    fn a_reading_to_be_made_again_keeps_which_database_it_was_and_is_not_believed() {
        let before = observed();
        let after = before.without_a_look_at(LATER);
        assert_eq!((after.at, after.in_sync, after.unfinished), (Time(i64::MIN), false, Some(LATER)));
        assert_eq!((after.identity, after.sequence), (before.identity, before.sequence));
    }
}

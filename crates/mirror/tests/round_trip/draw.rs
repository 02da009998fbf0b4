//! Values of every shape from a tape of numbers, so that a failure shrinks.

use ptah_lifecycle::{
    Epoch, Failures, Family, Finding, Hold, Holder, Identity, IdentitySource, LastAnswer, Lease, Operation, Outcome,
    RunEvidence, StateRefusal, Time, Uid, Version,
};
use ptah_model::Digest;

/// The tape.
pub(crate) struct Draw {
    tape: Vec<u64>,
    place: usize,
}

impl Draw {
    pub(crate) fn new(tape: Vec<u64>) -> Self {
        Self { tape, place: 0 }
    }

    pub(crate) fn number(&mut self) -> u64 {
        let number = self.tape[self.place % self.tape.len()];
        self.place += 1;
        number
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.number() % most
    }

    pub(crate) fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    pub(crate) fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.yes() { Some(make(self)) } else { None }
    }

    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }

    pub(crate) fn digest(&mut self) -> Digest {
        Digest::of(&self.number().to_be_bytes())
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.number()) << 64 | u128::from(self.number())
    }

    pub(crate) fn uid(&mut self) -> Uid {
        Uid(self.wide())
    }

    pub(crate) fn epoch(&mut self) -> Epoch {
        Epoch(self.wide())
    }

    /// A UUID of version 7, as a manager makes one.
    pub(crate) fn operation(&mut self) -> Operation {
        let fixed = 0xf000_u128 << 64 | 0xc000_u128 << 48;
        Operation(self.wide() & !fixed | 0x7000_u128 << 64 | 0x8000_u128 << 48)
    }

    /// A moment of this century.
    pub(crate) fn time(&mut self) -> Time {
        Time(i64::try_from(1_700_000_000 + self.below(1_000_000_000)).unwrap())
    }

    pub(crate) fn identity(&mut self) -> Identity {
        Identity {
            database: self.digest(),
            route: self.digest(),
            source: self.one(&[IdentitySource::Reported, IdentitySource::Planned]),
            apart: self.maybe(Self::digest),
        }
    }

    pub(crate) fn outcome(&mut self) -> Outcome {
        let units = u32::try_from(self.below(1 << 32)).unwrap();
        self.one(&[
            Outcome::Applied,
            Outcome::NotStarted,
            Outcome::NotApplied,
            Outcome::Partial(units),
            Outcome::Unknown,
        ])
    }

    pub(crate) fn finding(&mut self) -> Finding {
        self.one(&[Finding::Applied, Finding::NotApplied, Finding::Repaired])
    }

    pub(crate) fn answer(&mut self) -> LastAnswer {
        self.one(&[LastAnswer::LockBusy, LastAnswer::NotSettled, LastAnswer::NotBelieved, LastAnswer::NoResult])
    }

    pub(crate) fn refusal(&mut self) -> StateRefusal {
        self.one(&[
            StateRefusal::HistoryDirty,
            StateRefusal::HistoryModified,
            StateRefusal::HistoryOutOfOrder,
            StateRefusal::HistoryAhead,
            StateRefusal::ProtectedTable,
        ])
    }

    /// At most `most` Pods, some of which are known to have stopped.
    pub(crate) fn evidence(&mut self, most: u64) -> RunEvidence {
        let count = self.below(most + 1);
        let mut pods: Vec<Uid> = (0..count).map(|_| self.uid()).collect();
        pods.sort();
        pods.dedup();
        let stopped = pods.iter().copied().filter(|_| self.yes()).collect();
        RunEvidence { pods, stopped }
    }

    pub(crate) fn failures(&mut self) -> Failures {
        let count = u32::try_from(1 + self.below((1 << 32) - 1)).unwrap();
        Failures { count, since: self.time(), last: self.time() }
    }

    fn hold(&mut self) -> Hold {
        let family = self.one(&[Family::Schema, Family::Migration]);
        let sequence = if family == Family::Migration { self.maybe(Self::digest) } else { None };
        Hold {
            operation: self.operation(),
            family,
            resource: self.uid(),
            plan: self.uid(),
            fingerprint: self.digest(),
            sequence,
            execution_not_after: self.time(),
            state_version: 1,
        }
    }

    pub(crate) fn lease(&mut self) -> Lease {
        let settled: Vec<Operation> = (0..self.below(17)).map(|_| self.operation()).collect();
        let bound_to = self.maybe(Self::digest);
        Lease {
            version: Version(self.number()),
            holder: self.maybe(|draw| Holder { resource: draw.uid(), operation: draw.operation() }),
            epoch: self.epoch(),
            renewed: self.time(),
            duration: 5 + i64::try_from(self.below(86_000)).unwrap(),
            hold: self.maybe(Self::hold),
            state_version: u32::from(bound_to.is_some() || !settled.is_empty()),
            settled,
            bound_to,
        }
    }
}

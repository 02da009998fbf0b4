//! A life without hands: people, runners and the Job controller do their part whenever the operator waits, on a database
//! that remembers what really ran. What must hold after every pass is checked after every pass.

use ptah_lifecycle::permit::Answer;
use ptah_lifecycle::{
    Claim, Decision, Facts, Family, Finding, Kind, Operation, Outcome, Reading, Reported, Resolution, Section,
    SettleReading, Uid, decide,
};
use ptah_reconcile::Next;

use crate::support::{DB, Fault, ONE, World, finished, key, label, reading, untouched};

/// A cluster, the database that its runners reach, and what a pass may meet.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) world: World,
    /// The operations that really wrote, in order. More than one entry is a change that ran twice.
    pub(super) wrote: Vec<Operation>,
    /// The claims that were ever marked.
    marked: Vec<Operation>,
    /// How many passes left something unread.
    pub(super) widened: u32,
}

impl Life {
    pub(super) fn of(family: Family) -> Self {
        Self { world: World::of(family), wrote: Vec::new(), marked: Vec::new(), widened: 0 }
    }

    /// One pass, with a fault when its decision has this name.
    pub(super) fn pass(&mut self, uid: Uid, at: Option<(&str, Fault)>) -> (Decision, Next, bool) {
        let mut ahead = self.world.clone();
        let read = ahead.snapshot(uid).unwrap();
        let full = ahead.everything(&read);
        assert_eq!(decide(&read), decide(&full), "what is not read would change the decision");
        self.widened += u32::from(read != full);
        let mut ahead = self.world.clone();
        let name = label(&ahead.pass(uid).decision);
        let fault = at.filter(|(step, _)| *step == name).map(|(_, fault)| fault);
        let passed = self.world.pass_with(uid, fault);
        if let Some(claim) = self.world.resources.get(&uid).and_then(|found| found.status.claim.as_ref())
            && claim.marked
            && claim.kind == Kind::Apply
        {
            self.marked.push(claim.operation);
        }
        self.check(uid);
        (passed.decision, passed.next, fault.is_some())
    }

    /// Lives until the change is in the database, settled, and nothing is owed. The fault happens once.
    pub(super) fn until_settled(&mut self, uid: Uid, mut fault: Option<(&str, Fault)>) -> bool {
        let planned = fault.is_some();
        for _ in 0..400 {
            let (_, next, happened) = self.pass(uid, fault);
            if happened {
                fault = None;
            }
            if let Next::At(look) = next {
                if self.is_over(uid) {
                    return planned && fault.is_none();
                }
                if !self.outside(uid) {
                    self.world.now = look;
                }
            }
        }
        panic!("no end: {:?}", self.world.names(uid));
    }

    fn is_over(&self, uid: Uid) -> bool {
        let status = self.world.status(uid);
        let idle = status.claim.is_none() && status.record.is_none() && status.owed.is_none();
        idle && status.observed.is_some_and(|observed| observed.in_sync) && !self.wrote.is_empty()
    }

    /// What the outside does while the operator waits; whether it did something.
    fn outside(&mut self, uid: Uid) -> bool {
        let world = &mut self.world;
        if let Some(claim) = world.status(uid).claim.clone() {
            return world.jobs.contains_key(&claim.operation) && self.run(uid, &claim);
        }
        let status = world.status(uid);
        let open =
            |world: &World| world.approvals.values().any(|found| found.consumed.is_none() && found.stale.is_none());
        if status.plan.is_some() && !open(world) {
            world.approve(uid);
            return true;
        }
        let stuck = status.record.as_ref().filter(|record| record.attempts.is_some()).map(|record| record.operation);
        if let Some(run) = stuck.filter(|run| !world.acknowledgments.values().any(|ack| ack.operation == *run)) {
            world.acknowledge(uid, run, Finding::NotApplied);
            return true;
        }
        false
    }

    fn run(&mut self, uid: Uid, claim: &Claim) -> bool {
        let operation = claim.operation;
        if self.world.frames.keys().any(|(of, _)| *of == operation) {
            return false;
        }
        if claim.kind == Kind::Refresh {
            let read = self.read();
            self.world.send(operation, Uid(1), None, Section::Refresh(Ok(read)));
            self.world.stop(operation, None);
            return true;
        }
        let pod = self.world.start_pod(operation);
        let granted = matches!(self.world.ask(uid, operation, pod), Answer::Granted(_));
        let section = match (granted, claim.kind) {
            (false, _) => Section::NotStarted,
            (true, Kind::Apply) => {
                self.wrote.push(operation);
                Section::Run(Reported { outcome: Outcome::Applied, right_database: true })
            }
            (true, Kind::Settle | Kind::Refresh) => Section::Settle(SettleReading::Read(self.facts())),
        };
        self.world.send(operation, pod, granted.then(|| key(pod)), section);
        self.world.stop(operation, None);
        true
    }

    fn read(&self) -> Reading {
        if self.wrote.is_empty() { reading(DB, "before") } else { Reading { proposal: None, ..reading(DB, "after") } }
    }

    fn facts(&self) -> Facts {
        if self.wrote.is_empty() { untouched() } else { finished() }
    }

    /// What must hold after every pass.
    fn check(&self, uid: Uid) {
        let world = &self.world;
        let names = || world.names(uid);
        assert!(world.creates.values().all(|count| *count <= 1), "created twice: {:?}", names());
        assert!(self.wrote.len() <= 1, "the change ran twice: {:?}", names());
        let Some(found) = world.resources.get(&uid) else { return };
        let status = &found.status;
        let mutates = status.claim.as_ref().is_some_and(|claim| claim.kind != Kind::Refresh);
        assert!(found.finalizer || !(mutates || status.owed.is_some_and(|owed| owed.realm_epoch.is_some())));
        for run in &self.marked {
            let lease = world.database_lease(DB);
            let accounted = status.claim.as_ref().is_some_and(|claim| claim.operation == *run)
                || status.record.as_ref().is_some_and(|record| record.operation == *run)
                || lease.settled.contains(run)
                || status.owed.is_some_and(|owed| owed.drop_hold == Some(*run));
            assert!(accounted, "{run:?} is neither claimed, recorded nor settled: {:?}", names());
            let held = lease.hold.is_some_and(|hold| hold.operation == *run);
            assert!(held || lease.settled.contains(run), "{run:?} is not held: {:?}", names());
        }
        if let Some(resolved) = status.resolved
            && resolved.by == Resolution::NeverCreated
        {
            assert!(!self.wrote.contains(&resolved.operation));
        }
    }
}

/// The names of every decision in an undisturbed life.
pub(super) fn steps(family: Family) -> Vec<String> {
    let mut life = Life::of(family);
    life.until_settled(ONE, None);
    let mut names = life.world.names(ONE);
    names.sort();
    names.dedup();
    names
}

//! The model: objects with versions, passes that run the real `Gather`, `decide` and `Perform`, and faults at one call.

use std::collections::{BTreeMap, BTreeSet};

use ptah_lifecycle::{
    Acknowledgment, Approval, ClaimRows, Decision, Epoch, Frame, Fresh, Job, Lease, Manager, Operation, Plan, Pod,
    RealmReading, Resource, Snapshot, Time, Uid, decide,
};
use ptah_reconcile::{Gather, LeaseName, Memory, Next, Pass, Perform, PlanName, Reply, Step};

use super::digest;

/// The cluster as the operator sees it, and one operator process.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) manager: Manager,
    pub(crate) memory: BTreeMap<Uid, Memory>,
    pub(crate) resources: BTreeMap<Uid, Resource>,
    pub(crate) realms: BTreeMap<Uid, RealmReading>,
    pub(crate) leases: BTreeMap<LeaseName, Lease>,
    pub(crate) plans: BTreeMap<PlanName, Plan>,
    pub(crate) staged: BTreeSet<PlanName>,
    pub(crate) approvals: BTreeMap<Uid, Approval>,
    pub(crate) acknowledgments: BTreeMap<Uid, Acknowledgment>,
    pub(crate) jobs: BTreeMap<Operation, Job>,
    pub(crate) pods: BTreeMap<Uid, Vec<Pod>>,
    /// By operation and Pod.
    pub(crate) frames: BTreeMap<(Operation, Uid), Frame>,
    pub(crate) policies: bool,
    /// What the database remembers of runs.
    pub(crate) rows: ClaimRows,
    /// How often a Job was really created for an operation.
    pub(crate) creates: BTreeMap<Operation, u32>,
    /// Every decision that was carried out or waited for, in order.
    pub(crate) log: Vec<(Uid, Decision)>,
    counter: u64,
}

/// What goes wrong with the one request of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process dies before the request is sent.
    DiesBefore,
    /// The request takes effect and the process dies before the reply.
    DiesAfter,
    /// The request takes no effect and nobody knows.
    LostBefore,
    /// The request takes effect and nobody knows.
    LostAfter,
    /// The server answers with a client's error.
    Refused,
}

/// What one pass did.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub(crate) decision: Decision,
    pub(crate) next: Next,
}

/// A decision's name, as the tests and pages call it.
pub(crate) fn label(decision: &Decision) -> String {
    match decision {
        Decision::WriteStatus(_, why) => format!("{why:?}"),
        Decision::WriteLease(which, _, _, why) => format!("{why:?} {which:?}"),
        other => format!("{other:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
    }
}

impl World {
    /// An empty cluster, with a manager that leads.
    pub(crate) fn new() -> Self {
        Self {
            now: Time(1_000_000),
            manager: Manager { components: digest("components 1"), state_version: 1, leads: true },
            memory: BTreeMap::new(),
            resources: BTreeMap::new(),
            realms: BTreeMap::new(),
            leases: BTreeMap::new(),
            plans: BTreeMap::new(),
            staged: BTreeSet::new(),
            approvals: BTreeMap::new(),
            acknowledgments: BTreeMap::new(),
            jobs: BTreeMap::new(),
            pods: BTreeMap::new(),
            frames: BTreeMap::new(),
            policies: true,
            rows: ClaimRows::default(),
            creates: BTreeMap::new(),
            log: Vec::new(),
            counter: 0x1000,
        }
    }

    /// A number that nothing has used.
    pub(crate) fn unused(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    /// The manager dies; another process takes over and remembers nothing.
    pub(crate) fn restart(&mut self) {
        self.memory.clear();
    }

    /// What a pass over this resource would decide on now.
    pub(crate) fn snapshot(&mut self, uid: Uid) -> Option<Snapshot> {
        self.gather(uid).map(|(snapshot, _)| snapshot)
    }

    fn gather(&mut self, uid: Uid) -> Option<(Snapshot, Memory)> {
        let fresh = Fresh { operation: Operation(self.unused().into()), epoch: Epoch(self.unused().into()) };
        let memory = self.memory.get(&uid).cloned().unwrap_or_default();
        let mut gather = Gather::new(Pass { uid, now: self.now, fresh, manager: self.manager, memory });
        loop {
            match gather.step() {
                Step::Ask(request) => {
                    let reply = self.call(&request);
                    gather.take(reply).ok()?;
                }
                Step::Decide(snapshot) => return Some((*snapshot, gather.memory().clone())),
            }
        }
    }

    /// One pass.
    pub(crate) fn pass(&mut self, uid: Uid) -> Passed {
        self.pass_with(uid, None)
    }

    /// One pass, with a fault at its request.
    pub(crate) fn pass_with(&mut self, uid: Uid, fault: Option<Fault>) -> Passed {
        let (snapshot, mut memory) = self.gather(uid).unwrap();
        let decision = decide(&snapshot);
        self.log.push((uid, decision.clone()));
        let next = match Perform::new(&snapshot, decision.clone()) {
            Err(next) => next,
            Ok(perform) => {
                perform.sending(&mut memory);
                let reply = match fault {
                    None | Some(Fault::DiesAfter | Fault::LostAfter) => self.call(perform.request()),
                    Some(Fault::Refused) => Reply::Refused,
                    Some(Fault::DiesBefore | Fault::LostBefore) => Reply::Lost,
                };
                if matches!(fault, Some(Fault::DiesBefore | Fault::DiesAfter)) {
                    self.restart();
                    return Passed { decision, next: Next::Again };
                }
                let reply = if fault == Some(Fault::LostAfter) { Reply::Lost } else { reply };
                perform.take(&reply, &mut memory)
            }
        };
        self.memory.insert(uid, memory);
        Passed { decision, next }
    }

    /// Passes until one waits; their names, the wait's included.
    pub(crate) fn settle_down(&mut self, uid: Uid) -> Vec<String> {
        let mut names = Vec::new();
        while self.resources.contains_key(&uid) {
            let passed = self.pass(uid);
            names.push(label(&passed.decision));
            if passed.next != Next::Again {
                return names;
            }
            assert!(names.len() < 60, "no end: {names:?}");
        }
        names
    }

    /// Passes until a decision of this name was carried out. Waits are passed over without time going by.
    pub(crate) fn until(&mut self, uid: Uid, name: &str) -> Passed {
        let mut names = Vec::new();
        loop {
            let passed = self.pass(uid);
            if label(&passed.decision) == name {
                return passed;
            }
            names.push(label(&passed.decision));
            assert!(names.len() < 60, "{name} was not decided: {names:?}");
        }
    }

    /// The names of all decisions about this resource so far.
    pub(crate) fn names(&self, uid: Uid) -> Vec<String> {
        self.log.iter().filter(|(of, _)| *of == uid).map(|(_, decision)| label(decision)).collect()
    }
}

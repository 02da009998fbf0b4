//! The world that the core acts on: objects of the API server, processes on nodes, databases, managers.
//!
//! IDs and versions come from one counter and are compared for equality only; [`crate::canon`] renames them, so that
//! states that differ in nothing else are one state.

use ptah_lifecycle::{
    Acknowledgment, Approval, Claim, Family, Frame, Fresh, Lease, Manager, Operation, Plan, Resource, Time, Uid,
    Version,
};
use ptah_model::Digest;
use ptah_reconcile::{Gather, LeaseName, Memory, Perform, PlanName};

/// One state of everything.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) next_id: u64,
    pub(crate) resources: Vec<Resource>,
    pub(crate) leases: Vec<(LeaseName, Lease)>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) staged: Vec<PlanName>,
    pub(crate) approvals: Vec<Approval>,
    pub(crate) acknowledgments: Vec<Acknowledgment>,
    pub(crate) jobs: Vec<JobObject>,
    pub(crate) pods: Vec<PodObject>,
    pub(crate) frames: Vec<Frame>,
    /// Results of runs whose claim was gone when they came.
    pub(crate) late: Vec<Frame>,
    /// Which resources claim by a `PtahRealm`, and whether it admits them now; the others claim by a key.
    pub(crate) grants: Vec<(Uid, bool)>,
    pub(crate) databases: Vec<Database>,
    pub(crate) managers: Vec<ManagerState>,
    /// What a person makes again after a deletion.
    pub(crate) blueprint: Resource,
    /// Whether anything may happen between two readings of one pass.
    pub(crate) apart: bool,
    /// Whether a database may be put back: then runs that it may remember again are not forgotten.
    pub(crate) rewinds: bool,
    pub(crate) budget: Budget,
    pub(crate) ghost: Vec<Ghost>,
    /// What is not as it must be, found by the last action.
    pub(crate) broken: Option<&'static str>,
}

/// A Job, with what was written into it when it was created.
#[derive(Clone, Debug, Hash)]
pub(crate) struct JobObject {
    pub(crate) uid: Uid,
    pub(crate) resource: Uid,
    pub(crate) claim: Claim,
    pub(crate) digest: Digest,
    pub(crate) family: Family,
    /// The run that a settling reading is about.
    pub(crate) settles: Option<Operation>,
    /// What the plan runs, and the state that it was made on.
    pub(crate) plan: Option<Plan>,
    /// The artifact that a refresh reads.
    pub(crate) artifact: Digest,
    /// The database that its address leads to, by index.
    pub(crate) database: usize,
    /// The runs that were settled when it was created.
    pub(crate) settled: Vec<Operation>,
    pub(crate) terminal: bool,
    pub(crate) expiring: bool,
    /// Somebody deleted it: nobody sees it any more, and its Pods are being killed.
    pub(crate) deleted: bool,
}

/// A Pod and its process.
#[derive(Clone, Debug, Hash)]
pub(crate) struct PodObject {
    pub(crate) uid: Uid,
    pub(crate) job: Uid,
    pub(crate) process: Process,
    pub(crate) said_over: bool,
    pub(crate) kept: bool,
    /// When it kills its process: so many seconds after it asked to be let in as it was told then.
    pub(crate) deadline: Option<Time>,
    pub(crate) summary: Option<ptah_lifecycle::Reported>,
}

/// Where a process is.
#[expect(clippy::large_enum_variant, reason = "copied by value with its world, which is what the search does most")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Process {
    /// It has not asked to be let in.
    Started,
    /// It was let in and has opened nothing.
    LetIn,
    /// It holds the database's lock and has written that it begins.
    Begun,
    /// It holds the lock; so many units are in the database.
    Ran(u8),
    /// It knows what it has to say and has not said it.
    Done(Said),
    /// Its process is gone.
    Stopped,
}

/// What a process has to say.
#[expect(clippy::large_enum_variant, reason = "copied by value with its world, which is what the search does most")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Said {
    /// Nothing was opened.
    NotStarted,
    /// The outcome of a run.
    Run(ptah_lifecycle::Outcome),
    /// What a settling reading found.
    Settle(ptah_lifecycle::SettleReading),
    /// What a refresh read.
    Refresh(Result<ptah_lifecycle::Reading, ptah_lifecycle::ReadFailure>),
}

/// A database: its content, its lock, and what it remembers.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Database {
    pub(crate) identity: Digest,
    /// Which running server it is; absent where nobody says.
    pub(crate) instance: Option<Digest>,
    /// How many runs have begun on it.
    pub(crate) begun: u64,
    /// Which artifact was run last, and how many of its two units are there.
    pub(crate) artifact: u8,
    pub(crate) units: u8,
    pub(crate) lock: Lock,
    pub(crate) rows: Vec<Row>,
}

/// Who holds a database's lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lock {
    Free,
    /// The session of a process.
    Pod(Uid),
    /// A session whose process is gone; its last statement may still commit.
    Orphan {
        run: Operation,
        artifact: u8,
        unit: Option<u8>,
    },
}

/// A row of our own in the database.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Row {
    pub(crate) operation: Operation,
    pub(crate) family: Family,
    pub(crate) plan: Digest,
    pub(crate) finished: bool,
}

/// A process of the operator.
#[derive(Clone, Debug)]
pub(crate) struct ManagerState {
    pub(crate) manager: Manager,
    /// How far its clock is ahead, in seconds.
    pub(crate) ahead: i64,
    /// For each resource, by index.
    pub(crate) memory: Vec<Memory>,
    pub(crate) pending: Vec<Option<Perform>>,
    /// A pass that reads one object after another, where the readings of a pass are taken apart.
    pub(crate) reading: Vec<Option<Gather>>,
    /// A permit on its way, and for which resource.
    pub(crate) permit: Option<(usize, Perform)>,
}

/// A budget that is not used up.
pub(crate) const UNLIMITED: u8 = u8::MAX;

/// What may still go wrong, and what people may still do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    pub(crate) faults: u8,
    pub(crate) slow: u8,
    pub(crate) edits: u8,
    pub(crate) suspends: u8,
    pub(crate) deletes: u8,
    pub(crate) approvals: u8,
    pub(crate) revokes: u8,
    pub(crate) acknowledgments: u8,
    pub(crate) drifts: u8,
    pub(crate) upgrades: u8,
    pub(crate) recreates: u8,
    pub(crate) leases: u8,
    pub(crate) grants: u8,
    pub(crate) retargets: u8,
    pub(crate) reboots: u8,
    pub(crate) rewinds: u8,
    /// How often the second manager may decide; [`UNLIMITED`] is as often as it wants.
    pub(crate) second: u8,
}

#[expect(clippy::struct_excessive_bools, reason = "each is one fact, and every combination is possible")]
/// What really happened to one Apply, whatever anybody wrote down.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Ghost {
    pub(crate) operation: Operation,
    pub(crate) resource: Uid,
    pub(crate) marked: bool,
    pub(crate) created: u8,
    pub(crate) refused: bool,
    pub(crate) let_in: u8,
    pub(crate) ran: [u8; 2],
    /// The database that it ran on, by index.
    pub(crate) database: Option<usize>,
    /// A reading of it under the lock has begun.
    pub(crate) read: bool,
    /// Such a reading has ended.
    pub(crate) answered: bool,
    /// It was written down as settled by a reading.
    pub(crate) settled: bool,
    pub(crate) acknowledged: bool,
    /// Somebody deleted the Lease that carried its hold.
    pub(crate) lost: bool,
    /// Its database was put back since it was last read: what was found is not so any more.
    pub(crate) rewound: bool,
}

impl World {
    /// An ID that nothing has used.
    pub(crate) fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub(crate) fn uid(&mut self) -> Uid {
        Uid(u128::from(self.id()))
    }

    pub(crate) fn version(&mut self) -> Version {
        Version(self.id())
    }

    /// IDs that nothing has used, for a pass; used up by [`use_fresh`](Self::use_fresh) if the pass decides something.
    pub(crate) fn next_fresh(&self) -> Fresh {
        let next = u128::from(self.next_id);
        Fresh { operation: Operation(next + 1), epoch: ptah_lifecycle::Epoch(next + 2) }
    }

    pub(crate) fn use_fresh(&mut self) {
        self.next_id += 2;
    }

    pub(crate) fn resource(&self, uid: Uid) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.uid == uid)
    }

    pub(crate) fn lease(&self, name: LeaseName) -> Option<&Lease> {
        self.leases.iter().find(|(found, _)| *found == name).map(|(_, lease)| lease)
    }

    pub(crate) fn job(&self, uid: Uid) -> Option<&JobObject> {
        self.jobs.iter().find(|job| job.uid == uid)
    }

    pub(crate) fn ghost(&mut self, operation: Operation) -> Option<&mut Ghost> {
        self.ghost.iter_mut().find(|ghost| ghost.operation == operation)
    }

    /// Whether a resource's realm admits it.
    pub(crate) fn is_admitted(&self, uid: Uid) -> bool {
        self.grants.iter().all(|(of, granted)| *of != uid || *granted)
    }

    /// Whether a resource claims by a `PtahRealm`.
    pub(crate) fn by_realm(&self, uid: Uid) -> bool {
        self.grants.iter().any(|(of, _)| *of == uid)
    }

    /// The database that a target digest leads to: its first byte says which.
    pub(crate) fn database_of(&self, target: Digest) -> usize {
        usize::from(target.as_bytes()[0]) % self.databases.len()
    }

    /// Notes the first thing that is not as it must be.
    pub(crate) fn must(&mut self, holds: bool, invariant: &'static str) {
        if !holds && self.broken.is_none() {
            self.broken = Some(invariant);
        }
    }
}

/// A constant digest: [`crate::canon`] does not rename it.
pub(crate) fn constant(number: u8) -> Digest {
    let mut bytes = [0; 32];
    bytes[0] = number;
    bytes[31] = 0xC0;
    Digest::from_bytes(bytes)
}

/// The digest of a database's content.
pub(crate) fn state(artifact: u8, units: u8) -> Digest {
    constant(100 + artifact * 4 + units)
}

/// The digest of the key that a Pod makes.
pub(crate) fn key(pod: Uid) -> Digest {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&pod.0.to_be_bytes());
    bytes[31] = 0xEE;
    Digest::from_bytes(bytes)
}

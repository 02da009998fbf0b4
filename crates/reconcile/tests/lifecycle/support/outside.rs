//! What acts on the cluster besides the operator: people, the kubelet, runners; and short ways to a state of a run.

use ptah_lifecycle::permit::{self, Answer};
use ptah_lifecycle::{
    Acknowledgment, Approval, Claim, Facts, Family, Finding, Frame, Lease, Operation, Outcome, Pod, Reading, Reported,
    Resource, Section, SettleReading, Status, Stopped, Time, Uid, Version,
};
use ptah_reconcile::LeaseName;

use super::{World, digest, identity, reading, resource};

/// The one resource of most tests.
pub(crate) const ONE: Uid = Uid(1);
/// Its database.
pub(crate) const DB: &str = "orders";

impl World {
    /// A cluster with one resource of this family.
    pub(crate) fn of(family: Family) -> Self {
        let mut world = Self::new();
        world.add(resource(family, ONE.0, "key"));
        world
    }

    /// Creates a resource.
    pub(crate) fn add(&mut self, resource: Resource) {
        self.resources.insert(resource.uid, resource);
    }

    /// Changes a resource from outside.
    pub(crate) fn edit(&mut self, uid: Uid, edit: impl FnOnce(&mut Resource)) {
        let version = Version(self.unused());
        let found = self.resources.get_mut(&uid).unwrap();
        edit(found);
        found.version = version;
    }

    /// The resource's status.
    pub(crate) fn status(&self, uid: Uid) -> &Status {
        &self.resources[&uid].status
    }

    /// The resource's claim, which there is.
    pub(crate) fn claim(&self, uid: Uid) -> Claim {
        self.status(uid).claim.clone().unwrap()
    }

    /// C of this key.
    pub(crate) fn realm_lease(&self, key: &str) -> &Lease {
        &self.leases[&LeaseName::Realm(digest(key))]
    }

    /// D of this database.
    pub(crate) fn database_lease(&self, database: &str) -> &Lease {
        &self.leases[&LeaseName::Database(digest(database))]
    }

    /// A database's Lease after one tenure, held by nobody.
    pub(crate) fn bound_lease(mut self) -> Lease {
        self.applying(ONE, "NoteEpochs");
        let bound = Some(self.resources[&ONE].spec.coordination);
        Lease { holder: None, bound_to: bound, ..self.database_lease(DB).clone() }
    }

    /// Lets a refresh be claimed and answers it with this.
    pub(crate) fn refresh(&mut self, uid: Uid, reading: &Reading) {
        self.until(uid, "CreateJob");
        let operation = self.claim(uid).operation;
        self.send(operation, Uid(0x50d), None, Section::Refresh(Ok(*reading)));
        self.until(uid, "TakeReading");
    }

    /// Makes the current plan, on state `before`.
    pub(crate) fn planned(&mut self, uid: Uid) {
        self.refresh(uid, &reading(DB, "before"));
    }

    /// A person approves the current plan.
    pub(crate) fn approve(&mut self, uid: Uid) -> Uid {
        let plan = self.status(uid).plan.unwrap();
        self.approve_plan(uid, plan)
    }

    /// A person approves a plan, be it current or not.
    pub(crate) fn approve_plan(&mut self, uid: Uid, plan: ptah_lifecycle::PlanRef) -> Uid {
        let approval = Uid(self.unused().into());
        let version = Version(self.unused());
        let approval = Approval {
            uid: approval,
            version,
            resource: uid,
            plan: plan.uid,
            fingerprint: plan.fingerprint,
            created: self.now,
            deleting: false,
            attested: true,
            own_change: false,
            consumed: None,
            stale: None,
        };
        self.approvals.insert(approval.uid, approval);
        approval.uid
    }

    /// A person says what became of a run.
    pub(crate) fn acknowledge(&mut self, uid: Uid, operation: Operation, finding: Finding) -> Uid {
        let ack = Uid(self.unused().into());
        let version = Version(self.unused());
        let ack = Acknowledgment {
            uid: ack,
            version,
            claimant: uid,
            operation,
            finding,
            created: self.now,
            attested: true,
            own_run: false,
            judged: None,
        };
        self.acknowledgments.insert(ack.uid, ack);
        ack.uid
    }

    /// An approved plan whose claim was carried on until a decision of this name.
    pub(crate) fn applying(&mut self, uid: Uid, until: &str) -> Claim {
        self.planned(uid);
        self.approve(uid);
        self.until(uid, until);
        self.claim(uid)
    }

    /// The Job controller makes a Pod of the operation's Job.
    pub(crate) fn start_pod(&mut self, operation: Operation) -> Uid {
        let pod = Pod { uid: Uid(self.unused().into()), as_built: true, said_over: false, stopped: None, kept: true };
        self.pods.entry(self.jobs[&operation].uid).or_default().push(pod);
        pod.uid
    }

    /// A runner asks to be let in, until it is answered.
    pub(crate) fn ask(&mut self, uid: Uid, operation: Operation, pod: Uid) -> Answer {
        self.ask_with(uid, operation, pod, key(pod))
    }

    /// A runner asks to be let in with this key, until it is answered.
    pub(crate) fn ask_with(&mut self, uid: Uid, operation: Operation, pod: Uid, key: ptah_model::Digest) -> Answer {
        for _ in 0..10 {
            let snapshot = self.snapshot(uid).unwrap();
            let request = permit::Request { operation, pod, key };
            match permit::answer(&snapshot, &request) {
                Answer::First(decision) => {
                    let perform = ptah_reconcile::Perform::new(&snapshot, decision).unwrap();
                    self.call(&perform.request().clone());
                }
                answer => return answer,
            }
        }
        panic!("the runner is never answered")
    }

    /// A result is delivered.
    pub(crate) fn send(&mut self, operation: Operation, pod: Uid, key: Option<ptah_model::Digest>, section: Section) {
        let state_version = self.manager.state_version;
        let frame = Frame { operation, pod, key, conflict: false, section, rows: self.rows, state_version };
        self.frames.insert((operation, pod), frame);
    }

    /// The Pod's process ends and its Job with it.
    pub(crate) fn stop(&mut self, operation: Operation, summary: Option<Reported>) {
        let job = self.jobs.get_mut(&operation).unwrap();
        job.terminal = true;
        for pod in self.pods.entry(job.uid).or_default() {
            pod.stopped = Some(Stopped { summary });
            pod.said_over = true;
        }
    }

    /// A started Apply: the claim with its Job, its Pod let in.
    pub(crate) fn started(&mut self, uid: Uid) -> (Claim, Uid) {
        let claim = self.applying(uid, "NoteJob");
        let pod = self.start_pod(claim.operation);
        assert!(matches!(self.ask(uid, claim.operation, pod), Answer::Granted(_)));
        self.settle_down(uid);
        (self.claim(uid), pod)
    }

    /// A run that ended with this result, recorded.
    pub(crate) fn ended(&mut self, uid: Uid, outcome: Outcome) -> Operation {
        let (claim, pod) = self.started(uid);
        let said = Reported { outcome, right_database: true };
        self.send(claim.operation, pod, Some(key(pod)), Section::Run(said));
        self.stop(claim.operation, Some(said));
        self.until(uid, "RecordRun");
        claim.operation
    }

    /// Lets the record be read under the database's lock, and answers with this.
    pub(crate) fn settle(&mut self, uid: Uid, answer: SettleReading) {
        self.until(uid, "NoteJob");
        let operation = self.claim(uid).operation;
        let pod = self.start_pod(operation);
        assert!(matches!(self.ask(uid, operation, pod), Answer::Granted(_)));
        self.send(operation, pod, Some(key(pod)), Section::Settle(answer));
        self.stop(operation, None);
    }

    /// Time goes by.
    pub(crate) fn wait(&mut self, seconds: i64) {
        self.now = Time(self.now.0 + seconds);
    }
}

/// The key that a Pod's runner makes.
pub(crate) fn key(pod: Uid) -> ptah_model::Digest {
    digest(&format!("key of {pod:?}"))
}

/// A reading under the lock that finds everything as the plan wanted it.
pub(crate) fn finished() -> Facts {
    Facts {
        database: identity(DB).database,
        as_desired: true,
        dirty: false,
        every_planned_applied: true,
        older_unchanged: true,
        as_before: false,
        unfinished: false,
    }
}

/// A reading under the lock that finds everything as it was before the run.
pub(crate) fn untouched() -> Facts {
    Facts { as_desired: false, every_planned_applied: false, as_before: true, ..finished() }
}

//! `gather`: which object to read next, until there is a snapshot.
//!
//! The order matters where two objects tell one story: the resource first; the Job before its Pods before its result, so
//! that what a stopped Pod delivered is seen; the Leases last, right before the effect that rests on them.

use ptah_lifecycle::{
    Acknowledgment, Approval, Claimant, Frame, Fresh, JobReading, LeaseReading, Manager, Plan, Pod, RealmReading,
    Resource, Snapshot, Time, Uid,
};
use ptah_model::Digest;

use crate::memory::Memory;
use crate::request::{LeaseName, PlanName, Reply, Request};
use crate::wanted::{self, Wanted};

/// What a pass begins with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The resource.
    pub uid: Uid,
    /// The time, by the manager's clock.
    pub now: Time,
    /// IDs that nothing has used.
    pub fresh: Fresh,
    /// The manager.
    pub manager: Manager,
    /// What it remembers.
    pub memory: Memory,
}

/// A pass that reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    pass: Pass,
    read: Read,
}

/// What has been read so far; `None` is what has not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Read {
    resource: Option<Resource>,
    job: Option<JobReading>,
    pods: Option<Vec<Pod>>,
    frame: Asked<Frame>,
    plan: Asked<Plan>,
    approvals: Option<Vec<Approval>>,
    acknowledgments: Option<Vec<Acknowledgment>>,
    staged: Option<bool>,
    built: Option<Digest>,
    attested: Option<bool>,
    realm: Option<RealmReading>,
    claimants: Option<Vec<Claimant>>,
    realm_lease: Option<LeaseReading>,
    database_lease: Option<LeaseReading>,
    plain_lease: Option<LeaseReading>,
    incumbents: Option<Vec<Claimant>>,
    newcomers: Option<Vec<Claimant>>,
    held_plan: Asked<Plan>,
}

/// One object that may be asked for and not be there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
enum Asked<T> {
    #[default]
    NotYet,
    Absent,
    Found(T),
}

impl<T> Asked<T> {
    fn answered(found: Option<T>) -> Self {
        found.map_or(Self::Absent, Self::Found)
    }

    fn found(&self) -> Option<&T> {
        match self {
            Self::Found(object) => Some(object),
            Self::NotYet | Self::Absent => None,
        }
    }

    fn is_open(&self) -> bool {
        matches!(self, Self::NotYet)
    }
}

/// What a pass does next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Carry this out and [`take`](Gather::take) its reply.
    Ask(Request),
    /// Decide on this.
    Decide(Box<Snapshot>),
}

/// Why a pass ends without a snapshot. Nothing was changed; the next pass reads again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// The resource is gone.
    Gone,
    /// A read failed, or its reply does not answer what was asked.
    Unread,
}

impl Gather {
    /// A pass that has read nothing yet.
    pub fn new(pass: Pass) -> Self {
        Self { pass, read: Read::default() }
    }

    /// What this process remembers, with what the pass has read.
    pub fn memory(&self) -> &Memory {
        &self.pass.memory
    }

    /// What is to be read next, or the snapshot. Asking twice gives the same answer.
    pub fn step(&self) -> Step {
        let Some(resource) = &self.read.resource else { return Step::Ask(Request::GetResource(self.pass.uid)) };
        let wanted = Wanted::of(resource);
        let request = self
            .run(resource, wanted)
            .or_else(|| self.documents(resource, wanted))
            .or_else(|| self.realm(resource, wanted))
            .or_else(|| self.leases(resource, wanted))
            .or_else(|| self.others(resource, wanted))
            .or_else(|| self.held_plan(resource))
            .or_else(|| self.built(resource));
        match request {
            Some(request) => Step::Ask(request),
            None => Step::Decide(Box::new(self.snapshot(resource))),
        }
    }

    fn run(&self, resource: &Resource, wanted: Wanted) -> Option<Request> {
        let status = &resource.status;
        let claim = status.claim.as_ref().map(|claim| claim.operation);
        let operation = claim.or(status.record.as_ref().map(|record| record.operation)).filter(|_| wanted.run)?;
        let Some(job) = self.read.job else { return Some(Request::GetJob(operation)) };
        let known = claim.is_none().then(|| status.record.as_ref()?.job).flatten();
        let recorded = status.claim.as_ref().and_then(|claim| claim.job).or(known);
        let found = match job {
            JobReading::Found(job) => Some(job.uid),
            JobReading::Absent | JobReading::NotRead => None,
        };
        if let (None, Some(job)) = (&self.read.pods, recorded.or(found)) {
            return Some(Request::ListPods(job));
        }
        let admitted = status.claim.as_ref().and_then(|claim| claim.started_by).map(|permit| permit.pod);
        (self.read.frame.is_open() && claim.is_some()).then_some(Request::GetFrame(operation, admitted))
    }

    fn documents(&self, resource: &Resource, wanted: Wanted) -> Option<Request> {
        let read = &self.read;
        let frame = read.frame.found();
        if let (true, true, Some(plan)) = (wanted.plan, read.plan.is_open(), wanted::plan(resource, frame)) {
            return Some(Request::GetPlan(plan));
        }
        if wanted.approvals && read.approvals.is_none() {
            let named = resource.status.claim.as_ref().and_then(|claim| claim.approval);
            return Some(Request::ListApprovals(resource.uid, named));
        }
        if wanted.acknowledgments && read.acknowledgments.is_none() {
            return Some(Request::ListAcknowledgments(resource.uid));
        }
        if let (true, None, Some(plan)) = (wanted.staged, read.staged, wanted::plan(resource, frame)) {
            return Some(Request::GetStaged(plan));
        }
        (wanted.policies && read.attested.is_none()).then_some(Request::GetPolicies)
    }

    fn realm(&self, resource: &Resource, wanted: Wanted) -> Option<Request> {
        if !wanted.census {
            return None;
        }
        if self.read.realm.is_none() {
            return Some(Request::GetRealm(resource.uid));
        }
        self.read.claimants.is_none().then_some(Request::ListClaimants(resource.spec.coordination))
    }

    fn leases(&self, resource: &Resource, wanted: Wanted) -> Option<Request> {
        if wanted.realm_lease && self.read.realm_lease.is_none() {
            return Some(Request::GetLease(LeaseName::Realm(wanted::coordination(resource))));
        }
        let frame = self.read.frame.found();
        if self.read.database_lease.is_none() {
            return wanted::database(resource, frame).map(|name| Request::GetLease(LeaseName::Database(name)));
        }
        if self.read.plain_lease.is_none() && resource.status.owed.is_none() {
            return wanted::plain(resource, frame).map(|name| Request::GetLease(LeaseName::Database(name)));
        }
        None
    }

    /// Those who claim the database under the name that it is bound to; where it is bound to none, those who have read it.
    fn others(&self, resource: &Resource, wanted: Wanted) -> Option<Request> {
        let lease = self.read.database_lease.as_ref()?.lease.as_ref();
        let plain = self.read.plain_lease.as_ref().and_then(|reading| reading.lease.as_ref());
        let (own, bound) = (resource.spec.coordination, lease.and_then(|lease| lease.bound_to));
        let other = |bound: Option<Digest>| bound.filter(|bound| *bound != own);
        if let Some(other) = other(bound).or(other(plain.and_then(|lease| lease.bound_to))) {
            return self.read.incumbents.is_none().then_some(Request::ListClaimants(other));
        }
        let unbound = wanted.census && bound.is_none() && self.read.realm == Some(RealmReading::Key);
        if !unbound || self.read.newcomers.is_some() {
            return None;
        }
        wanted::database(resource, self.read.frame.found()).map(Request::ListReaders)
    }

    /// The plan of a hold that is to be taken over, where it is of this resource's own family.
    fn held_plan(&self, resource: &Resource) -> Option<Request> {
        let own = self.read.database_lease.as_ref()?.hold();
        let hold = own.or(self.read.plain_lease.as_ref().and_then(LeaseReading::hold))?;
        let open = hold.family == resource.family && self.read.held_plan.is_open();
        let free = resource.status.record.is_none() && resource.status.claim.is_none();
        (open && free).then_some(Request::GetPlan(PlanName(hold.fingerprint)))
    }

    /// The Job is built of everything that was read: its Pod is told what the database's Lease lists as settled.
    fn built(&self, resource: &Resource) -> Option<Request> {
        self.read.built.is_none().then_some(Request::BuildJob(resource.uid))
    }

    /// Takes in the reply to what [`step`](Self::step) asks.
    ///
    /// # Errors
    /// [`Ended`]: the pass is over.
    pub fn take(&mut self, reply: Reply) -> Result<(), Ended> {
        let Step::Ask(request) = self.step() else { return Err(Ended::Unread) };
        let read = &mut self.read;
        match (request, reply) {
            (Request::GetResource(_), Reply::Resource(found)) => read.resource = Some(*found.ok_or(Ended::Gone)?),
            (Request::GetJob(_), Reply::Job(job)) => read.job = Some(job),
            (Request::ListPods(_), Reply::Pods(pods)) => read.pods = Some(pods),
            (Request::GetFrame(..), Reply::Frame(frame)) => read.frame = Asked::answered(frame.map(|frame| *frame)),
            (Request::GetPlan(_), Reply::Plan(plan)) if read.database_lease.is_some() => {
                read.held_plan = Asked::answered(plan.map(|plan| *plan));
            }
            (Request::GetPlan(_), Reply::Plan(plan)) => read.plan = Asked::answered(plan.map(|plan| *plan)),
            (Request::ListApprovals(..), Reply::Approvals(list)) => read.approvals = Some(list),
            (Request::ListAcknowledgments(_), Reply::Acknowledgments(list)) => read.acknowledgments = Some(list),
            (Request::GetStaged(_), Reply::Yes(yes)) => read.staged = Some(yes),
            (Request::BuildJob(_), Reply::Digest(digest)) => read.built = Some(digest),
            (Request::GetPolicies, Reply::Yes(yes)) => read.attested = Some(yes),
            (Request::GetRealm(_), Reply::Realm(realm)) => read.realm = Some(realm),
            (Request::ListClaimants(_), Reply::Claimants(list)) if read.database_lease.is_none() => {
                read.claimants = Some(list);
            }
            (Request::ListClaimants(_), Reply::Claimants(list)) => read.incumbents = Some(list),
            (Request::ListReaders(_), Reply::Claimants(list)) => read.newcomers = Some(list),
            (Request::GetLease(LeaseName::Realm(_)), Reply::Lease(lease)) => {
                read.realm_lease = Some(self.pass.memory.realm.read(lease.map(|lease| *lease), self.pass.now));
            }
            (Request::GetLease(LeaseName::Database(_)), Reply::Lease(lease)) if read.database_lease.is_some() => {
                let lease = lease.map(|lease| *lease);
                read.plain_lease = Some(LeaseReading { lease, unchanged_since: self.pass.now });
            }
            (Request::GetLease(LeaseName::Database(_)), Reply::Lease(lease)) => {
                read.database_lease = Some(self.pass.memory.database.read(lease.map(|lease| *lease), self.pass.now));
            }
            (_, _) => return Err(Ended::Unread),
        }
        Ok(())
    }

    /// Everything that was read. What was not wanted is what decides nothing.
    fn snapshot(&self, resource: &Resource) -> Snapshot {
        let read = self.read.clone();
        let unread = LeaseReading { lease: None, unchanged_since: self.pass.now };
        Snapshot {
            now: self.pass.now,
            fresh: self.pass.fresh,
            manager: self.pass.manager,
            resource: resource.clone(),
            realm: read.realm.unwrap_or(RealmReading::NotGranted),
            claimants: read.claimants.unwrap_or_default(),
            realm_lease: read.realm_lease.unwrap_or(unread),
            database_lease: read.database_lease,
            plain_lease: read.plain_lease,
            held_plan: read.held_plan.found().copied(),
            plan: read.plan.found().copied(),
            approvals: read.approvals.unwrap_or_default(),
            acknowledgments: read.acknowledgments.unwrap_or_default(),
            job: read.job.unwrap_or(JobReading::NotRead),
            pods: read.pods.unwrap_or_default(),
            frame: read.frame.found().cloned(),
            staged: read.staged.unwrap_or(false),
            built: read.built.unwrap_or_else(|| Digest::of(b"")),
            memory: self.pass.memory.own,
            incumbents: read.incumbents.unwrap_or_default(),
            newcomers: read.newcomers.unwrap_or_default(),
            attested: read.attested.unwrap_or(false),
        }
    }
}

//! `perform`: a decision as one request, and what its reply means for what the process remembers.

use ptah_lifecycle::{Decision, Operation, Snapshot, Time, Which, Why};

use crate::memory::Memory;
use crate::request::{LeaseName, PlanName, Reply, Request};

/// A decision on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Perform {
    request: Request,
    marks: Option<Operation>,
    creates: Option<Operation>,
}

/// What follows a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// Read again at once.
    Again,
    /// Read again then, or when something wakes the resource.
    At(Time),
    /// Nothing: this manager may not act here.
    Never,
}

impl Perform {
    /// The request of a decision, or what follows a decision that asks for none.
    ///
    /// # Errors
    /// [`Next`]: there is nothing to be carried out.
    pub fn new(snapshot: &Snapshot, decision: Decision) -> Result<Self, Next> {
        let claim = snapshot.resource.status.claim.as_ref().map(|claim| claim.operation);
        let marks = claim.filter(|_| matches!(decision, Decision::WriteStatus(_, Why::Mark)));
        let creates = if let Decision::CreateJob(claim) = &decision { Some(claim.operation) } else { None };
        Ok(Self { request: request(snapshot, decision)?, marks, creates })
    }

    /// The one request. Before it is sent, the process forgets that it may create: [`sending`](Self::sending).
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Notes that the request is about to be sent. A create is tried once: whatever happens to this one, the process that
    /// sent it may not send another.
    pub fn sending(&self, memory: &mut Memory) {
        if self.creates.is_some() {
            memory.own.may_create = None;
        }
    }

    /// Takes in the reply. Only an answer is believed: a mark that may have been written by nobody knows whom lets nobody
    /// create.
    pub fn take(self, reply: &Reply, memory: &mut Memory) -> Next {
        if *reply == Reply::Done && self.marks.is_some() {
            memory.own.may_create = self.marks;
        }
        if *reply == Reply::Refused && self.creates.is_some() {
            memory.own.create_refused = self.creates;
        }
        Next::Again
    }
}

fn request(s: &Snapshot, decision: Decision) -> Result<Request, Next> {
    let (uid, version) = (s.resource.uid, s.resource.version);
    Ok(match decision {
        Decision::AddFinalizer => Request::PutFinalizer(uid, version, true),
        Decision::RemoveFinalizer => Request::PutFinalizer(uid, version, false),
        Decision::WriteStatus(status, _) => Request::PutStatus(uid, version, status),
        Decision::WriteLease(which, lease, expected, _) => Request::PutLease(lease_name(s, which)?, expected, lease),
        Decision::Stage => Request::Stage(plan_name(s)?),
        Decision::CreatePlan(plan) => Request::CreatePlan(plan),
        Decision::Consume(approval, version) => Request::Consume(approval, version, operation(s)?),
        Decision::MarkStale(approval, version, stale) => Request::MarkStale(approval, version, stale),
        Decision::Answer(acknowledgment, version, judged) => Request::Answer(acknowledgment, version, judged),
        Decision::CreateJob(claim) => Request::CreateJob(uid, claim),
        Decision::ReleasePod(pod) => Request::ReleasePod(pod),
        Decision::ExpireJob(job) => Request::ExpireJob(job),
        Decision::Wait(until, _) => return Err(Next::At(until)),
        Decision::Refuse(_) => return Err(Next::Never),
    })
}

fn operation(s: &Snapshot) -> Result<Operation, Next> {
    s.resource.status.claim.as_ref().map(|claim| claim.operation).ok_or(Next::Again)
}

fn plan_name(s: &Snapshot) -> Result<PlanName, Next> {
    let plan = s.resource.status.claim.as_ref().and_then(|claim| claim.plan);
    plan.map(|plan| PlanName(plan.fingerprint)).ok_or(Next::Again)
}

fn lease_name(s: &Snapshot, which: Which) -> Result<LeaseName, Next> {
    match which {
        Which::Realm => Ok(LeaseName::Realm(crate::wanted::coordination(&s.resource))),
        Which::Database => {
            crate::wanted::database(&s.resource, s.frame.as_ref()).map(LeaseName::Database).ok_or(Next::Again)
        }
    }
}

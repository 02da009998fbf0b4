//! The start permit: a runner asks once, before it opens a database, and the first that asks is let in.
//!
//! This stops a late create of a manager that lost its lead, a Pod that a kubelet started twice, a restored store and a
//! skewed clock. Retiring the claim swaps the same object, so nothing starts afterwards.

use ptah_model::Digest;

use crate::bounds;
use crate::claim;
use crate::decision::{Decision, Why};
use crate::dispatch;
use crate::ids::{Operation, Uid};
use crate::object::{Claim, Kind, Permit, Which};
use crate::snapshot::Snapshot;
use crate::supervise::{holds, own_job};
use crate::{approval, inputs, realm};

/// What a runner asks: the operation of its Job, who it is by its token, and the digest of a key that it made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// The operation.
    pub operation: Operation,
    /// The Pod, as its token proves.
    pub pod: Uid,
    /// The digest of its key.
    pub key: Digest,
}

/// What is done about a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Write this first; the answer is made from what is read afterwards.
    First(Decision),
    /// Let in, for this many seconds from the moment the request was sent; 0 when they are over.
    Granted(i64),
    /// Not now: something that moves by itself is not there yet. Ask again.
    NotYet,
    /// Never: another was let in, or the claim is not to be run any more.
    Refused,
}

/// Decides about a request, on the same uncached readings as a pass.
pub fn answer(s: &Snapshot, request: &Request) -> Answer {
    if crate::fence::verify_stored_controller_state(s).is_err() || !s.manager.leads {
        return Answer::NotYet;
    }
    let Some(claim) = s.resource.status.claim.as_ref().filter(|claim| claim.operation == request.operation) else {
        return Answer::Refused;
    };
    if let Some(permit) = claim.started_by {
        let same = permit.pod == request.pod && permit.key == request.key;
        return if same {
            Answer::Granted(claim.execution_not_after.0.saturating_sub(s.now.0).max(0))
        } else {
            Answer::Refused
        };
    }
    if !claim.marked || claim.kind == Kind::Refresh || claim.broken || claim.dispatch_not_after.reached(s.now) {
        return Answer::Refused;
    }
    let Some(job) = own_job(s, claim) else { return Answer::Refused };
    if claim.job != Some(job.uid) {
        return Answer::NotYet;
    }
    let alone =
        s.pods.len() == 1 && s.pods.iter().all(|pod| pod.uid == request.pod && pod.as_built && pod.stopped.is_none());
    if !alone || !stands(s, claim) {
        return Answer::Refused;
    }
    renewed(s, claim).map_or_else(|| Answer::First(let_in(s, request)), Answer::First)
}

/// Whether the decision that authorised the claim still stands: tenures, hold, approval, inputs, census.
fn stands(s: &Snapshot, claim: &Claim) -> bool {
    let Some(database) = &s.database_lease else { return false };
    let held = holds(s, claim, &s.realm_lease, claim.realm_epoch) && holds(s, claim, database, claim.database_epoch);
    let run = match claim.kind {
        Kind::Settle => s.resource.status.record.as_ref().map(|record| record.operation),
        Kind::Apply | Kind::Refresh => Some(claim.operation),
    };
    let hold = run.is_some() && database.hold().map(|hold| hold.operation) == run;
    held && hold && (claim.kind == Kind::Settle || apply_stands(s, claim))
}

fn apply_stands(s: &Snapshot, claim: &Claim) -> bool {
    let inputs = claim.plan.and_then(|plan| inputs::apply_inputs(&s.resource, plan));
    let spent = claim.approval.is_none_or(|uid| {
        s.approvals.iter().any(|approval| approval.uid == uid && approval.consumed == Some(claim.operation))
    });
    let consent = spent && approval::still_authorises(s, claim);
    inputs == Some(claim.inputs) && consent && realm::take_realm_census(s).is_ok() && !s.resource.deleting
}

/// Both Leases are renewed just before anybody is let in: more than a moment ago is too long.
fn renewed(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    let database = s.database_lease.as_ref();
    let renew = |which, reading| dispatch::renew_after(s, claim, which, reading, bounds::POLL);
    renew(Which::Realm, &s.realm_lease).or_else(|| renew(Which::Database, database?))
}

fn let_in(s: &Snapshot, request: &Request) -> Decision {
    claim::change(s, Why::Permit, |claim| {
        claim.started_by = Some(Permit { pod: request.pod, key: request.key });
    })
}

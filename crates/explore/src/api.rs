//! The model of the API server: what a request does to the world, and what it answers.

use ptah_lifecycle::{
    ApplyPolicy, Claimant, Job, JobReading, Kind, Looked, Pod, RealmReading, Resource, Status, Stopped, Uid, Version,
};
use ptah_model::Digest;
use ptah_reconcile::{LeaseName, Reply, Request};

use crate::check;
use crate::world::{Ghost, JobObject, World};

/// Carries a request out. A write takes effect whole or not at all.
pub(crate) fn call(world: &mut World, request: &Request, components: Digest) -> Reply {
    match read(world, request, components) {
        Some(reply) => reply,
        None => write(world, request),
    }
}

/// Answers a read; nothing where the request is a write.
pub(crate) fn read(world: &World, request: &Request, components: Digest) -> Option<Reply> {
    Some(match request {
        Request::GetResource(uid) => Reply::Resource(world.resource(*uid).cloned().map(Box::new)),
        Request::GetLease(name) => Reply::Lease(world.lease(*name).cloned().map(Box::new)),
        Request::GetRealm(uid) => Reply::Realm(match (world.by_realm(*uid), world.is_admitted(*uid)) {
            (false, _) => RealmReading::Key,
            (true, true) => RealmReading::Granted { exclusive: false },
            (true, false) => RealmReading::NotGranted,
        }),
        Request::ListClaimants(coordination) => {
            Reply::Claimants(claimants(world, |resource| resource.spec.coordination == *coordination))
        }
        Request::ListReaders(database) => Reply::Claimants(claimants(world, |resource| {
            resource.status.observed.is_some_and(|seen| seen.identity.database == *database)
        })),
        Request::GetPlan(name) => {
            Reply::Plan(world.plans.iter().find(|plan| plan.fingerprint == name.0).copied().map(Box::new))
        }
        Request::ListApprovals(uid, named) => Reply::Approvals(
            world
                .approvals
                .iter()
                .filter(|a| a.resource == *uid && (a.consumed.is_none() && a.stale.is_none() || Some(a.uid) == *named))
                .copied()
                .collect(),
        ),
        Request::ListAcknowledgments(uid) => Reply::Acknowledgments(
            world.acknowledgments.iter().filter(|a| a.claimant == *uid && a.judged.is_none()).copied().collect(),
        ),
        Request::GetJob(operation) => {
            let named = |job: &&JobObject| job.claim.operation == *operation && !job.deleted;
            Reply::Job(world.jobs.iter().find(named).map_or(JobReading::Absent, |job| {
                JobReading::Found(Job {
                    uid: job.uid,
                    digest: job.digest,
                    terminal: job.terminal,
                    expiring: job.expiring,
                })
            }))
        }
        Request::ListPods(job) => Reply::Pods(pods(world, *job)),
        Request::GetFrame(operation, pod) => {
            let mut stored = world.frames.iter().chain(&world.late);
            let found = stored.find(|f| f.operation == *operation && pod.is_none_or(|pod| pod == f.pod));
            Reply::Frame(found.cloned().map(Box::new))
        }
        Request::GetStaged(name) => Reply::Yes(world.staged.contains(name)),
        Request::BuildJob(_) => Reply::Digest(components),
        Request::GetPolicies => Reply::Yes(true),
        _ => return None,
    })
}

fn claimants(world: &World, wanted: impl Fn(&Resource) -> bool) -> Vec<Claimant> {
    world
        .resources
        .iter()
        .filter(|resource| wanted(resource) && world.is_admitted(resource.uid))
        .map(|resource| Claimant {
            uid: resource.uid,
            by_realm: world.by_realm(resource.uid),
            shared: resource.spec.shared,
            dormant: resource.spec.suspended,
            deleting: resource.deleting,
            unresolved: resource.status.record.as_ref().map(|record| record.operation),
            attempts: resource.status.record.as_ref().and_then(|r| r.attempts).map_or(0, |attempts| attempts.count),
            looked: resource
                .status
                .observed
                .and_then(|seen| seen.instance.map(|instance| Looked { database: seen.identity.database, instance })),
        })
        .collect()
}

fn pods(world: &World, job: Uid) -> Vec<Pod> {
    world
        .pods
        .iter()
        .filter(|pod| pod.job == job)
        .map(|pod| Pod {
            uid: pod.uid,
            as_built: true,
            said_over: pod.said_over,
            stopped: (pod.process == crate::world::Process::Stopped).then_some(Stopped { summary: pod.summary }),
            kept: pod.kept,
        })
        .collect()
}

fn write(world: &mut World, request: &Request) -> Reply {
    match request {
        Request::PutFinalizer(uid, version, on) => finalizer(world, *uid, *version, *on),
        Request::PutStatus(uid, version, status) => put_status(world, *uid, *version, status),
        Request::PutLease(name, expected, lease) => put_lease(world, *name, *expected, lease),
        Request::Stage(name) => {
            world.staged.push(*name);
            Reply::Done
        }
        Request::CreatePlan(plan) => {
            if world.plans.iter().any(|found| found.fingerprint == plan.fingerprint) {
                return Reply::Conflict;
            }
            let uid = world.uid();
            world.plans.push(ptah_lifecycle::Plan { uid, ..**plan });
            Reply::Done
        }
        Request::Consume(uid, version, operation) => consume(world, *uid, *version, *operation),
        Request::MarkStale(uid, version, stale) => {
            let new = world.version();
            match world.approvals.iter_mut().find(|a| a.uid == *uid && a.version == *version) {
                Some(approval) => {
                    (approval.stale, approval.version) = (Some(*stale), new);
                    Reply::Done
                }
                None => Reply::Conflict,
            }
        }
        Request::Answer(uid, version, judged) => {
            let new = world.version();
            match world.acknowledgments.iter_mut().find(|a| a.uid == *uid && a.version == *version) {
                Some(ack) => {
                    (ack.judged, ack.version) = (Some(*judged), new);
                    Reply::Done
                }
                None => Reply::Conflict,
            }
        }
        Request::CreateJob(uid, claim) => create_job(world, *uid, claim),
        Request::ReleasePod(uid) => {
            for pod in world.pods.iter_mut().filter(|pod| pod.uid == *uid) {
                pod.kept = false;
            }
            Reply::Done
        }
        Request::ExpireJob(uid) => {
            for job in world.jobs.iter_mut().filter(|job| job.uid == *uid) {
                job.expiring = true;
            }
            Reply::Done
        }
        _ => Reply::Lost,
    }
}

fn consume(world: &mut World, uid: Uid, version: Version, operation: ptah_lifecycle::Operation) -> Reply {
    let new = world.version();
    let Some(approval) = world.approvals.iter_mut().find(|a| a.uid == uid && a.version == version) else {
        return Reply::Conflict;
    };
    let unspent = approval.consumed.is_none();
    (approval.consumed, approval.version) = (Some(operation), new);
    check::must(world, 5, unspent);
    Reply::Done
}

fn finalizer(world: &mut World, uid: Uid, version: Version, on: bool) -> Reply {
    let new = world.version();
    let Some(place) = world.resources.iter().position(|r| r.uid == uid && r.version == version) else {
        return Reply::Conflict;
    };
    if !on {
        check::finalizer_goes(world, place);
    }
    let resource = &mut world.resources[place];
    (resource.finalizer, resource.version) = (on, new);
    if resource.deleting && !on {
        crate::tidy::remove_resource(world, place);
    }
    Reply::Done
}

fn put_status(world: &mut World, uid: Uid, version: Version, status: &Status) -> Reply {
    let new = world.version();
    let Some(place) = world.resources.iter().position(|r| r.uid == uid && r.version == version) else {
        return Reply::Conflict;
    };
    check::status_changes(world, place, status);
    let resource: &mut Resource = &mut world.resources[place];
    (resource.status, resource.version) = (status.clone(), new);
    // Only told: no decision rests on these, and they would tell apart states that are one.
    if let Some(record) = &mut resource.status.record {
        (record.last_answer, record.realm_epoch, record.database_epoch) = (None, None, None);
    }
    Reply::Done
}

fn put_lease(world: &mut World, name: LeaseName, expected: Option<Version>, lease: &ptah_lifecycle::Lease) -> Reply {
    let new = world.version();
    let found = world.lease(name).map(|lease| lease.version);
    if found != expected {
        return Reply::Conflict;
    }
    check::lease_changes(world, name, lease);
    let lease = ptah_lifecycle::Lease { version: new, ..lease.clone() };
    world.leases.retain(|(found, _)| *found != name);
    world.leases.push((name, lease));
    world.leases.sort_by_key(|(name, _)| *name);
    Reply::Done
}

fn create_job(world: &mut World, uid: Uid, claim: &ptah_lifecycle::Claim) -> Reply {
    if world.jobs.iter().any(|job| job.claim.operation == claim.operation && !job.deleted) {
        return Reply::Conflict;
    }
    let Some(resource) = world.resource(uid).cloned() else { return Reply::Refused };
    let job_uid = world.uid();
    let record = resource.status.record.as_ref().filter(|_| claim.kind == Kind::Settle);
    let plan = claim.plan.and_then(|plan| world.plans.iter().find(|found| found.uid == plan.uid)).copied();
    // Without what it is to be compared with, a reading only looks.
    let plan = plan.filter(|_| record.is_none_or(|record| record.basis.is_some()));
    let database = claim.identity.and_then(|identity| world.lease(LeaseName::Database(identity.lease())));
    let job = JobObject {
        uid: job_uid,
        resource: uid,
        digest: claim.job_digest.unwrap_or_else(|| Digest::of(b"")),
        family: record.map_or(resource.family, |record| record.family),
        settles: record.map(|record| record.operation),
        plan,
        artifact: resource.spec.inputs.artifact,
        database: world.database_of(claim.access.target),
        settled: database.map(|lease| lease.settled.clone()).unwrap_or_default(),
        terminal: false,
        expiring: false,
        deleted: false,
        claim: claim.clone(),
    };
    world.jobs.push(job);
    if claim.kind == Kind::Apply {
        check::created(world, claim.operation);
    }
    Reply::Done
}

/// The ghost of an Apply, made when it is claimed.
pub(crate) fn new_ghost(operation: ptah_lifecycle::Operation, resource: Uid) -> Ghost {
    Ghost {
        operation,
        resource,
        marked: false,
        created: 0,
        refused: false,
        let_in: 0,
        ran: [0; 2],
        database: None,
        read: false,
        answered: false,
        settled: false,
        acknowledged: false,
        lost: false,
        rewound: false,
    }
}

/// Whether the policy of a resource asks for a person.
pub(crate) fn asks(resource: &Resource) -> bool {
    resource.spec.apply == ApplyPolicy::OnApproval
}

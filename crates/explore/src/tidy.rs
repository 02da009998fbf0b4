//! What the cluster removes by itself, done at once so that equal states are equal, and the lives of processes.

use ptah_lifecycle::{Kind, Operation, Resource, Uid};
use ptah_reconcile::Memory;

use crate::world::{Lock, Process, World};

/// Removes what nothing can read any more.
pub(crate) fn tidy(world: &mut World) {
    let claimed: Vec<Operation> =
        world.resources.iter().filter_map(|r| r.status.claim.as_ref()).map(|claim| claim.operation).collect();
    world.frames.retain(|frame| claimed.contains(&frame.operation));
    let recorded: Vec<Operation> =
        world.resources.iter().filter_map(|r| r.status.record.as_ref()).map(|record| record.operation).collect();
    world.late.retain(|frame| recorded.contains(&frame.operation));
    jobs(world, &claimed);
    let jobs: Vec<Uid> = world.jobs.iter().map(|job| job.uid).collect();
    world.pods.retain(|pod| jobs.contains(&pod.job) || pod.kept || pod.process != Process::Stopped);
    approvals(world);
    plans(world);
    runs(world, &claimed);
    for manager in &mut world.managers {
        for (memory, resource) in manager.memory.iter_mut().zip(&world.resources) {
            let claim = resource.status.claim.as_ref().map(|claim| claim.operation);
            memory.own.may_create = memory.own.may_create.filter(|operation| Some(*operation) == claim);
            memory.own.create_refused = memory.own.create_refused.filter(|operation| Some(*operation) == claim);
        }
    }
}

/// Jobs of reads go with their claims; a run's Job goes when it is let go and its Pods are.
fn jobs(world: &mut World, claimed: &[Operation]) {
    let at_work: Vec<Uid> = world
        .pods
        .iter()
        .filter(|pod| pod.kept && matches!(pod.process, Process::LetIn | Process::Begun | Process::Ran(_)))
        .map(|pod| pod.job)
        .collect();
    let kept: Vec<Uid> = world.pods.iter().filter(|pod| pod.kept).map(|pod| pod.job).collect();
    let seen: Vec<Uid> =
        world.pods.iter().filter(|pod| pod.kept || pod.process != Process::Stopped).map(|pod| pod.job).collect();
    let recorded: Vec<Operation> =
        world.resources.iter().filter_map(|r| r.status.record.as_ref()).map(|record| record.operation).collect();
    let wanted = |operation: &Operation| claimed.contains(operation) || recorded.contains(operation);
    world.jobs.retain(|job| match job.claim.kind {
        // The Job of a claim that is gone for everybody is removed by its own backstop, days later.
        Kind::Apply if job.terminal && !wanted(&job.claim.operation) => at_work.contains(&job.uid),
        _ if job.deleted => seen.contains(&job.uid),
        Kind::Refresh => claimed.contains(&job.claim.operation),
        Kind::Settle => claimed.contains(&job.claim.operation) || at_work.contains(&job.uid),
        Kind::Apply => !job.expiring || !job.terminal || kept.contains(&job.uid),
    });
    let settles: Vec<Uid> = world.jobs.iter().map(|job| job.uid).collect();
    world
        .pods
        .retain(|pod| settles.contains(&pod.job) || (pod.kept && world.jobs.iter().any(|job| job.uid == pod.job)));
}

fn approvals(world: &mut World) {
    let named: Vec<Uid> =
        world.resources.iter().filter_map(|r| r.status.claim.as_ref()).filter_map(|claim| claim.approval).collect();
    world.approvals.retain(|a| (a.consumed.is_none() && a.stale.is_none()) || named.contains(&a.uid));
    world.acknowledgments.retain(|ack| ack.judged.is_none());
}

/// The runs that somebody still speaks of.
fn spoken_of(world: &World, claimed: &[Operation]) -> Vec<Operation> {
    let mut live: Vec<Operation> = claimed.to_vec();
    live.extend(world.resources.iter().filter_map(|r| r.status.record.as_ref()).map(|record| record.operation));
    live.extend(world.resources.iter().filter_map(|r| r.status.owed).filter_map(|owed| owed.drop_hold));
    live.extend(world.leases.iter().filter_map(|(_, lease)| lease.hold).map(|hold| hold.operation));
    live.extend(world.jobs.iter().map(|job| job.claim.operation));
    live.extend(on_the_way(world));
    for perform in world.managers.iter().flat_map(|manager| manager.pending.iter().flatten()) {
        if let ptah_reconcile::Request::CreateJob(_, claim) = perform.request() {
            live.push(claim.operation);
        }
    }
    for frame in &world.frames {
        live.extend(frame.rows.unfinished.map(|run| run.operation));
    }
    for database in &world.databases {
        if let Lock::Orphan { run, .. } = database.lock {
            live.push(run);
        }
    }
    live
}

/// The runs of records that are about to be written.
fn on_the_way(world: &World) -> Vec<Operation> {
    let pending = world.managers.iter().flat_map(|manager| manager.pending.iter().flatten());
    let records = pending.filter_map(|perform| match perform.request() {
        ptah_reconcile::Request::PutStatus(_, _, status) => status.record.as_ref().map(|record| record.operation),
        _ => None,
    });
    records.collect()
}

fn plans(world: &mut World) {
    let mut live: Vec<Uid> = world.resources.iter().filter_map(|r| r.status.plan).map(|plan| plan.uid).collect();
    live.extend(world.resources.iter().filter_map(|r| r.status.claim.as_ref()?.plan).map(|plan| plan.uid));
    live.extend(world.resources.iter().filter_map(|r| r.status.record.as_ref()).map(|record| record.plan.uid));
    live.extend(world.leases.iter().filter_map(|(_, lease)| lease.hold).map(|hold| hold.plan));
    live.extend(world.approvals.iter().map(|approval| approval.plan));
    let reading = world.resources.iter().any(|r| r.status.claim.as_ref().is_some_and(|c| c.kind == Kind::Refresh));
    world.plans.retain(|plan| live.contains(&plan.uid) || reading);
    let names: Vec<_> = world.plans.iter().map(|plan| plan.fingerprint).collect();
    world.staged.retain(|name| names.contains(&name.0));
    world.staged.dedup();
}

/// What is known about runs goes when nobody speaks of them: rows when they are finished or settled, then the rest.
fn runs(world: &mut World, claimed: &[Operation]) {
    // A pass that is reading may still speak of what it has read.
    let reading = world.managers.iter().any(|manager| manager.reading.iter().any(Option::is_some));
    if reading || world.rewinds {
        return;
    }
    let live = spoken_of(world, claimed);
    let settled: Vec<Operation> = world.leases.iter().flat_map(|(_, lease)| lease.settled.clone()).collect();
    let over = |row: &crate::world::Row| row.finished || settled.contains(&row.operation);
    for database in &mut world.databases {
        database.rows.retain(|row| live.contains(&row.operation) || !over(row));
    }
    let mut known = live;
    known.extend(world.databases.iter().flat_map(|database| &database.rows).map(|row| row.operation));
    world.ghost.retain(|ghost| known.contains(&ghost.operation));
    for (_, lease) in &mut world.leases {
        lease.settled.retain(|operation| known.contains(operation));
    }
}

/// A manager's process ends and another one starts in its place.
pub(crate) fn restart(world: &mut World, manager: usize) {
    let state = &mut world.managers[manager];
    state.permit = None;
    state.memory.iter_mut().for_each(|memory| *memory = Memory::default());
    state.pending.iter_mut().for_each(|pending| *pending = None);
    state.reading.iter_mut().for_each(|reading| *reading = None);
}

/// A resource comes.
pub(crate) fn add_resource(world: &mut World, resource: Resource) {
    world.resources.push(resource);
    for manager in &mut world.managers {
        manager.memory.push(Memory::default());
        manager.pending.push(None);
        manager.reading.push(None);
    }
}

/// A resource is gone.
pub(crate) fn remove_resource(world: &mut World, place: usize) {
    world.resources.remove(place);
    for manager in &mut world.managers {
        manager.memory.remove(place);
        manager.pending.remove(place);
        manager.reading.remove(place);
        manager.permit = manager.permit.take().filter(|(at, _)| *at < place);
    }
}

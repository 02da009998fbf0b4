//! The invariants, each checked where its antecedent arises, and counted.

use std::sync::atomic::{AtomicU64, Ordering};

use ptah_lifecycle::inputs::apply_inputs;
use ptah_lifecycle::{
    ApplyPolicy, Claim, Family, Kind, Lease, Operation, Outcome, Resolution, Resolved, Resource, Status, Uid,
};
use ptah_reconcile::LeaseName;

use crate::world::{Lock, Process, World};

/// How often each antecedent arose, by invariant. Counted over transitions, not states.
pub(crate) static SEEN: [(&str, AtomicU64); 21] = [
    ("at most one create for a mutating claim", AtomicU64::new(0)),
    ("a unit runs while a hold stands, unless a person said or did otherwise", AtomicU64::new(0)),
    ("a unit runs once", AtomicU64::new(0)),
    ("no unit commits after the reading that settled its run began", AtomicU64::new(0)),
    ("one process is let in for a claim", AtomicU64::new(0)),
    ("an approval is consumed by one operation", AtomicU64::new(0)),
    ("nothing is dispatched on moved inputs", AtomicU64::new(0)),
    ("a dispatched claim is never cleared without a record", AtomicU64::new(0)),
    ("a reported outcome is what the database holds", AtomicU64::new(0)),
    ("a hold leaves for a reason, when nothing may write", AtomicU64::new(0)),
    ("a release ends no other tenure, and none under a process that runs", AtomicU64::new(0)),
    ("the finalizer goes when nothing may write, or a hold stands", AtomicU64::new(0)),
    ("an Apply is dispatched with its consent spent by it", AtomicU64::new(0)),
    ("a Lease is taken over only after its time", AtomicU64::new(0)),
    ("a migration's run is settled by a reading when all or nothing of it is there", AtomicU64::new(0)),
    ("one writer at a time for a database", AtomicU64::new(0)),
    ("removing a refused claimant changes nobody's decision", AtomicU64::new(0)),
    ("a Lease is acquired only before the mark", AtomicU64::new(0)),
    ("a late result changes no record", AtomicU64::new(0)),
    ("a run is settled by a reading when one under the lock has ended", AtomicU64::new(0)),
    ("a run is read on the database that it ran on", AtomicU64::new(0)),
];

/// Counts an antecedent and checks what must follow from it.
pub(crate) fn must(world: &mut World, index: usize, holds: bool) {
    SEEN[index].1.fetch_add(1, Ordering::Relaxed);
    world.must(holds, SEEN[index].0);
}

/// A Job of an Apply was created.
pub(crate) fn created(world: &mut World, operation: Operation) {
    let Some(ghost) = world.ghost(operation) else {
        return world.must(false, "a Job is created for a run that was claimed");
    };
    ghost.created = ghost.created.saturating_add(1);
    let (once, marked) = (ghost.created == 1, ghost.marked);
    must(world, 0, once && marked);
}

/// A unit of a run is about to be in the database.
pub(crate) fn unit_commits(world: &mut World, operation: Operation, unit: u8, database: usize) {
    let other = at_work(world, database).find(|run| *run != operation);
    let held = world.leases.iter().any(|(_, lease)| lease.hold.is_some_and(|hold| hold.operation == operation));
    let Some(ghost) = world.ghost(operation) else {
        return world.must(false, "a unit belongs to a run that was claimed");
    };
    let count = &mut ghost.ran[usize::from(unit.min(1))];
    *count = count.saturating_add(1);
    let (once, read, excused) = (*count == 1, ghost.read, ghost.acknowledged || ghost.lost);
    must(world, 1, held || excused);
    must(world, 2, once);
    must(world, 3, !read);
    let excused = excused || other.and_then(|run| world.ghost(run)).is_some_and(|run| run.acknowledged || run.lost);
    must(world, 15, other.is_none() || excused);
}

/// The runs whose processes have been let in to change a database.
fn at_work(world: &World, database: usize) -> impl Iterator<Item = Operation> {
    world.pods.iter().filter_map(move |pod| {
        let inside = matches!(pod.process, Process::LetIn | Process::Begun | Process::Ran(_));
        let job = world.job(pod.job).filter(|job| job.claim.kind == Kind::Apply && job.database == database)?;
        inside.then_some(job.claim.operation)
    })
}

/// A settling reading has got the database's lock.
pub(crate) fn reading_begins(world: &mut World, run: Operation, database: usize) {
    let Some(ghost) = world.ghost(run) else { return };
    (ghost.read, ghost.rewound) = (true, false);
    // Whoever takes a run over reads as it can: where the run went is not known.
    let elsewhere = ghost.database.is_some_and(|ran| ran != database);
    let own = world.resources.iter().any(|resource| {
        resource.status.record.as_ref().is_some_and(|record| record.operation == run && !record.inherited)
    });
    if own {
        must(world, 20, !elsewhere);
    }
}

/// A status is about to take the place of another.
pub(crate) fn status_changes(world: &mut World, place: usize, new: &Status) {
    let resource = world.resources[place].clone();
    let old = &resource.status;
    let (before, after) = (old.claim.as_ref(), new.claim.as_ref());
    if let Some(claim) = after.filter(|claim| claim.kind == Kind::Apply) {
        if before.is_none_or(|before| before.operation != claim.operation) {
            world.ghost.push(crate::api::new_ghost(claim.operation, resource.uid));
        }
        let was = before.is_some_and(|before| before.operation == claim.operation && before.marked);
        if claim.marked && !was {
            let current = claim.plan.and_then(|plan| apply_inputs(&resource, plan)) == Some(claim.inputs);
            must(world, 6, current);
            must(world, 12, consented(world, &resource, claim));
            if let Some(ghost) = world.ghost(claim.operation) {
                ghost.marked = true;
            }
        }
        let before_in =
            before.filter(|before| before.operation == claim.operation).and_then(|before| before.started_by);
        if claim.started_by.is_some() && claim.started_by != before_in {
            let_in(world, claim.operation);
        }
    }
    if let Some(claim) = before.filter(|claim| claim.kind == Kind::Apply && claim.marked)
        && after.is_none_or(|after| after.operation != claim.operation)
    {
        let recorded = new.record.as_ref().is_some_and(|record| record.operation == claim.operation);
        let resolved = new.resolved.is_some_and(|resolved| resolved.operation == claim.operation);
        must(world, 7, recorded || resolved);
    }
    if let (Some(before), Some(after)) = (&old.record, &new.record)
        && before.operation == after.operation
    {
        let kept = before.outcome == after.outcome || after.outcome == Outcome::Unknown;
        must(world, 18, kept);
    }
    outcome(world, old, new);
    settled(world, old, new);
}

/// Whether the policy asks for no person, or the approval that the claim names was spent by it.
fn consented(world: &World, resource: &Resource, claim: &Claim) -> bool {
    claim.approval.map_or(resource.spec.apply == ApplyPolicy::Always, |uid| {
        world.approvals.iter().any(|approval| approval.uid == uid && approval.consumed == Some(claim.operation))
    })
}

fn let_in(world: &mut World, operation: Operation) {
    let Some(ghost) = world.ghost(operation) else { return };
    ghost.let_in = ghost.let_in.saturating_add(1);
    let once = ghost.let_in == 1;
    must(world, 4, once);
}

/// An outcome that is said to be known is what really happened.
fn outcome(world: &mut World, old: &Status, new: &Status) {
    let Some(record) = new.record.as_ref().filter(|record| Some(*record) != old.record.as_ref()) else { return };
    let Some(ghost) = world.ghost(record.operation).copied() else { return };
    let ran = u32::from(ghost.ran[0]) + u32::from(ghost.ran[1]);
    let truth = match record.outcome {
        Outcome::Applied => ran == 2,
        Outcome::NotStarted | Outcome::NotApplied => ran == 0,
        Outcome::Partial(units) => ran == units,
        Outcome::Unknown => true,
    };
    must(world, 8, truth || ghost.rewound);
}

/// What settled a run, and whether that could settle it.
fn settled(world: &mut World, old: &Status, new: &Status) {
    // A run that was put back into a database may be settled again, and in the same way.
    let open = |run| old.record.as_ref().is_some_and(|record| record.operation == run) && new.record.is_none();
    let settles = |resolved: &Resolved| Some(*resolved) != old.resolved || open(resolved.operation);
    let Some(resolved) = new.resolved.filter(settles) else { return };
    let family = old.record.as_ref().map(|record| record.family);
    let Some(ghost) = world.ghost(resolved.operation) else { return };
    match resolved.by {
        Resolution::Acknowledgment(..) => ghost.acknowledged = true,
        Resolution::NeverCreated => ghost.refused = true,
        Resolution::Reading => {
            ghost.settled = true;
            let (answered, whole) = (ghost.answered, ghost.ran[0] == ghost.ran[1] || ghost.rewound);
            must(world, 19, answered);
            if family == Some(Family::Migration) {
                must(world, 14, whole);
            }
        }
        Resolution::Another => {}
    }
}

/// Whether a process that was let in for this run, or a session that it left, may still change the database. A session that
/// was left holds the database's lock, so a reading under the lock is after it; a person's word is not.
fn may_write(world: &World, operation: Operation) -> bool {
    let orphan = world.databases.iter().any(|database| match database.lock {
        Lock::Orphan { run, unit, .. } => run == operation && unit.is_some(),
        Lock::Free | Lock::Pod(_) => false,
    });
    runs(world, operation) || orphan
}

/// Whether a process that was let in for this run is alive.
fn runs(world: &World, operation: Operation) -> bool {
    world.pods.iter().any(|pod| {
        let lives = !matches!(pod.process, Process::Stopped | Process::Started | Process::Done(_));
        lives && world.job(pod.job).is_some_and(|job| job.claim.operation == operation && job.claim.kind == Kind::Apply)
    })
}

/// A Lease is about to take the place of another.
pub(crate) fn lease_changes(world: &mut World, name: LeaseName, new: &Lease) {
    acquired(world, name, new);
    let Some(old) = world.lease(name).cloned() else { return };
    if let Some(hold) = old.hold
        && new.hold.is_none_or(|now| now.operation != hold.operation)
    {
        let ghost = world.ghost(hold.operation).copied();
        let claimed = world
            .resources
            .iter()
            .any(|resource| resource.status.claim.as_ref().is_some_and(|claim| claim.operation == hold.operation));
        let reason = ghost.is_some_and(|g| g.settled || g.acknowledged || g.refused || (!g.marked && !claimed));
        let quiet = !may_write(world, hold.operation) || ghost.is_some_and(|ghost| ghost.acknowledged);
        must(world, 9, reason && quiet && new.settled.contains(&hold.operation));
    }
    if let Some(holder) = old.holder
        && new.holder.is_none()
    {
        let live = world.resources.iter().any(|resource| {
            let claim = resource.status.claim.as_ref();
            claim.is_some_and(|claim| resource.uid == holder.resource && claim.operation == holder.operation)
        });
        let runs = runs(world, holder.operation);
        must(world, 10, !live && !runs);
    }
    if let (Some(before), Some(after)) = (old.holder, new.holder)
        && before != after
    {
        // By the clock of whoever watched it; the one that wrote it may be ahead.
        let ahead = world.managers.iter().map(|manager| manager.ahead.abs()).max().unwrap_or(0);
        let over = old.renewed.plus(old.duration).reached(world.now.plus(ahead));
        must(world, 13, over);
    }
}

/// A Lease gets a holder: for a claim that is marked, that may be no renewal.
fn acquired(world: &mut World, name: LeaseName, new: &Lease) {
    let Some(holder) = new.holder else { return };
    if world.lease(name).and_then(|old| old.holder) == Some(holder) {
        return;
    }
    let marked = world.resources.iter().any(|resource| {
        let claim = resource.status.claim.as_ref().filter(|claim| claim.operation == holder.operation);
        claim.is_some_and(|claim| claim.marked)
    });
    must(world, 17, !marked);
}

/// The finalizer is about to go.
pub(crate) fn finalizer_goes(world: &mut World, place: usize) {
    let resource = world.resources[place].uid;
    let writing: Vec<Operation> = world.ghost.iter().filter(|g| g.resource == resource).map(|g| g.operation).collect();
    let safe = writing.iter().all(|operation| {
        let held = world.leases.iter().any(|(_, lease)| lease.hold.is_some_and(|hold| hold.operation == *operation));
        let lost = world.ghost.iter().any(|ghost| ghost.operation == *operation && ghost.lost);
        held || lost || !may_write(world, *operation)
    });
    must(world, 11, safe);
}

/// A process is about to be let in.
pub(crate) fn lets_in(world: &mut World, pod: Uid) {
    let job = world.pods.iter().find(|found| found.uid == pod).map(|found| found.job);
    let other = world.pods.iter().any(|found| {
        let inside = matches!(found.process, Process::LetIn | Process::Begun | Process::Ran(_));
        found.uid != pod && Some(found.job) == job && inside
    });
    must(world, 4, !other);
}

/// Somebody is about to delete a Lease, and a hold with it.
pub(crate) fn lease_lost(world: &mut World, index: usize) {
    let hold = world.leases[index].1.hold;
    if let Some(ghost) = hold.and_then(|hold| world.ghost(hold.operation)) {
        ghost.lost = true;
    }
}

//! What people do: edit, suspend, delete, approve, take back, acknowledge, change a database by hand, bring a new release.

use ptah_lifecycle::{Acknowledgment, Approval, Finding, Operation};

use crate::action::Action;
use crate::tidy;
use crate::world::{World, constant};

/// Carries out what a person does.
pub(crate) fn act(world: &mut World, action: Action) {
    let version = world.version();
    match action {
        Action::Edit(place) => {
            world.budget.edits -= 1;
            let resource = &mut world.resources[place];
            let artifact = if resource.spec.inputs.artifact == constant(1) { constant(2) } else { constant(1) };
            (resource.spec.inputs.artifact, resource.version) = (artifact, version);
        }
        Action::Suspend(place) => {
            world.budget.suspends -= 1;
            let resource = &mut world.resources[place];
            (resource.spec.suspended, resource.version) = (!resource.spec.suspended, version);
        }
        Action::Delete(place) => {
            world.budget.deletes -= 1;
            let resource = &mut world.resources[place];
            (resource.deleting, resource.version) = (true, version);
            if !resource.finalizer {
                tidy::remove_resource(world, place);
            }
        }
        Action::Recreate => {
            world.budget.recreates -= 1;
            let uid = world.uid();
            let resource = ptah_lifecycle::Resource { uid, version, ..world.blueprint.clone() };
            tidy::add_resource(world, resource);
        }
        Action::Approve(place) => approve(world, place, version),
        Action::Revoke(uid) => {
            world.budget.revokes -= 1;
            world.approvals.retain(|approval| approval.uid != uid);
        }
        Action::Acknowledge(place) => acknowledge(world, place, version),
        Action::Drift(index) => {
            world.budget.drifts -= 1;
            (world.databases[index].artifact, world.databases[index].units) = (3, 2);
        }
        Action::Upgrade(manager) => {
            world.budget.upgrades -= 1;
            world.managers[manager].manager.components = constant(61);
            tidy::restart(world, manager);
        }
        Action::Restart(manager) => {
            world.budget.faults -= 1;
            tidy::restart(world, manager);
        }
        other => keepers(world, other, version),
    }
}

/// What those do who keep realms, addresses and servers.
fn keepers(world: &mut World, action: Action, version: ptah_lifecycle::Version) {
    match action {
        Action::Grant(place) => {
            world.budget.grants -= 1;
            let uid = world.resources[place].uid;
            world.grants.iter_mut().filter(|(of, _)| *of == uid).for_each(|(_, granted)| *granted = !*granted);
        }
        Action::Retarget(place) => {
            world.budget.retargets -= 1;
            let resource = &mut world.resources[place];
            let target = if resource.spec.inputs.target == constant(0) { constant(1) } else { constant(0) };
            (resource.spec.inputs.target, resource.version) = (target, version);
        }
        Action::Reboot(index) => {
            world.budget.reboots -= 1;
            world.databases[index].instance = Some(constant(80 + world.budget.reboots));
        }
        Action::Rewind(index, midst) => rewind(world, index, midst),
        _ => {}
    }
}

/// The database is as it was before its last run began, or as in the midst of it. What was found out about that run since
/// is not so any more.
fn rewind(world: &mut World, index: usize, midst: bool) {
    world.budget.rewinds -= 1;
    let database = &mut world.databases[index];
    let Some(row) = database.rows.last_mut() else { return };
    let run = row.operation;
    if midst {
        (row.finished, database.units) = (false, 1);
    } else {
        database.rows.pop();
        (database.begun, database.artifact, database.units) = (database.begun - 1, 0, 2);
    }
    // While it is held, what was found before may still settle it; a new hold needs a new reason to leave.
    let held = world.leases.iter().any(|(_, lease)| lease.hold.is_some_and(|hold| hold.operation == run));
    if let Some(ghost) = world.ghost(run) {
        (ghost.ran, ghost.rewound) = ([u8::from(midst), 0], true);
        if !held {
            (ghost.read, ghost.answered, ghost.settled, ghost.acknowledged) = (false, false, false, false);
        }
    }
}

fn approve(world: &mut World, place: usize, version: ptah_lifecycle::Version) {
    world.budget.approvals -= 1;
    let (resource, created) = (world.resources[place].uid, world.now);
    let Some(plan) = world.resources[place].status.plan else { return };
    let uid = world.uid();
    world.approvals.push(Approval {
        uid,
        version,
        resource,
        plan: plan.uid,
        fingerprint: plan.fingerprint,
        created,
        deleting: false,
        attested: true,
        own_change: false,
        consumed: None,
        stale: None,
    });
}

fn acknowledge(world: &mut World, place: usize, version: ptah_lifecycle::Version) {
    world.budget.acknowledgments -= 1;
    let claimant = world.resources[place].uid;
    let Some(operation) = unresolved(world, place) else { return };
    let (uid, created) = (world.uid(), world.now);
    world.acknowledgments.push(Acknowledgment {
        uid,
        version,
        claimant,
        operation,
        finding: Finding::Repaired,
        created,
        attested: true,
        own_run: false,
        judged: None,
    });
}

/// The run that a resource has to settle.
pub(crate) fn unresolved(world: &World, place: usize) -> Option<Operation> {
    world.resources[place].status.record.as_ref().map(|record| record.operation)
}

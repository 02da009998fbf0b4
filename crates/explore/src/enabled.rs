//! Everything that can happen in a state.

use ptah_lifecycle::{Decision, Kind, decide};

use crate::action::Action;
use crate::api;
use crate::clock;
use crate::coverage::Fault;
use crate::pass::gathered;
use crate::people::unresolved;
use crate::runner;
use crate::world::{Lock, Process, World};

/// Everything that can happen now.
pub(crate) fn list(world: &World) -> Vec<Action> {
    let mut list = Vec::new();
    for manager in 0..world.managers.len() {
        managers(world, manager, &mut list);
    }
    processes(world, &mut list);
    jobs(world, &mut list);
    people(world, &mut list);
    let busy = list.iter().any(|action| {
        matches!(action, Action::Decide(..) | Action::Read(..) | Action::Deliver(..) | Action::Permit(..))
    });
    let passes = world.budget.slow > 0 || (!busy && is_quiet(world));
    if passes && clock::may_pass(world) && clock::next(world).is_some() {
        list.push(Action::Time);
    }
    list
}

fn managers(world: &World, index: usize, list: &mut Vec<Action>) {
    let manager = &world.managers[index];
    for place in 0..world.resources.len() {
        match &manager.pending[place] {
            Some(perform) => {
                list.push(Action::Deliver(index, place));
                if world.budget.faults > 0 {
                    let create = matches!(perform.request(), ptah_reconcile::Request::CreateJob(..));
                    list.extend([Fault::LostBefore, Fault::LostAfter].map(|fault| Action::Fault(index, place, fault)));
                    list.extend(create.then_some(Action::Fault(index, place, Fault::Refused)));
                    list.push(Action::Fault(index, place, Fault::DiesAfter));
                }
            }
            None if manager.reading[place].is_some() => list.push(Action::Read(index, place)),
            None if may_decide(world, index, place) => list.push(Action::Decide(index, place)),
            None => {}
        }
    }
    if manager.permit.is_some() {
        list.push(Action::Permit(index, None));
        if world.budget.faults > 0 {
            list.extend([Fault::LostBefore, Fault::LostAfter].map(|fault| Action::Permit(index, Some(fault))));
        }
    }
    if world.budget.faults > 0 && manager.memory.iter().any(|memory| memory.own.may_create.is_some()) {
        list.push(Action::Restart(index));
    }
    if world.budget.upgrades > 0 {
        list.push(Action::Upgrade(index));
    }
}

/// Whether a manager has a pass to make that does anything. The second one's passes may be counted.
fn may_decide(world: &World, manager: usize, place: usize) -> bool {
    (manager == 0 || world.budget.second > 0) && decides(world, manager, place)
}

/// Whether a pass would do anything: waiting changes nothing.
pub(crate) fn decides(world: &World, manager: usize, place: usize) -> bool {
    gathered(world, manager, place).is_some_and(|(snapshot, memory)| {
        memory != world.managers[manager].memory[place]
            || !matches!(decide(&snapshot), Decision::Wait(..) | Decision::Refuse(_))
    })
}

fn processes(world: &World, list: &mut Vec<Action>) {
    let faults = world.budget.faults > 0;
    for pod in &world.pods {
        if runner::can_step(world, pod) {
            list.push(Action::Run(pod.uid));
        }
        let live = pod.process != Process::Stopped;
        let mutating = world.job(pod.job).is_some_and(|job| job.claim.kind != Kind::Refresh);
        if live && (faults || runner::must_die(world, pod)) {
            list.push(Action::Kill(pod.uid));
        }
        if pod.process == Process::Started && mutating && !runner::can_step(world, pod) {
            let asks = (0..world.managers.len()).filter(|m| world.managers[*m].permit.is_none());
            list.extend(asks.map(|manager| Action::Ask(pod.uid, manager)));
        }
        if faults && mutating {
            let apply = world.job(pod.job).is_some_and(|job| job.claim.kind == Kind::Apply);
            if apply && matches!(pod.process, Process::Begun | Process::Ran(1)) {
                list.push(Action::Fail(pod.uid));
            }
            if matches!(pod.process, Process::Done(_)) {
                list.push(Action::LoseResult(pod.uid));
            }
            if live && !pod.said_over {
                list.push(Action::LoseNode(pod.uid));
            }
        }
    }
    for (index, database) in world.databases.iter().enumerate() {
        if let Lock::Orphan { unit, .. } = database.lock {
            list.push(Action::EndOrphan(index, false));
            list.extend(unit.is_some().then_some(Action::EndOrphan(index, true)));
        }
    }
}

fn jobs(world: &World, list: &mut Vec<Action>) {
    for job in world.jobs.iter().filter(|job| !job.terminal) {
        let mut pods = world.pods.iter().filter(|pod| pod.job == job.uid).peekable();
        let started = pods.peek().is_some();
        let over = started && pods.all(|pod| pod.process == Process::Stopped || pod.said_over);
        if over {
            list.push(Action::EndJob(job.uid));
        }
        let second = world.budget.faults > 0 && started && job.claim.kind == Kind::Apply;
        let pods = world.pods.iter().filter(|pod| pod.job == job.uid).count();
        if !started || (second && pods < 2) {
            list.push(Action::StartPod(job.uid));
        }
        if world.budget.faults > 0 && job.claim.kind == Kind::Apply {
            list.push(Action::DeleteJob(job.uid));
        }
    }
}

fn people(world: &World, list: &mut Vec<Action>) {
    let budget = world.budget;
    for (place, resource) in world.resources.iter().enumerate() {
        list.extend((budget.edits > 0 && !resource.deleting).then_some(Action::Edit(place)));
        let suspend = budget.suspends > 0 && (!resource.spec.suspended || budget.suspends % 2 == 1);
        list.extend((suspend && !resource.deleting).then_some(Action::Suspend(place)));
        list.extend((budget.deletes > 0 && !resource.deleting).then_some(Action::Delete(place)));
        let approved =
            world.approvals.iter().any(|approval| Some(approval.plan) == resource.status.plan.map(|p| p.uid));
        let plan = resource.status.plan.is_some() && resource.status.claim.is_none();
        list.extend(
            (budget.approvals > 0 && plan && api::asks(resource) && !approved).then_some(Action::Approve(place)),
        );
        let recorded =
            unresolved(world, place).is_some() && world.acknowledgments.iter().all(|ack| ack.judged.is_some());
        list.extend((budget.acknowledgments > 0 && recorded).then_some(Action::Acknowledge(place)));
    }
    if budget.revokes > 0 {
        list.extend(world.approvals.iter().filter(|a| a.consumed.is_none()).map(|a| Action::Revoke(a.uid)));
    }
    if budget.leases > 0 {
        list.extend((0..world.leases.len()).map(Action::DeleteLease));
    }
    let everybody = 0..world.resources.len();
    if budget.grants > 0 {
        let by_realm = everybody.clone().filter(|place| world.by_realm(world.resources[*place].uid));
        list.extend(by_realm.map(Action::Grant));
    }
    if budget.retargets > 0 {
        list.extend(everybody.map(Action::Retarget));
    }
    if budget.reboots > 0 {
        list.extend((0..world.databases.len()).map(Action::Reboot));
    }
    if budget.rewinds > 0 {
        let can = |index: &usize| can_rewind(world, *index);
        let both = |index| [false, true].map(|midst| Action::Rewind(index, midst));
        list.extend((0..world.databases.len()).filter(can).flat_map(both));
    }
    if budget.drifts > 0 {
        list.extend((0..world.databases.len()).map(Action::Drift));
    }
    if budget.recreates > 0 && world.resources.len() < 2 {
        list.push(Action::Recreate);
    }
}

/// Whether a database has a whole run to be put back from, and nobody is on it or has still to say what was found there.
fn can_rewind(world: &World, index: usize) -> bool {
    let whole = world.databases[index].rows.last().is_some_and(|row| {
        let ghost = world.ghost.iter().find(|ghost| ghost.operation == row.operation);
        row.finished && ghost.is_some_and(|ghost| ghost.ran == [1, 1])
    });
    let idle = world.pods.iter().all(|pod| matches!(pod.process, Process::Started | Process::Stopped));
    whole && idle && world.databases[index].lock == Lock::Free
}

/// Whether no process, controller or session does anything by itself until time passes. Managers are asked beside it.
pub(crate) fn is_quiet(world: &World) -> bool {
    // A process on a node that is lost may be as slow as it likes, up to its deadline.
    let processes =
        world.pods.iter().all(|pod| (pod.said_over || !runner::can_step(world, pod)) && !runner::must_die(world, pod));
    let asking =
        world.pods.iter().any(|pod| pod.process == Process::Started && !pod.said_over && !runner::can_step(world, pod));
    let jobs = world.jobs.iter().filter(|job| !job.terminal).all(|job| {
        let mut pods = world.pods.iter().filter(|pod| pod.job == job.uid).peekable();
        pods.peek().is_some() && pods.any(|pod| pod.process != Process::Stopped && !pod.said_over)
    });
    let orphans = world.databases.iter().all(|database| !matches!(database.lock, Lock::Orphan { .. }));
    processes && !asking && jobs && orphans
}

/// Whether a manager has something on its way or to decide.
pub(crate) fn is_busy(world: &World, manager: usize) -> bool {
    let state = &world.managers[manager];
    let resources = 0..world.resources.len();
    state.permit.is_some()
        || resources
            .into_iter()
            .any(|at| state.pending[at].is_some() || state.reading[at].is_some() || may_decide(world, manager, at))
}

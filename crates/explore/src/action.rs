//! What can happen next, and what it does: managers, processes, controllers, people, time, and faults.

use ptah_lifecycle::{Outcome, Uid};

use crate::clock;
use crate::coverage::Fault;
use crate::enabled::{is_busy, is_quiet};
use crate::pass;
use crate::people;
use crate::runner;
use crate::tidy;
use crate::world::{Process, UNLIMITED, World};

/// One thing that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// A manager reads a resource and decides.
    Decide(usize, usize),
    /// A manager's pass reads its next object; after the last one it decides.
    Read(usize, usize),
    /// A manager's request takes effect and is answered.
    Deliver(usize, usize),
    /// A manager's request meets a fault.
    Fault(usize, usize, Fault),
    /// A process asks a manager to be let in.
    Ask(Uid, usize),
    /// A permit on its way takes effect; a fault where one is named.
    Permit(usize, Option<Fault>),
    /// A process takes a step.
    Run(Uid),
    /// A process's second unit fails, and it says so.
    Fail(Uid),
    /// A process is killed: by its deadline, or by a fault.
    Kill(Uid),
    /// A process ends and its result is lost on the way.
    LoseResult(Uid),
    /// A node is lost: its Pod is said to be over, and goes on.
    LoseNode(Uid),
    /// A session without a process ends.
    EndOrphan(usize, bool),
    /// The Job controller starts a Pod; also a second one, as a fault.
    StartPod(Uid),
    /// The Job controller notes that a Job is over.
    EndJob(Uid),
    /// Somebody deletes a Job.
    DeleteJob(Uid),
    /// Somebody deletes a Lease.
    DeleteLease(usize),
    /// A person edits the artifact.
    Edit(usize),
    /// A person suspends or resumes.
    Suspend(usize),
    /// A person deletes the resource.
    Delete(usize),
    /// A person makes it again, with the same spec.
    Recreate,
    /// A person approves the plan.
    Approve(usize),
    /// A person takes an approval back.
    Revoke(Uid),
    /// A person acknowledges the run.
    Acknowledge(usize),
    /// Somebody changes the database by other means.
    Drift(usize),
    /// The keeper of a realm admits a resource, or does not any more.
    Grant(usize),
    /// A person lets the resource reach another database.
    Retarget(usize),
    /// A database's server is started anew.
    Reboot(usize),
    /// A database is put back to before its last run, or into the midst of it.
    Rewind(usize, bool),
    /// A manager comes with other components.
    Upgrade(usize),
    /// A manager dies and starts anew.
    Restart(usize),
    /// Time passes, to the next deadline.
    Time,
}

/// The state after an action, tidied up.
pub(crate) fn apply(world: &World, action: Action) -> World {
    let mut next = world.clone();
    carry_out(&mut next, action);
    tidy::tidy(&mut next);
    next
}

fn carry_out(world: &mut World, action: Action) {
    match action {
        Action::Decide(manager, place) => {
            world.budget.second -= u8::from(manager == 1 && world.budget.second < UNLIMITED);
            pass::pass(world, manager, place);
        }
        Action::Read(manager, place) => pass::read(world, manager, place),
        Action::Deliver(manager, place) => pass::deliver(world, manager, place, None),
        Action::Fault(manager, place, fault) => {
            world.budget.faults -= 1;
            pass::deliver(world, manager, place, Some(fault));
        }
        Action::Ask(pod, manager) => pass::ask(world, pod, manager),
        Action::Permit(manager, fault) => pass::deliver_permit(world, manager, fault),
        Action::Run(pod) => runner::step(world, pod),
        Action::Fail(pod) => {
            world.budget.faults -= 1;
            fail(world, pod);
        }
        Action::Kill(pod) => {
            let overdue = world.pods.iter().any(|found| found.uid == pod && runner::must_die(world, found));
            world.budget.faults -= u8::from(!overdue);
            runner::kill(world, pod);
        }
        Action::LoseResult(pod) => {
            world.budget.faults -= 1;
            lose_result(world, pod);
        }
        Action::LoseNode(uid) => {
            world.budget.faults -= 1;
            world.pods.iter_mut().filter(|pod| pod.uid == uid).for_each(|pod| pod.said_over = true);
        }
        Action::EndOrphan(index, commits) => runner::end_orphan(world, index, commits),
        Action::StartPod(job) => {
            world.budget.faults -= u8::from(world.pods.iter().any(|pod| pod.job == job));
            runner::start_pod(world, job);
        }
        Action::EndJob(uid) => world.jobs.iter_mut().filter(|job| job.uid == uid).for_each(|job| job.terminal = true),
        Action::DeleteJob(uid) => {
            world.budget.faults -= 1;
            world
                .jobs
                .iter_mut()
                .filter(|job| job.uid == uid)
                .for_each(|job| (job.deleted, job.terminal) = (true, true));
        }
        Action::DeleteLease(index) => {
            world.budget.leases -= 1;
            crate::check::lease_lost(world, index);
            world.leases.remove(index);
        }
        Action::Time => {
            let busy = (0..world.managers.len()).any(|manager| is_busy(world, manager));
            world.budget.slow -= u8::from(busy || !is_quiet(world));
            world.now = clock::next(world).unwrap_or(world.now);
        }
        _ => people::act(world, action),
    }
}

fn fail(world: &mut World, uid: Uid) {
    let Some(pod) = world.pods.iter().find(|pod| pod.uid == uid).cloned() else { return };
    let Some(job) = world.job(pod.job).cloned() else { return };
    let outcome = if pod.process == Process::Begun { Outcome::NotApplied } else { Outcome::Partial(1) };
    let process = runner::finish(world, &job, outcome);
    world.pods.iter_mut().filter(|pod| pod.uid == uid).for_each(|pod| pod.process = process);
}

fn lose_result(world: &mut World, uid: Uid) {
    let Some(pod) = world.pods.iter().find(|pod| pod.uid == uid).cloned() else { return };
    let (Some(job), Process::Done(said)) = (world.job(pod.job).cloned(), pod.process) else { return };
    runner::deliver(world, &job, uid, &said, false);
}

impl Action {
    /// Who does it, as one bit; nothing for faults and for people, who owe nobody a next step.
    pub(crate) fn actor(self, world: &World) -> Option<u16> {
        let bit = match self {
            Action::Decide(manager, place) | Action::Read(manager, place) | Action::Deliver(manager, place) => {
                manager * 2 + place
            }
            Action::Permit(manager, None) => 4 + manager,
            Action::Run(_) => 6,
            Action::Kill(uid) if world.pods.iter().any(|pod| pod.uid == uid && runner::must_die(world, pod)) => 6,
            Action::EndJob(_) => 7,
            Action::StartPod(job) if world.pods.iter().all(|pod| pod.job != job) => 7,
            Action::EndOrphan(..) => 8,
            Action::Time => 9,
            Action::Ask(_, manager) => 10 + manager,
            _ => return None,
        };
        Some(1 << bit)
    }
}

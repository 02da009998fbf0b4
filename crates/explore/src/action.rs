//! What can happen next, and what it does: managers, processes, controllers, people, time, and faults.

use ptah_lifecycle::{
    Acknowledgment, Approval, Decision, Finding, Kind, Operation, Outcome, Refusal, Snapshot, Uid, Why, decide, permit,
};
use ptah_reconcile::{Gather, Next, Pass, Perform, Reply, Step};

use crate::api;
use crate::clock;
use crate::coverage::Fault;
use crate::runner;
use crate::tidy;
use crate::world::{Lock, Process, World, constant, key};

/// One thing that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// A manager reads a resource and decides.
    Decide(usize, usize),
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
        Action::Decide(manager, place) => pass(world, manager, place),
        Action::Deliver(manager, place) => deliver(world, manager, place, None),
        Action::Fault(manager, place, fault) => {
            world.budget.faults -= 1;
            deliver(world, manager, place, Some(fault));
        }
        Action::Ask(pod, manager) => ask(world, pod, manager),
        Action::Permit(manager, fault) => deliver_permit(world, manager, fault),
        Action::Run(pod) => runner::step(world, pod),
        Action::Fail(pod) => {
            world.budget.faults -= 1;
            fail(world, pod);
        }
        Action::Kill(pod) => {
            let overdue = world.pods.iter().any(|found| found.uid == pod && runner::is_overdue(world, found));
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
            world.jobs.iter_mut().filter(|job| job.uid == uid).for_each(|job| job.expiring = true);
            tidy::delete_job(world, uid);
        }
        Action::Time => {
            let busy = (0..world.managers.len()).any(|manager| is_busy(world, manager));
            world.budget.slow -= u8::from(busy || !is_quiet(world));
            world.now = clock::next(world).unwrap_or(world.now);
        }
        _ => person(world, action),
    }
}

fn person(world: &mut World, action: Action) {
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
        _ => {}
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

pub(crate) fn unresolved(world: &World, place: usize) -> Option<Operation> {
    world.resources[place].status.record.as_ref().map(|record| record.operation)
}

/// A pass up to its decision, all of its readings at one moment.
pub(crate) fn gathered(world: &World, manager: usize, place: usize) -> Option<(Snapshot, ptah_reconcile::Memory)> {
    let fresh = world.next_fresh();
    let state = &world.managers[manager];
    let pass = Pass {
        uid: world.resources[place].uid,
        now: world.now,
        fresh,
        manager: state.manager,
        memory: state.memory[place].clone(),
    };
    let components = state.manager.components;
    let mut gather = Gather::new(pass);
    loop {
        match gather.step() {
            Step::Ask(request) => {
                let reply = api::read(world, &request, components)?;
                gather.take(reply).ok()?;
            }
            Step::Decide(snapshot) => return Some((*snapshot, gather.memory().clone())),
        }
    }
}

fn pass(world: &mut World, manager: usize, place: usize) {
    let Some((snapshot, memory)) = gathered(world, manager, place) else { return };
    world.use_fresh();
    world.managers[manager].memory[place] = memory;
    let decision = decide(&snapshot);
    let mut other = snapshot.clone();
    other.resource.status.shown = ptah_lifecycle::Shown::Draining;
    if !same_effect(&decision, &decide(&other)) {
        world.must(false, "a decision reads no phase, condition or reason");
    }
    crate::coverage::decided(&decision);
    if snapshot.resource.status.state_version > snapshot.manager.state_version {
        world.must(decision == Decision::Refuse(Refusal::NewerState), "a fenced manager writes nothing");
    }
    match Perform::new(&snapshot, decision) {
        Ok(perform) => world.managers[manager].pending[place] = Some(perform),
        Err(Next::Again | Next::At(_) | Next::Never) => {}
    }
}

/// Whether two decisions differ in nothing but what people are shown.
fn same_effect(left: &Decision, right: &Decision) -> bool {
    match (left, right) {
        (Decision::WriteStatus(a, why), Decision::WriteStatus(b, other)) => {
            let mut b = b.clone();
            b.shown = a.shown;
            (*why == *other && *a == b) || (*why == Why::Show) != (*other == Why::Show)
        }
        (Decision::Wait(..), Decision::WriteStatus(_, Why::Show))
        | (Decision::WriteStatus(_, Why::Show), Decision::Wait(..)) => true,
        (a, b) => a == b,
    }
}

fn deliver(world: &mut World, manager: usize, place: usize, fault: Option<Fault>) {
    let Some(perform) = world.managers[manager].pending[place].take() else { return };
    let components = world.managers[manager].manager.components;
    let mut memory = std::mem::take(&mut world.managers[manager].memory[place]);
    perform.sending(&mut memory);
    crate::coverage::delivered(perform.request(), fault);
    let request = perform.request().clone();
    let reply = match fault {
        None => api::call(world, &request, components),
        Some(Fault::LostBefore) => Reply::Lost,
        Some(Fault::LostAfter | Fault::DiesAfter) => {
            let _ = api::call(world, &request, components);
            Reply::Lost
        }
        Some(Fault::Refused) => Reply::Refused,
    };
    let gone = world.managers[manager].memory.len() <= place;
    perform.take(&reply, &mut memory);
    if !gone {
        world.managers[manager].memory[place] = memory;
    }
    if fault == Some(Fault::DiesAfter) {
        tidy::restart(world, manager);
    }
}

fn ask(world: &mut World, pod: Uid, manager: usize) {
    let Some(job) = world.pods.iter().find(|found| found.uid == pod).and_then(|found| world.job(found.job)).cloned()
    else {
        return;
    };
    let place = world.resources.iter().position(|resource| resource.uid == job.resource);
    let request = permit::Request { operation: job.claim.operation, pod, key: key(pod) };
    let answer = match place {
        None => permit::Answer::Refused,
        Some(place) => match gathered(world, manager, place) {
            None => permit::Answer::NotYet,
            Some((snapshot, _)) => keep(world, manager, place, &snapshot, permit::answer(&snapshot, &request)),
        },
    };
    let process = match answer {
        permit::Answer::Granted(_) => Process::LetIn,
        permit::Answer::Refused => Process::Done(crate::world::Said::NotStarted),
        permit::Answer::First(_) | permit::Answer::NotYet => return,
    };
    world.pods.iter_mut().filter(|found| found.uid == pod).for_each(|found| found.process = process);
}

/// Keeps the write that an answer asks for first.
fn keep(
    world: &mut World,
    manager: usize,
    place: usize,
    snapshot: &Snapshot,
    answer: permit::Answer,
) -> permit::Answer {
    if let permit::Answer::First(decision) = &answer
        && let Ok(perform) = Perform::new(snapshot, decision.clone())
    {
        world.use_fresh();
        crate::coverage::decided(decision);
        world.managers[manager].permit = Some((place, perform));
    }
    answer
}

fn deliver_permit(world: &mut World, manager: usize, fault: Option<Fault>) {
    world.budget.faults -= u8::from(fault.is_some());
    let Some((_, perform)) = world.managers[manager].permit.take() else { return };
    let components = world.managers[manager].manager.components;
    crate::coverage::delivered(perform.request(), fault);
    let request = perform.request().clone();
    if !matches!(fault, Some(Fault::LostBefore | Fault::Refused)) {
        api::call(world, &request, components);
    }
    if fault == Some(Fault::DiesAfter) {
        tidy::restart(world, manager);
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
    runner::deliver(world, &job, uid, said, false);
}

/// Everything that can happen now.
pub(crate) fn enabled(world: &World) -> Vec<Action> {
    let mut list = Vec::new();
    for manager in 0..world.managers.len() {
        managers(world, manager, &mut list);
    }
    processes(world, &mut list);
    jobs(world, &mut list);
    people(world, &mut list);
    let busy =
        list.iter().any(|action| matches!(action, Action::Decide(..) | Action::Deliver(..) | Action::Permit(..)));
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
            None if decides(world, index, place) => list.push(Action::Decide(index, place)),
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
        if live && (faults || runner::is_overdue(world, pod)) {
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
    if budget.drifts > 0 {
        list.extend((0..world.databases.len()).map(Action::Drift));
    }
    if budget.recreates > 0 && world.resources.len() < 2 {
        list.push(Action::Recreate);
    }
}

/// Whether no process, controller or session does anything by itself until time passes. Managers are asked beside it.
pub(crate) fn is_quiet(world: &World) -> bool {
    let processes = world.pods.iter().all(|pod| !runner::can_step(world, pod) && !runner::is_overdue(world, pod));
    let asking = world
        .pods
        .iter()
        .any(|pod| pod.process == Process::Started && !runner::can_step(world, pod) && !world.managers.is_empty());
    let jobs = world.jobs.iter().filter(|job| !job.terminal).all(|job| {
        let mut pods = world.pods.iter().filter(|pod| pod.job == job.uid).peekable();
        pods.peek().is_some() && pods.any(|pod| pod.process != Process::Stopped && !pod.said_over)
    });
    let orphans = world.databases.iter().all(|database| !matches!(database.lock, Lock::Orphan { .. }));
    processes && !asking && jobs && orphans
}

/// Whether a manager has something on its way or to decide.
fn is_busy(world: &World, manager: usize) -> bool {
    let state = &world.managers[manager];
    let resources = 0..world.resources.len();
    state.permit.is_some() || resources.into_iter().any(|at| state.pending[at].is_some() || decides(world, manager, at))
}

impl Action {
    /// Who does it, as one bit; nothing for faults and for people, who owe nobody a next step.
    pub(crate) fn actor(self, world: &World) -> Option<u16> {
        let bit = match self {
            Action::Decide(manager, place) | Action::Deliver(manager, place) => manager * 2 + place,
            Action::Permit(manager, None) => 4 + manager,
            Action::Run(_) => 6,
            Action::Kill(uid) if world.pods.iter().any(|pod| pod.uid == uid && runner::is_overdue(world, pod)) => 6,
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

//! A manager's pass and the requests on their way: the core's own `Gather`, `decide`, `Perform` and permit.

use ptah_lifecycle::{Decision, Refusal, Shown, Snapshot, Uid, Why, decide, permit};
use ptah_reconcile::{Gather, Next, Pass, Perform, Reply, Step};

use crate::api;
use crate::coverage::Fault;
use crate::tidy;
use crate::world::{Process, Said, World, key};

/// A pass up to its decision, all of its readings at one moment.
pub(crate) fn gathered(world: &World, manager: usize, place: usize) -> Option<(Snapshot, ptah_reconcile::Memory)> {
    let components = world.managers[manager].manager.components;
    let mut gather = begun(world, manager, place);
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

/// A pass that has read nothing yet.
fn begun(world: &World, manager: usize, place: usize) -> Gather {
    let state = &world.managers[manager];
    Gather::new(Pass {
        uid: world.resources[place].uid,
        now: world.now.plus(state.ahead),
        fresh: world.next_fresh(),
        manager: state.manager,
        memory: state.memory[place].clone(),
    })
}

/// A pass: what it decides is on its way, and takes effect later. Where readings are taken apart, it only begins.
pub(crate) fn pass(world: &mut World, manager: usize, place: usize) {
    if world.apart {
        let gather = begun(world, manager, place);
        world.use_fresh();
        world.managers[manager].reading[place] = Some(gather);
    } else if let Some((snapshot, memory)) = gathered(world, manager, place) {
        world.use_fresh();
        decided(world, manager, place, &snapshot, memory);
    }
}

/// The next reading of a pass; after the last one, its decision. A reading that fails ends the pass.
pub(crate) fn read(world: &mut World, manager: usize, place: usize) {
    let Some(mut gather) = world.managers[manager].reading[place].take() else { return };
    match gather.step() {
        Step::Ask(request) => {
            let components = world.managers[manager].manager.components;
            let reply = api::read(world, &request, components);
            if reply.is_some_and(|reply| gather.take(reply).is_ok()) {
                world.managers[manager].reading[place] = Some(gather);
            }
        }
        Step::Decide(snapshot) => decided(world, manager, place, &snapshot, gather.memory().clone()),
    }
}

/// What a pass decides, and whether it may.
fn decided(world: &mut World, manager: usize, place: usize, snapshot: &Snapshot, memory: ptah_reconcile::Memory) {
    world.managers[manager].memory[place] = memory;
    let decision = decide(snapshot);
    let mut other = snapshot.clone();
    for shown in [Shown::Draining, Shown::Pending, Shown::AwaitingApproval, Shown::PolicyRefused] {
        other.resource.status.shown = shown;
        if !same_effect(&decision, &decide(&other)) {
            world.must(false, "a decision reads no phase, condition or reason");
        }
    }
    crate::coverage::decided(&decision);
    alone_with_the_refused(world, manager, snapshot, &decision);
    if snapshot.resource.status.state_version > snapshot.manager.state_version {
        world.must(decision == Decision::Refuse(Refusal::NewerState), "a fenced manager writes nothing");
    }
    match Perform::new(snapshot, decision) {
        Ok(perform) => world.managers[manager].pending[place] = Some(perform),
        Err(Next::Again | Next::At(_) | Next::Never) => {}
    }
}

/// A claimant that is refused, and has nothing under way, might as well not be there: the decision is the same.
fn alone_with_the_refused(world: &mut World, manager: usize, snapshot: &Snapshot, decision: &Decision) {
    let Some(mut without) = without_refused(world, snapshot.uid()) else { return };
    // The same unused IDs as this pass was given.
    without.next_id = u64::try_from(snapshot.fresh.operation.0 - 1).unwrap_or(world.next_id);
    let Some(place) = without.resources.iter().position(|resource| resource.uid == snapshot.uid()) else { return };
    // What was remembered at the beginning of this pass is what it has just been read with.
    let same = gathered(&without, manager, place).is_some_and(|(other, _)| same_effect(decision, &decide(&other)));
    crate::check::must(world, 16, same);
}

/// The same world without a claimant that is refused and has nothing under way; nothing where there is none but `except`.
fn without_refused(world: &World, except: Uid) -> Option<World> {
    if world.apart || world.grants.is_empty() {
        return None;
    }
    let place = world.resources.iter().position(|resource| {
        let status = &resource.status;
        let idle = status.claim.is_none() && status.record.is_none() && status.owed.is_none();
        resource.uid != except && idle && !world.is_admitted(resource.uid)
    })?;
    let uid = world.resources[place].uid;
    let holds = |lease: &ptah_lifecycle::Lease| {
        lease.holder.is_some_and(|holder| holder.resource == uid) || lease.hold.is_some_and(|hold| hold.resource == uid)
    };
    if world.leases.iter().any(|(_, lease)| holds(lease)) {
        return None;
    }
    let mut without = world.clone();
    tidy::remove_resource(&mut without, place);
    Some(without)
}

/// Whether two decisions differ in nothing but what people are shown.
fn same_effect(left: &Decision, right: &Decision) -> bool {
    match (left, right) {
        (Decision::WriteStatus(a, why), Decision::WriteStatus(b, other)) => {
            let mut b = b.clone();
            b.shown = a.shown;
            *why == *other && *a == b
        }
        (Decision::Wait(..), Decision::WriteStatus(_, Why::Show))
        | (Decision::WriteStatus(_, Why::Show), Decision::Wait(..)) => true,
        (a, b) => a == b,
    }
}

/// A request arrives, or meets a fault.
pub(crate) fn deliver(world: &mut World, manager: usize, place: usize, fault: Option<Fault>) {
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

/// A process asks to be let in.
pub(crate) fn ask(world: &mut World, pod: Uid, manager: usize) {
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
    if let permit::Answer::Granted(seconds) = answer {
        crate::check::lets_in(world, pod);
        let deadline = Some(world.now.plus(seconds));
        world.pods.iter_mut().filter(|found| found.uid == pod).for_each(|found| found.deadline = deadline);
    }
    let process = match answer {
        permit::Answer::Granted(_) => Process::LetIn,
        permit::Answer::Refused => Process::Done(Said::NotStarted),
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

/// A permit arrives, or meets a fault.
pub(crate) fn deliver_permit(world: &mut World, manager: usize, fault: Option<Fault>) {
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

//! The process in a Pod, and the Job controller: what the operator's Jobs do, step by step.

use ptah_lifecycle::{
    ClaimRows, Facts, Family, Frame, Identity, IdentitySource, Kind, Outcome, Proposal, Reading, Reported, Section,
    SettleReading, StateRefusal, Uid, Unfinished,
};

use crate::check;
use crate::world::{Database, JobObject, Lock, PodObject, Process, Row, Said, World, constant, key, state};

/// Whether the process can go on by itself. A process that has not been let in asks instead.
pub(crate) fn can_step(world: &World, pod: &PodObject) -> bool {
    let Some(job) = world.job(pod.job) else { return false };
    match pod.process {
        Process::Started => job.claim.kind == Kind::Refresh || job.claim.dispatch_not_after.reached(world.now),
        Process::LetIn | Process::Begun | Process::Ran(_) | Process::Done(_) => true,
        Process::Stopped => false,
    }
}

/// Whether its own deadline kills it now.
fn is_overdue(world: &World, pod: &PodObject) -> bool {
    let at_work = matches!(pod.process, Process::LetIn | Process::Begun | Process::Ran(_));
    at_work && pod.deadline.is_some_and(|deadline| deadline.reached(world.now))
}

/// Whether it is about to be killed, by its own deadline or because its Job was deleted.
pub(crate) fn must_die(world: &World, pod: &PodObject) -> bool {
    let deleted = world.job(pod.job).is_some_and(|job| job.deleted);
    pod.process != Process::Stopped && (deleted || is_overdue(world, pod))
}

/// One step of the process.
pub(crate) fn step(world: &mut World, uid: Uid) {
    let Some(pod) = world.pods.iter().find(|pod| pod.uid == uid).cloned() else { return };
    let Some(job) = world.job(pod.job).cloned() else { return };
    let next = match (pod.process, job.claim.kind) {
        (Process::Started, Kind::Refresh) => Process::Done(Said::Refresh(Ok(reading(world, &job)))),
        (Process::Started, Kind::Apply | Kind::Settle) => Process::Done(Said::NotStarted),
        (Process::LetIn, Kind::Settle) => begin_settle(world, &job, uid),
        (Process::LetIn, Kind::Apply | Kind::Refresh) => begin_apply(world, &job, uid),
        (Process::Begun, Kind::Settle) => read_settle(world, &job),
        (Process::Begun, Kind::Apply | Kind::Refresh) => unit(world, &job, 0),
        (Process::Ran(1), _) => unit(world, &job, 1),
        (Process::Ran(_), _) => finish(world, &job, Outcome::Applied),
        (Process::Done(said), _) => {
            deliver(world, &job, uid, &said, true);
            return;
        }
        (Process::Stopped, _) => Process::Stopped,
    };
    set(world, uid, &next);
}

fn set(world: &mut World, uid: Uid, process: &Process) {
    if let Some(pod) = world.pods.iter_mut().find(|pod| pod.uid == uid) {
        pod.process = *process;
    }
}

/// What a refresh reads.
fn reading(world: &World, job: &JobObject) -> Reading {
    let database = &world.databases[job.database];
    let wanted = job.artifact.as_bytes()[0];
    let there = (database.artifact, database.units) == (wanted, 2);
    let refusal = match job.family {
        Family::Migration if database.units == 1 => Some(StateRefusal::HistoryDirty),
        Family::Migration if database.artifact > wanted => Some(StateRefusal::HistoryAhead),
        Family::Migration | Family::Schema => None,
    };
    let actual = state(database.artifact, database.units);
    let proposal = Proposal {
        content: job.artifact,
        desired: state(wanted, 2),
        actual,
        artifact: job.artifact,
        destructive: false,
        privileges: false,
    };
    Reading {
        identity: Identity {
            database: database.identity,
            route: constant(9),
            source: IdentitySource::Reported,
            apart: None,
        },
        instance: database.instance,
        state: actual,
        proposal: (!there && refusal.is_none()).then_some(proposal),
        refusal,
    }
}

/// What the database remembers of a run that did not finish.
fn unfinished(database: &Database) -> Option<Unfinished> {
    let row = database.rows.iter().find(|row| !row.finished)?;
    Some(Unfinished { operation: row.operation, family: Some(row.family), plan: row.plan })
}

/// Takes the lock and writes, alone, that the run begins; or says that nothing was sent.
fn begin_apply(world: &mut World, job: &JobObject, pod: Uid) -> Process {
    let operation = job.claim.operation;
    let database = &mut world.databases[job.database];
    let Some(plan) = &job.plan else { return Process::Done(Said::Run(Outcome::NotApplied)) };
    if database.rows.iter().any(|row| row.operation == operation) {
        return Process::Done(Said::Run(Outcome::Unknown));
    }
    let other = database.rows.iter().any(|row| !row.finished && !job.settled.contains(&row.operation));
    let moved = state(database.artifact, database.units) != plan.proposal.actual;
    if database.lock != Lock::Free || other || moved {
        return Process::Done(Said::Run(Outcome::NotApplied));
    }
    database.lock = Lock::Pod(pod);
    database.begun += 1;
    database.rows.push(Row { operation, family: job.family, plan: plan.fingerprint, finished: false });
    if let Some(ghost) = world.ghost(operation) {
        ghost.database = Some(job.database);
    }
    Process::Begun
}

fn unit(world: &mut World, job: &JobObject, unit: u8) -> Process {
    check::unit_commits(world, job.claim.operation, unit, job.database);
    let database = &mut world.databases[job.database];
    (database.artifact, database.units) = (job.artifact.as_bytes()[0], unit + 1);
    Process::Ran(unit + 1)
}

/// Ends a run with what is known: the outcome is in the database before the lock is given back.
pub(crate) fn finish(world: &mut World, job: &JobObject, outcome: Outcome) -> Process {
    let database = &mut world.databases[job.database];
    for row in database.rows.iter_mut().filter(|row| row.operation == job.claim.operation) {
        row.finished = true;
    }
    database.lock = Lock::Free;
    Process::Done(Said::Run(outcome))
}

fn begin_settle(world: &mut World, job: &JobObject, pod: Uid) -> Process {
    if world.databases[job.database].lock != Lock::Free {
        return Process::Done(Said::Settle(SettleReading::Busy));
    }
    world.databases[job.database].lock = Lock::Pod(pod);
    if let Some(run) = job.settles {
        check::reading_begins(world, run, job.database);
    }
    Process::Begun
}

fn read_settle(world: &mut World, job: &JobObject) -> Process {
    if let Some(ghost) = job.settles.and_then(|run| world.ghost(run)) {
        ghost.answered = true;
    }
    let database = &mut world.databases[job.database];
    database.lock = Lock::Free;
    let content = (database.artifact, database.units);
    let wanted = job.plan.map_or(0, |plan| plan.proposal.content.as_bytes()[0]);
    let facts = Facts {
        database: database.identity,
        as_desired: content == (wanted, 2),
        dirty: content.1 == 1,
        every_planned_applied: content == (wanted, 2),
        older_unchanged: true,
        as_before: job.plan.is_some_and(|plan| plan.proposal.actual == state(content.0, content.1)),
        unfinished: database.rows.iter().any(|row| Some(row.operation) == job.settles && !row.finished),
    };
    Process::Done(Said::Settle(SettleReading::Read(facts)))
}

/// The process says what it has to say, if it can, and ends; the kubelet keeps its last message.
pub(crate) fn deliver(world: &mut World, job: &JobObject, uid: Uid, said: &Said, pushed: bool) {
    let operation = job.claim.operation;
    let let_in = *said != Said::NotStarted && job.claim.kind != Kind::Refresh;
    let section = match *said {
        Said::NotStarted => Section::NotStarted,
        Said::Run(outcome) => Section::Run(Reported { outcome, right_database: true }),
        Said::Settle(reading) => Section::Settle(reading),
        Said::Refresh(reading) => Section::Refresh(reading),
    };
    let summary = match &section {
        Section::Run(reported) => Some(*reported),
        Section::NotStarted | Section::Settle(_) | Section::Refresh(_) => None,
    };
    if pushed {
        let key = let_in.then(|| key(uid));
        let database = &world.databases[job.database];
        let rows = ClaimRows { sequence: database.begun, unfinished: unfinished(database) };
        let frame = Frame { operation, pod: uid, key, conflict: false, section, rows, state_version: 1 };
        store(world, frame);
    }
    if let Some(pod) = world.pods.iter_mut().find(|pod| pod.uid == uid) {
        (pod.process, pod.summary) = (Process::Stopped, summary);
    }
}

/// Any replica stores a result: of a claim, or, as a late one, of a run that is not settled. Anything else is refused.
fn store(world: &mut World, frame: Frame) {
    let operation = Some(frame.operation);
    let claimed = world.resources.iter().any(|r| r.status.claim.as_ref().map(|claim| claim.operation) == operation);
    let recorded = world.resources.iter().any(|r| r.status.record.as_ref().map(|record| record.operation) == operation);
    let (stored, late) = (&mut world.frames, &mut world.late);
    let list = if claimed { stored } else { late };
    let known = list.iter().any(|found| (found.operation, found.pod) == (frame.operation, frame.pod));
    if (claimed || recorded) && !known {
        list.push(frame);
    }
}

/// The process is gone at once. A session that held the lock goes on without it, and its last statement may still commit.
pub(crate) fn kill(world: &mut World, uid: Uid) {
    let Some(pod) = world.pods.iter().find(|pod| pod.uid == uid).cloned() else { return };
    let Some(job) = world.job(pod.job).cloned() else { return };
    let database = &mut world.databases[job.database];
    if database.lock == Lock::Pod(uid) {
        let unit = match pod.process {
            Process::Begun => Some(0),
            Process::Ran(1) => Some(1),
            Process::Started | Process::LetIn | Process::Ran(_) | Process::Done(_) | Process::Stopped => None,
        };
        database.lock = match job.claim.kind {
            Kind::Apply => Lock::Orphan { run: job.claim.operation, artifact: job.artifact.as_bytes()[0], unit },
            Kind::Settle | Kind::Refresh => Lock::Free,
        };
    }
    set(world, uid, &Process::Stopped);
}

/// A session without a process ends: its last statement commits, or it does not.
pub(crate) fn end_orphan(world: &mut World, index: usize, commits: bool) {
    let Lock::Orphan { run, artifact, unit } = world.databases[index].lock else { return };
    if let (true, Some(unit)) = (commits, unit) {
        check::unit_commits(world, run, unit, index);
        let database = &mut world.databases[index];
        (database.artifact, database.units) = (artifact, unit + 1);
    }
    world.databases[index].lock = Lock::Free;
}

/// The Job controller starts a Pod.
pub(crate) fn start_pod(world: &mut World, job: Uid) {
    let kept = world.job(job).is_some_and(|job| job.claim.kind != Kind::Refresh);
    let uid = world.uid();
    world.pods.push(PodObject {
        uid,
        job,
        process: Process::Started,
        said_over: false,
        kept,
        deadline: None,
        summary: None,
    });
}

//! A dispatched Apply is never run again: what it did becomes a question for the database.

use ptah_lifecycle::{
    Family, Finding, IdentitySource, Judged, Kind, Outcome, Resolution, SettleReading, Shown, Stale, Uid, bounds,
};
use ptah_reconcile::Next;

use crate::support::{DB, ONE, World, finished, label, untouched};

/// The Job goes without a trace, its Pods too.
fn lose_the_job(world: &mut World) {
    let operation = world.claim(ONE).operation;
    if let Some(job) = world.jobs.remove(&operation) {
        world.pods.remove(&job.uid);
    }
}

#[test]
fn missing_dispatched_apply_job_forces_observation_without_recreation() {
    for until in ["Mark", "NoteJob"] {
        let mut world = World::of(Family::Schema);
        let claim = world.applying(ONE, until);
        lose_the_job(&mut world);
        world.restart();
        let before = world.creates.values().sum::<u32>();

        world.until(ONE, "RecordRun");
        let record = world.status(ONE).record.clone().unwrap();
        assert_eq!((record.operation, record.outcome), (claim.operation, Outcome::Unknown), "{until}");
        assert_eq!(record.identity.source, IdentitySource::Planned, "nobody was connected");
        assert_eq!(record.job, claim.job, "named only where a Job provably existed");
        assert_eq!(world.status(ONE).claim, None);
        world.until(ONE, "ClaimSettle");
        assert_eq!(world.claim(ONE).kind, Kind::Settle);
        assert_eq!(world.creates.values().sum::<u32>(), before, "{until}: no Job was created");
    }
}

#[test]
fn a_missing_job_whose_runner_was_let_in_is_waited_for_to_the_horizon() {
    let mut world = World::of(Family::Schema);
    let (claim, _) = world.started(ONE);
    lose_the_job(&mut world);
    for _ in 0..2 {
        let passed = world.pass(ONE);
        assert_eq!(passed.next, Next::At(world.now.plus(bounds::POLL)));
        assert_eq!(world.status(ONE).record, None, "it may still write");
    }
    world.now = claim.execution_not_after.plus(bounds::horizon());
    world.until(ONE, "RecordRun");
    assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::Unknown);
    assert_eq!(world.creates[&claim.operation], 1);
}

#[test]
fn migration_apply_is_never_recreated_once_dispatched() {
    let mut world = World::of(Family::Migration);
    let claim = world.applying(ONE, "Mark");
    world.restart();
    world.until(ONE, "RecordRun");
    world.settle_down(ONE);
    assert_eq!(world.creates.get(&claim.operation), None);
    let record = world.status(ONE).record.as_ref().unwrap();
    assert_eq!((record.operation, record.outcome, record.job), (claim.operation, Outcome::Unknown, None));
    assert_eq!(world.status(ONE).plan, None, "nothing is left to be approved");
}

#[test]
fn an_unsettled_run_refuses_every_new_claim_but_its_own_reading() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClearOwed");
        let mut ready = World::of(family);
        ready.planned(ONE);
        ready.approve(ONE);
        let mut snapshot = ready.snapshot(ONE).unwrap();
        assert!(ptah_lifecycle::approval::claim_migration_apply(&snapshot).is_some());
        snapshot.resource.status.record = world.status(ONE).record.clone();
        assert_eq!(ptah_lifecycle::approval::claim_migration_apply(&snapshot), None);
        world.until(ONE, "ClaimSettle");
    }
}

#[test]
fn a_schema_settles_by_any_completed_reading_of_the_same_database() {
    for (facts, shown) in [(finished(), true), (untouched(), false)] {
        let mut world = World::of(Family::Schema);
        let run = world.ended(ONE, Outcome::Unknown);
        world.settle(ONE, SettleReading::Read(facts));
        world.until(ONE, "ClearOwed");
        let resolved = world.status(ONE).resolved.unwrap();
        assert_eq!((resolved.operation, resolved.by), (run, Resolution::Reading));
        assert_eq!(world.status(ONE).applied, None, "a converged reading credits no unknown run");
        assert_eq!(world.status(ONE).observed.unwrap().in_sync, shown);
    }
}

#[test]
fn a_reading_of_another_database_settles_nothing() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let run = world.ended(ONE, Outcome::Applied);
        let facts = ptah_lifecycle::Facts { database: crate::support::digest("another database"), ..finished() };
        world.settle(ONE, SettleReading::Read(facts));
        world.until(ONE, "SettleFailed");
        assert_eq!(world.status(ONE).record.as_ref().unwrap().operation, run);
    }
}

#[test]
fn a_migration_settles_only_when_nothing_is_left_to_be_run_again() {
    let left = [
        ptah_lifecycle::Facts { dirty: true, ..finished() },
        ptah_lifecycle::Facts { every_planned_applied: false, ..finished() },
        ptah_lifecycle::Facts { older_unchanged: false, ..finished() },
        ptah_lifecycle::Facts { as_desired: false, ..finished() },
        untouched(),
    ];
    for facts in left {
        let mut world = World::of(Family::Migration);
        let run = world.ended(ONE, Outcome::Unknown);
        world.settle(ONE, SettleReading::Read(facts));
        world.until(ONE, "SettleFailed");
        world.settle_down(ONE);
        assert_eq!(world.status(ONE).record.as_ref().unwrap().operation, run, "{facts:?}");
        assert_eq!(world.status(ONE).shown, Shown::OutcomeUnknown, "{facts:?}");
    }
}

#[test]
fn a_refused_create_ends_the_claim_as_never_created() {
    let mut world = World::of(Family::Migration);
    let claim = world.applying(ONE, "Mark");
    let passed = world.pass_with(ONE, Some(crate::support::Fault::Refused));
    assert_eq!(label(&passed.decision), "CreateJob");
    world.until(ONE, "NeverCreated");
    assert_eq!(world.status(ONE).record, None);
    assert_eq!(world.status(ONE).resolved.unwrap().by, Resolution::NeverCreated);
    world.until(ONE, "ClearOwed");
    assert!(world.database_lease(DB).settled.contains(&claim.operation));
}

#[test]
fn a_late_answer_to_the_create_is_not_taken_for_a_refusal() {
    let mut world = World::of(Family::Migration);
    let claim = world.applying(ONE, "Mark");
    let passed = world.pass_with(ONE, Some(crate::support::Fault::LostBefore));
    assert_eq!(label(&passed.decision), "CreateJob");
    world.until(ONE, "RecordRun");
    assert_eq!(world.status(ONE).record.as_ref().unwrap().outcome, Outcome::Unknown);
    assert_eq!(world.creates.get(&claim.operation), None, "and it is not tried again");
    let pod = Uid(9);
    assert_eq!(world.ask(ONE, claim.operation, pod), ptah_lifecycle::permit::Answer::Refused);
}

#[test]
fn a_persons_acknowledgment_settles_the_run_that_it_names_and_no_other() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let run = world.ended(ONE, Outcome::Partial(1));
        world.until(ONE, "ClearOwed");
        let other = world.acknowledge(ONE, ptah_lifecycle::Operation(77), Finding::Applied);
        let named = world.acknowledge(ONE, run, Finding::Repaired);
        world.until(ONE, "SettleByAcknowledgment");
        let resolved = world.status(ONE).resolved.unwrap();
        assert_eq!(resolved.by, Resolution::Acknowledgment(named, Finding::Repaired));
        assert_eq!((resolved.operation, world.status(ONE).record.as_ref()), (run, None));
        world.until(ONE, "ClaimRefresh");
        assert_eq!(world.database_lease(DB).hold, None);
        assert_eq!(world.acknowledgments[&named].judged, Some(Judged::Consumed));
        assert_eq!(world.acknowledgments[&other].judged, Some(Judged::Stale(Stale::RunNotUnresolved)));
    }
}

//! Settling attempts: what ends one, when the next one comes, and who is asked.

use ptah_lifecycle::{Decision, Family, LastAnswer, Outcome, Section, SettleReading, Shown, Uid, bounds, settle};

use crate::support::{DB, ONE, World, digest, finished, label, untouched};

/// A run to be settled, and its settling Job.
fn settling(family: Family) -> World {
    let mut world = World::of(family);
    world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "NoteJob");
    world
}

#[test]
fn an_attempt_that_settled_nothing_is_made_again_after_a_wait_that_grows() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.ended(ONE, Outcome::Unknown);
        for attempt in 1..=4 {
            world.settle(ONE, SettleReading::Busy);
            world.until(ONE, "SettleFailed");
            assert_eq!(world.status(ONE).record.as_ref().unwrap().attempts.unwrap().count, attempt);
            world.wait(bounds::backoff(attempt) - 1);
            let names = world.settle_down(ONE);
            assert!(!names.contains(&"ClaimSettle".to_owned()), "{attempt}: {names:?}");
            assert_eq!(world.database_lease(DB).holder, None, "nothing is renewed in between");
            world.wait(1);
        }
        world.settle(ONE, SettleReading::Read(finished()));
        world.until(ONE, "SettleByReading");
    }
}

#[test]
fn a_settling_reading_of_a_runner_that_was_never_let_in_settles_nothing() {
    for key in [None, Some(crate::support::digest("a key that nobody registered"))] {
        let mut world = settling(Family::Schema);
        let operation = world.claim(ONE).operation;
        let pod = world.start_pod(operation);
        world.send(operation, pod, key, Section::Settle(SettleReading::Read(finished())));
        world.stop(operation, None);
        world.until(ONE, "SettleFailed");
    }
}

#[test]
fn a_settling_job_that_is_gone_or_never_ends_is_an_attempt_that_failed() {
    let mut world = settling(Family::Schema);
    world.settle_down(ONE);
    assert!(world.status(ONE).claim.is_some(), "it is waited for while it may read");
    let mut gone = world.clone();
    gone.jobs.clear();
    gone.until(ONE, "SettleFailed");
    world.now = world.claim(ONE).execution_not_after.plus(bounds::horizon());
    world.until(ONE, "SettleFailed");
}

#[test]
fn a_settling_job_that_could_not_be_created_is_an_attempt_that_failed() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let run = world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClaimSettle");
        world.until(ONE, "Mark");
        let create = world.pass_with(ONE, Some(crate::support::Fault::Refused));
        assert_eq!(label(&create.decision), "CreateJob");
        world.until(ONE, "SettleFailed");
        assert_eq!(world.status(ONE).record.as_ref().unwrap().operation, run);
        assert_eq!(world.database_lease(DB).hold.unwrap().operation, run);
    }
}

#[test]
fn a_settling_reading_under_a_tenure_that_was_broken_settles_nothing() {
    let mut world = World::of(Family::Schema);
    world.ended(ONE, Outcome::Unknown);
    world.settle(ONE, SettleReading::Read(finished()));
    let name = ptah_reconcile::LeaseName::Database(digest(DB));
    let lease = world.leases.get_mut(&name).unwrap();
    (lease.epoch, lease.version) = (ptah_lifecycle::Epoch(0xbad), ptah_lifecycle::Version(0xbad));
    world.until(ONE, "NoteBroken");
    world.until(ONE, "SettleFailed");
    assert_eq!(world.status(ONE).shown, Shown::Settling);
}

#[test]
fn after_three_attempts_or_a_quarter_of_an_hour_any_admitted_claimant_settles() {
    let two = ptah_lifecycle::Uid(2);
    let patience = bounds::SETTLE_PATIENCE;
    let rows = [(0, 0, false), (2, 0, false), (3, 0, true), (0, patience - 1, false), (0, patience, true)];
    for (attempts, waits, taken) in rows {
        let mut world = World::of(Family::Migration);
        let mut neighbour = crate::support::resource(Family::Schema, two.0, "key");
        neighbour.spec.shared = true;
        world.add(neighbour);
        world.edit(ONE, |resource| resource.spec.shared = true);
        world.refresh(two, &crate::support::reading(DB, "before"));
        let run = world.ended(ONE, Outcome::Unknown);
        for attempt in 1..=attempts {
            world.settle(ONE, SettleReading::Busy);
            world.until(ONE, "SettleFailed");
            world.wait(bounds::backoff(attempt));
        }
        world.until(ONE, "ClearOwed");
        if waits > 0 {
            let hold = world.database_lease(DB).hold.unwrap();
            world.now = hold.execution_not_after.plus(bounds::horizon() + waits);
        }
        world.settle_down(two);
        let record = world.status(two).record.as_ref().map(|record| record.operation);
        assert_eq!(record, taken.then_some(run), "after {attempts} attempts and {waits} s");
    }
}

/// Everything that a settling reading goes by is the run's own, whatever the spec says by then.
#[test]
fn a_settling_reading_goes_where_its_run_went_whatever_the_spec_says_by_then() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.ended(ONE, Outcome::Unknown);
        let before = world.resources[&ONE].spec.access();
        world.edit(ONE, |resource| {
            resource.spec.window = 60;
            resource.spec.inputs.target = digest("another target");
            resource.spec.inputs.scope = digest("another scope");
            resource.spec.inputs.execution = digest("other timeouts");
        });
        world.until(ONE, "ClaimSettle");
        let claim = world.claim(ONE);
        assert_eq!(claim.access, before);
        assert_eq!(claim.execution_not_after, claim.started.plus(before.window));
        assert_eq!(claim.lease_duration, bounds::lease(before.window));
        let Decision::CreateJob(created) = world.until(ONE, "CreateJob").decision else { panic!("it is created") };
        assert_eq!(created.access, before, "what its Job is built from");
    }
}

#[test]
fn a_run_that_was_taken_over_is_read_as_its_new_claimant_reads() {
    let mut world = World::of(Family::Schema);
    world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    world.edit(ONE, |resource| resource.status.record = None);
    world.until(ONE, "Inherit");
    let record = world.status(ONE).record.clone().unwrap();
    assert_eq!((record.access, record.realm_epoch, record.database_epoch), (None, None, None));
    world.now = record.not_before;
    world.until(ONE, "ClaimSettle");
    assert_eq!(world.claim(ONE).access, world.resources[&ONE].spec.access());
}

#[test]
fn without_its_plan_a_migrations_run_is_settled_by_an_acknowledgment_alone() {
    for (family, plan_is_there, settles) in
        [(Family::Schema, false, true), (Family::Migration, true, true), (Family::Migration, false, false)]
    {
        let mut world = World::of(family);
        let run = world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClearOwed");
        world.edit(ONE, |resource| resource.status.record = None);
        if !plan_is_there {
            world.plans.clear();
        }
        world.until(ONE, "Inherit");
        assert_eq!(world.status(ONE).record.as_ref().unwrap().basis.is_some(), plan_is_there);
        world.now = world.status(ONE).record.as_ref().unwrap().not_before;
        if settles {
            world.settle(ONE, SettleReading::Read(finished()));
            world.until(ONE, "SettleByReading");
            continue;
        }
        world.settle_down(ONE);
        assert_eq!(world.status(ONE).shown, Shown::OutcomeUnknown, "a person is asked");
        assert!(!world.names(ONE).contains(&"ClaimSettle".to_owned()), "no reading is made that could settle nothing");
        world.acknowledge(ONE, run, ptah_lifecycle::Finding::Applied);
        world.until(ONE, "SettleByAcknowledgment");
    }
}

#[test]
fn a_plan_that_was_made_again_under_the_same_name_is_not_the_one_of_the_hold() {
    let mut world = World::of(Family::Migration);
    world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    world.edit(ONE, |resource| resource.status.record = None);
    world.plans.values_mut().for_each(|plan| plan.uid = Uid(0xbad));
    world.until(ONE, "Inherit");
    assert_eq!(world.status(ONE).record.as_ref().unwrap().basis, None);
}

#[test]
fn what_is_stuck_says_since_when_and_when_it_is_looked_at_next() {
    let mut world = World::of(Family::Migration);
    world.ended(ONE, Outcome::Unknown);
    assert_eq!(settle::stuck(&world.resources[&ONE]), None, "nothing has failed");
    let mut since = None;
    for (attempt, answer, told) in [
        (1, SettleReading::Busy, LastAnswer::LockBusy),
        (2, SettleReading::Read(untouched()), LastAnswer::NotSettled),
        (3, SettleReading::Busy, LastAnswer::LockBusy),
    ] {
        world.settle(ONE, answer);
        world.until(ONE, "SettleFailed");
        let since = *since.get_or_insert(world.now);
        let next = world.now.plus(bounds::backoff(attempt));
        assert_eq!(settle::stuck(&world.resources[&ONE]), Some(settle::Stuck { since, attempts: attempt, next }));
        assert_eq!(world.status(ONE).record.as_ref().unwrap().last_answer, Some(told));
        world.settle_down(ONE);
        assert_eq!(world.pass(ONE).next, ptah_reconcile::Next::At(next), "it waits for the next look, and says so");
        world.now = next;
    }
}

#[test]
fn a_reading_that_fails_again_and_again_says_since_when_and_when_it_is_tried_next() {
    let mut world = World::of(Family::Schema);
    world.until(ONE, "CreateJob");
    let operation = world.claim(ONE).operation;
    world.send(operation, Uid(3), None, Section::Refresh(Err(ptah_lifecycle::ReadFailure::Passing)));
    world.until(ONE, "ReadFailed");
    let next = world.now.plus(bounds::backoff(1));
    assert_eq!(settle::stuck(&world.resources[&ONE]), Some(settle::Stuck { since: world.now, attempts: 1, next }));
    world.settle_down(ONE);
    assert_eq!(world.pass(ONE).next, ptah_reconcile::Next::At(next));
}

//! Settling attempts: what ends one, when the next one comes, and who is asked.

use ptah_lifecycle::{Family, Outcome, Section, SettleReading, Shown, bounds};

use crate::support::{DB, ONE, World, finished};

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
        assert_eq!(crate::support::label(&create.decision), "CreateJob");
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
    let name = ptah_reconcile::LeaseName::Database(crate::support::digest(DB));
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

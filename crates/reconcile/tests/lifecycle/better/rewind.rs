//! The cluster or the database was put back to an earlier state: what the other one remembers is not lost.

use ptah_lifecycle::{
    ClaimRows, Family, Finding, Operation, Outcome, Reading, Resolution, SettleReading, Shown, Unfinished,
};

use crate::support::{DB, ONE, World, digest, finished, reading, untouched};

const RUN: Operation = Operation(0x0123_4567);

/// The database says that so many runs began; the last one is perhaps not ended.
fn remember(world: &mut World, sequence: u64, unfinished: Option<(Operation, Option<Family>)>) {
    let plan = digest("a plan of old");
    let unfinished = unfinished.map(|(operation, family)| Unfinished { operation, family, plan });
    world.rows = ClaimRows { sequence, unfinished };
}

#[test]
fn a_run_that_only_the_database_remembers_is_held_and_settled_before_anything_is_planned() {
    for (said, family) in [
        (Some(Family::Schema), Family::Schema),
        (Some(Family::Migration), Family::Migration),
        // Where its row does not say, by the stricter rule.
        (None, Family::Migration),
    ] {
        // Whoever reads it: the run settles by the rule of its own family.
        let mut world = World::of(Family::Schema);
        remember(&mut world, 1, Some((RUN, said)));
        world.refresh(ONE, &reading(DB, "before"));
        let hold = world.database_lease(DB).hold.unwrap();
        assert_eq!((hold.operation, hold.family, hold.fingerprint), (RUN, family, digest("a plan of old")));
        assert_eq!(world.status(ONE).plan, None);

        world.until(ONE, "Inherit");
        world.now = world.status(ONE).record.as_ref().unwrap().not_before;
        if family == Family::Migration {
            world.settle_down(ONE);
            assert_eq!(world.status(ONE).shown, Shown::OutcomeUnknown, "nobody knows its plan");
            world.acknowledge(ONE, RUN, Finding::NotApplied);
        } else {
            world.settle(ONE, SettleReading::Read(untouched()));
        }
        world.until(ONE, "DropHold Database");
        assert_eq!(world.database_lease(DB).settled, [RUN]);
        assert_eq!(world.status(ONE).resolved.unwrap().operation, RUN);
    }
}

#[test]
fn a_run_that_is_settled_and_not_yet_closed_in_the_database_is_not_taken_for_a_new_one() {
    let mut world = World::of(Family::Schema);
    let run = world.ended(ONE, Outcome::Unknown);
    world.settle(ONE, SettleReading::Read(untouched()));
    world.until(ONE, "ClearOwed");
    world.wait(1);
    remember(&mut world, 1, Some((run, Some(Family::Schema))));
    world.refresh(ONE, &reading(DB, "before"));
    assert_eq!(world.database_lease(DB).hold, None);
    assert!(world.status(ONE).plan.is_some());
}

#[test]
fn a_database_that_was_put_back_makes_every_note_of_a_settlement_worthless() {
    let mut world = World::of(Family::Schema);
    let run = world.ended(ONE, Outcome::Applied);
    world.settle(ONE, SettleReading::Read(finished()));
    world.until(ONE, "ClearOwed");
    let interval = world.resources[&ONE].spec.interval;
    world.wait(interval);
    remember(&mut world, 7, None);
    world.refresh(ONE, &Reading { proposal: None, ..reading(DB, "after") });
    assert_eq!(world.database_lease(DB).settled, [run]);

    world.wait(interval);
    remember(&mut world, 6, Some((run, Some(Family::Schema))));
    world.refresh(ONE, &reading(DB, "before"));
    assert_eq!(world.database_lease(DB).settled, [], "what was settled may be half there again");
    assert_eq!(world.database_lease(DB).hold.unwrap().operation, run);
    assert_eq!(world.status(ONE).plan, None);
    world.until(ONE, "Inherit");
    world.now = world.status(ONE).record.as_ref().unwrap().not_before;
    world.settle(ONE, SettleReading::Read(untouched()));
    world.until(ONE, "ClearOwed");
    assert_eq!(world.status(ONE).resolved.unwrap().by, Resolution::Reading);
}

#[test]
fn a_reading_that_a_run_may_have_overtaken_restores_nothing() {
    let mut world = World::of(Family::Schema);
    world.planned(ONE);
    world.wait(world.resources[&ONE].spec.interval);
    world.until(ONE, "CreateJob");
    let operation = world.claim(ONE).operation;
    let lease = World::of(Family::Schema).bound_lease();
    world.leases.insert(ptah_reconcile::LeaseName::Database(digest(DB)), lease);
    let section = ptah_lifecycle::Section::Refresh(Ok(reading(DB, "before")));
    remember(&mut world, 1, Some((RUN, Some(Family::Schema))));
    world.send(operation, ptah_lifecycle::Uid(3), None, section);
    world.until(ONE, "TakeReading");
    assert_eq!(world.database_lease(DB).hold, None);
}

#[test]
fn a_settled_run_that_is_unfinished_in_the_database_again_is_held_again() {
    for (before, after, again) in [
        // (what the reading before said, what the next one says, whether the database was put back)
        ((7, false), (7, true), true),
        ((7, true), (7, true), false),
        ((7, false), (8, true), false),
        ((7, false), (7, false), false),
        ((7, false), (6, true), true),
    ] {
        let mut world = World::of(Family::Schema);
        let run = world.ended(ONE, Outcome::Applied);
        world.settle(ONE, SettleReading::Read(finished()));
        world.until(ONE, "ClearOwed");
        let interval = world.resources[&ONE].spec.interval;
        for (sequence, unfinished) in [before, after] {
            world.wait(interval);
            remember(&mut world, sequence, unfinished.then_some((run, Some(Family::Schema))));
            world.refresh(ONE, &Reading { proposal: None, ..reading(DB, "after") });
        }
        let row = format!("{before:?} {after:?}");
        assert_eq!(world.database_lease(DB).hold.map(|hold| hold.operation), again.then_some(run), "{row}");
        assert_eq!(world.database_lease(DB).settled.contains(&run), !again, "{row}");
    }
}

/// A run that nobody looked at when it was settled may stay open in the database: that is no sign of anything.
#[test]
fn a_run_that_was_settled_without_a_look_may_stay_open_in_the_database() {
    let mut world = World::of(Family::Migration);
    let run = world.ended(ONE, Outcome::Unknown);
    remember(&mut world, 0, Some((run, Some(Family::Migration))));
    world.acknowledge(ONE, run, Finding::Repaired);
    world.until(ONE, "ClearOwed");
    world.until(ONE, "SettleByAcknowledgment");
    world.until(ONE, "ClearOwed");
    world.wait(1);
    world.refresh(ONE, &Reading { proposal: None, ..reading(DB, "after") });
    assert_eq!((world.database_lease(DB).hold, world.database_lease(DB).settled.clone()), (None, vec![run]));
}

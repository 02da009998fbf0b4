//! The last second, the last entry, the one condition: where a rule begins to hold and where it ends.

use ptah_lifecycle::{
    Family, LeaseReading, Outcome, Plan, Reading, SettleReading, Shown, StateRefusal, Time, Uid, bounds,
};
use ptah_reconcile::LeaseName;

use crate::support::{Arrange, DB, ONE, World, digest, finished, label, reading, resource};

const TWO: Uid = Uid(2);

/// What is done to a stored plan.
type Change = fn(&mut Plan);

#[test]
fn a_settling_reading_that_finds_everything_there_ends_what_was_refused_before() {
    let mut world = World::of(Family::Migration);
    world.ended(ONE, Outcome::Unknown);
    world.edit(ONE, |resource| {
        let observed = resource.status.observed.as_mut().unwrap();
        observed.refusal = Some(StateRefusal::HistoryDirty);
    });
    world.wait(7);
    world.settle(ONE, SettleReading::Read(finished()));
    world.until(ONE, "ClearOwed");
    let observed = world.status(ONE).observed.unwrap();
    assert_eq!((observed.refusal, observed.at), (None, world.now), "it counts as the last reading");
    world.settle_down(ONE);
    assert_eq!(world.status(ONE).shown, Shown::InSync);
    let next = ptah_reconcile::Next::At(world.now.plus(world.resources[&ONE].spec.interval));
    assert_eq!(world.pass(ONE).next, next, "the next one is due after the interval");
}

#[test]
fn a_run_is_not_read_while_another_holds_the_database_or_another_run_is_open_on_it() {
    let rows: [(&str, Arrange); 2] = [
        ("held", |world| {
            let holder = ptah_lifecycle::Holder { resource: TWO, operation: ptah_lifecycle::Operation(8) };
            let lease = world.leases.get_mut(&LeaseName::Database(digest(DB))).unwrap();
            (lease.holder, lease.renewed) = (Some(holder), world.now);
        }),
        ("another run", |world| {
            let lease = world.leases.get_mut(&LeaseName::Database(digest(DB))).unwrap();
            lease.hold.as_mut().unwrap().operation = ptah_lifecycle::Operation(8);
        }),
    ];
    for (row, arrange) in rows {
        let mut world = World::of(Family::Schema);
        world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClearOwed");
        let mut free = world.clone();
        free.until(ONE, "ClaimSettle");
        arrange(&mut world);
        let names = world.settle_down(ONE);
        assert!(!names.contains(&"ClaimSettle".to_owned()), "{row}: {names:?}");
    }
}

#[test]
fn a_reading_that_was_claimed_is_not_begun_once_the_database_is_anothers() {
    let rows: [(&str, Arrange); 4] = [
        ("a rival", |world| world.add(resource(Family::Schema, TWO.0, "key"))),
        ("not granted", |world| {
            world.realms.insert(ONE, ptah_lifecycle::RealmReading::NotGranted);
        }),
        ("held", |world| {
            let holder = ptah_lifecycle::Holder { resource: TWO, operation: ptah_lifecycle::Operation(8) };
            let lease = world.leases.get_mut(&LeaseName::Database(digest(DB))).unwrap();
            (lease.holder, lease.renewed) = (Some(holder), world.now);
        }),
        ("a run that is not settled", |world| {
            let mut other = World::of(Family::Schema);
            other.applying(ONE, "PutHold Database");
            let hold = other.database_lease(DB).hold;
            world.leases.get_mut(&LeaseName::Database(digest(DB))).unwrap().hold = hold;
        }),
    ];
    for (row, arrange) in rows {
        let mut world = World::of(Family::Schema);
        world.leases.insert(LeaseName::Database(digest(DB)), World::of(Family::Schema).bound_lease());
        world.refresh(ONE, &Reading { proposal: None, ..reading(DB, "before") });
        world.wait(world.resources[&ONE].spec.interval);
        world.until(ONE, "ClaimRefresh");
        let mut free = world.clone();
        assert_eq!(label(&free.pass(ONE).decision), "CreateJob");
        arrange(&mut world);
        assert_eq!(label(&world.pass(ONE).decision), "Discard", "{row}");
    }
}

#[test]
fn a_reading_whose_time_is_over_before_its_job_was_created_has_failed() {
    for rival in [false, true] {
        let mut world = World::of(Family::Schema);
        world.until(ONE, "ClaimRefresh");
        if rival {
            world.add(resource(Family::Schema, TWO.0, "key"));
        }
        world.now = world.claim(ONE).dispatch_not_after;
        assert_eq!(label(&world.pass(ONE).decision), "ReadFailed");
    }
}

#[test]
fn a_failed_reading_is_shown_again_after_something_else_was() {
    let mut world = World::of(Family::Schema);
    world.until(ONE, "CreateJob");
    world.now = world.claim(ONE).dispatch_not_after;
    world.until(ONE, "ReadFailed");
    world.edit(ONE, |resource| resource.spec.suspended = true);
    world.settle_down(ONE);
    assert_eq!(world.status(ONE).shown, Shown::Suspended);
    world.edit(ONE, |resource| resource.spec.suspended = false);
    world.settle_down(ONE);
    assert_eq!(world.status(ONE).shown, Shown::ReadFailed);
}

#[test]
fn both_leases_are_renewed_just_before_a_runner_is_let_in() {
    for (since, renewed) in [(bounds::POLL - 1, false), (bounds::POLL, true)] {
        let mut world = World::of(Family::Schema);
        let claim = world.applying(ONE, "NoteJob");
        let pod = world.start_pod(claim.operation);
        let acquired = world.now;
        world.wait(since);
        assert!(matches!(world.ask(ONE, claim.operation, pod), ptah_lifecycle::permit::Answer::Granted(_)));
        let expected = if renewed { world.now } else { acquired };
        assert_eq!(
            (world.realm_lease("key").renewed, world.database_lease(DB).renewed),
            (expected, expected),
            "{since}"
        );
    }
}

#[test]
fn no_more_pods_are_noted_than_there_is_room_for() {
    let mut world = World::of(Family::Schema);
    let (claim, _) = world.started(ONE);
    for _ in 0..bounds::PODS_KEPT {
        world.start_pod(claim.operation);
    }
    world.settle_down(ONE);
    assert_eq!(world.claim(ONE).evidence.pods.len(), bounds::PODS_KEPT);
}

#[test]
fn a_stored_plan_is_the_one_of_a_reading_when_it_has_its_fingerprint_and_stays() {
    let rows: [(&str, Change, &str); 3] = [
        ("as it was stored", |_| {}, "TakeReading"),
        ("another content under its name", |plan| plan.fingerprint = digest("another"), "CreatePlan"),
        ("being deleted", |plan| plan.deleting = true, "CreatePlan"),
    ];
    for (row, change, decided) in rows {
        let mut world = World::of(Family::Schema);
        world.until(ONE, "CreateJob");
        let operation = world.claim(ONE).operation;
        world.send(operation, Uid(3), None, ptah_lifecycle::Section::Refresh(Ok(reading(DB, "before"))));
        world.until(ONE, "CreatePlan");
        world.plans.values_mut().for_each(change);
        assert_eq!(label(&world.pass(ONE).decision), decided, "{row}");
    }
}

#[test]
fn a_lease_for_a_time_that_nobody_may_ask_for_is_never_taken_over() {
    for (duration, ever) in [(0, true), (1, false), (bounds::LEASE_MAX, false), (bounds::LEASE_MAX + 1, true)] {
        let mut world = World::of(Family::Schema);
        world.applying(ONE, "Acquire Realm");
        let mut lease = world.realm_lease("key").clone();
        lease.duration = duration;
        let other = ptah_lifecycle::Holder { resource: TWO, operation: ptah_lifecycle::Operation(8) };
        let reading = LeaseReading { lease: Some(lease), unchanged_since: world.now };
        let long_after = world.now.plus(bounds::LEASE_MAX * 2);
        assert_eq!(reading.is_held(long_after), ever, "{duration}");
        let free = reading.standing(other, long_after) == ptah_lifecycle::Standing::Free;
        assert_eq!(free, !ever, "{duration}");
        if !ever {
            assert!(reading.is_held(Time(world.now.0 + duration - 1)) && !reading.is_held(world.now.plus(duration)));
        }
    }
}

//! Two databases that say that they are one: a clone is an alias until it is proven to be another one.

use ptah_lifecycle::{Family, Finding, Outcome, Reading, Shown, Uid, bounds};
use ptah_model::Digest;
use ptah_reconcile::LeaseName;

use crate::support::{DB, ONE, World, digest, reading, resource};

const TWO: Uid = Uid(2);

/// A claimant of the database, to which it is bound, and a newcomer that reaches one of the same identity by another key.
fn two_names() -> World {
    let mut world = World::of(Family::Schema);
    world.add(resource(Family::Schema, TWO.0, "another key"));
    world.leases.insert(LeaseName::Database(digest(DB)), World::of(Family::Schema).bound_lease());
    read(&mut world, ONE, Some("origin"));
    world
}

/// A reading of this instance, some time after whatever there was before, and what follows from it.
fn read(world: &mut World, uid: Uid, instance: Option<&str>) {
    later(world, uid);
    world.refresh(uid, &Reading { instance: instance.map(digest), ..reading(DB, "before") });
    world.settle_down(uid);
}

/// The next reading is due.
fn later(world: &mut World, uid: Uid) {
    let interval = world.resources[&uid].spec.interval;
    world.wait(interval);
}

fn apart(world: &World) -> Option<Digest> {
    world.status(TWO).observed.unwrap().identity.apart
}

/// The newcomer is proven to be a clone, and has read under its own name.
fn proven() -> World {
    let mut world = two_names();
    read(&mut world, TWO, Some("copy"));
    read(&mut world, ONE, Some("origin"));
    world.until(TWO, "StandApart");
    world.refresh(TWO, &Reading { instance: Some(digest("copy")), ..reading(DB, "before") });
    world
}

#[test]
fn another_instance_is_an_alias_until_one_was_read_on_both_sides_of_the_other() {
    let mut world = two_names();
    read(&mut world, TWO, Some("copy"));
    let told = "a server that was restarted between the two readings looks the same";
    assert_eq!((world.status(TWO).shown, apart(&world)), (Shown::RealmAliased, None), "{told}");

    let mut restarted = world.clone();
    for _ in 0..3 {
        read(&mut restarted, ONE, Some("copy"));
        restarted.settle_down(TWO);
        assert_eq!((restarted.status(TWO).shown, apart(&restarted)), (Shown::RealmAliased, None), "it was restarted");
    }

    read(&mut world, ONE, Some("origin"));
    world.settle_down(TWO);
    assert_eq!(apart(&world), Some(world.resources[&TWO].spec.coordination), "the origin stood on both sides");
}

#[test]
fn a_claimant_that_is_refused_for_another_cause_is_told_that_and_stands_apart_from_nothing() {
    let mut world = two_names();
    read(&mut world, TWO, Some("copy"));
    read(&mut world, ONE, Some("origin"));
    world.realms.insert(TWO, ptah_lifecycle::RealmReading::NotGranted);
    world.settle_down(TWO);
    assert_eq!((world.status(TWO).shown, apart(&world)), (Shown::RealmNotAuthorized, None));
}

#[test]
fn an_instance_that_is_not_reported_proves_nothing() {
    for (origin, copy) in [(None, Some("copy")), (Some("origin"), None), (None, None)] {
        let mut world = two_names();
        read(&mut world, ONE, origin);
        read(&mut world, TWO, copy);
        for _ in 0..3 {
            read(&mut world, ONE, origin);
            world.settle_down(TWO);
        }
        assert_eq!((world.status(TWO).shown, apart(&world)), (Shown::RealmAliased, None), "{origin:?} {copy:?}");
    }
}

#[test]
fn a_clone_runs_under_a_lease_of_its_own_and_its_origin_under_the_plain_one() {
    let mut world = proven();
    world.approve(TWO);
    world.until(TWO, "PutHold Database");
    let own = LeaseName::Database(world.status(TWO).observed.unwrap().identity.lease());
    assert_ne!(own, LeaseName::Database(digest(DB)));
    assert_eq!(world.leases[&own].hold.unwrap().resource, TWO);
    assert_eq!(world.database_lease(DB).hold, None, "the origin is free");
    world.until(TWO, "Mark");
}

#[test]
fn a_hold_under_the_plain_name_refuses_a_clone_until_it_is_settled() {
    let mut world = proven();
    later(&mut world, ONE);
    let run = world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    world.settle_down(TWO);
    assert_eq!((world.status(TWO).shown, world.status(TWO).claim.clone()), (Shown::RealmUnresolved, None));

    // Nobody is left who could read the origin, and a reading of the copy says nothing about it.
    world.resources.remove(&ONE);
    world.wait(bounds::SETTLE_PATIENCE * 3);
    world.settle_down(TWO);
    assert_eq!(world.status(TWO).record, None);
    world.acknowledge(TWO, run, Finding::Repaired);
    world.until(TWO, "Inherit");
    world.until(TWO, "SettleByAcknowledgment");
    world.until(TWO, "ClearOwed");
    assert_eq!((world.database_lease(DB).hold, world.database_lease(DB).settled.clone()), (None, vec![run]));
}

#[test]
fn a_run_of_the_origin_is_not_settled_by_a_reading_of_its_clone() {
    let mut world = proven();
    later(&mut world, ONE);
    let run = world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    world.resources.remove(&ONE);
    let ack = world.acknowledge(TWO, run, Finding::Repaired);
    world.until(TWO, "Inherit");
    world.acknowledgments.remove(&ack);
    world.now = world.status(TWO).record.as_ref().unwrap().not_before;
    let names = world.settle_down(TWO);
    assert!(!names.contains(&"ClaimSettle".to_owned()), "{names:?}");
}

#[test]
fn a_hold_that_comes_under_the_plain_name_stops_a_clone_before_its_mark() {
    let mut world = proven();
    world.approve(TWO);
    world.until(TWO, "NoteJobDigest");
    later(&mut world, ONE);
    let run = world.ended(ONE, Outcome::Unknown);
    assert_eq!(world.database_lease(DB).hold.unwrap().operation, run);
    world.until(TWO, "Discard");
}

#[test]
fn a_clone_whose_instance_becomes_another_is_an_alias_again() {
    let mut world = proven();
    read(&mut world, TWO, Some("restarted"));
    assert_eq!((world.status(TWO).shown, apart(&world)), (Shown::RealmAliased, None));
}

#[test]
fn a_claimant_of_the_plain_name_that_is_read_on_the_very_instance_ends_the_proof() {
    let mut world = proven();
    read(&mut world, ONE, Some("copy"));
    let refused = world.snapshot(TWO).unwrap();
    assert_eq!(ptah_lifecycle::realm::take_realm_census(&refused), Err(Shown::RealmAliased));
    world.settle_down(TWO);
    assert_eq!((world.status(TWO).shown, apart(&world)), (Shown::RealmAliased, None));
}

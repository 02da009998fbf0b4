//! The database under all its names: aliases, the hold that every claimant meets, and what outlives a resource.

use ptah_lifecycle::{Family, Holder, Operation, Outcome, Resolution, SettleReading, Shown, Uid, bounds};

use crate::support::{DB, ONE, World, digest, finished, label, reading, resource};

const TWO: Uid = Uid(2);

/// A second resource that reaches the same database under another key.
fn with_alias(mut world: World) -> World {
    world.add(resource(Family::Schema, TWO.0, "another key"));
    world
}

/// A second claimant of the same realm; both declare the sharing.
fn with_neighbour(mut world: World) -> World {
    let mut neighbour = resource(Family::Schema, TWO.0, "key");
    neighbour.spec.shared = true;
    world.add(neighbour);
    world.edit(ONE, |resource| resource.spec.shared = true);
    world
}

#[test]
fn a_database_that_is_reached_under_two_names_has_one_writer() {
    let mut world = with_alias(World::of(Family::Migration));
    world.ended(ONE, Outcome::Applied);
    world.settle(ONE, SettleReading::Read(finished()));
    world.until(ONE, "ClearOwed");

    world.wait(bounds::SLACK + 1);
    world.refresh(TWO, &reading(DB, "before"));
    world.approve(TWO);
    world.settle_down(TWO);
    assert_eq!(world.status(TWO).shown, Shown::RealmAliased);
    assert_eq!(world.status(TWO).claim, None);
    let bound = world.database_lease(DB).bound_to;
    assert_eq!(bound, Some(world.resources[&ONE].spec.coordination), "the incumbent stays");

    world.resources.remove(&ONE);
    world.until(TWO, "Acquire Database");
    assert_eq!(world.database_lease(DB).bound_to, Some(world.resources[&TWO].spec.coordination));
}

#[test]
fn a_hold_is_not_settled_under_another_name_while_its_own_claimant_lives() {
    let mut world = with_alias(World::of(Family::Migration));
    world.refresh(TWO, &reading(DB, "before"));
    world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    world.wait(bounds::SETTLE_PATIENCE * 2);
    world.settle_down(TWO);
    assert_eq!(world.status(TWO).record, None, "the incumbent settles it");
    assert!([Shown::RealmUnresolved, Shown::RealmAliased].contains(&world.status(TWO).shown));
}

#[test]
fn a_standing_hold_moves_with_the_name_of_the_database_and_is_settled_first() {
    let mut world = with_alias(World::of(Family::Schema));
    world.refresh(TWO, &reading(DB, "before"));
    let run = world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    world.resources.remove(&ONE);

    world.until(TWO, "Inherit");
    world.now = world.status(TWO).record.as_ref().unwrap().not_before;
    world.settle(TWO, SettleReading::Read(finished()));
    world.until(TWO, "ClearOwed");
    assert_eq!(world.status(TWO).resolved.unwrap().operation, run);
    let lease = world.database_lease(DB);
    assert_eq!((lease.bound_to, lease.hold), (Some(world.resources[&TWO].spec.coordination), None));
}

#[test]
fn every_claimant_of_a_realm_meets_the_run_that_is_not_settled() {
    let mut world = with_neighbour(World::of(Family::Migration));
    world.refresh(TWO, &reading(DB, "before"));
    world.approve(TWO);
    world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    world.settle_down(TWO);
    assert_eq!(world.status(TWO).shown, Shown::RealmUnresolved);
    assert_eq!(world.status(TWO).claim, None);
}

#[test]
fn a_run_outlives_its_resource_and_is_settled_by_the_next_claimant() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let run = world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClearOwed");
        world.edit(ONE, |resource| resource.deleting = true);
        world.settle_down(ONE);
        assert!(!world.resources.contains_key(&ONE), "an unsettled run does not hold a deletion");
        assert_eq!(world.database_lease(DB).hold.unwrap().operation, run);

        world.add(resource(family, TWO.0, "key"));
        world.until(TWO, "CreateJob");
        let operation = world.claim(TWO).operation;
        let mut read = reading(DB, "before");
        read.proposal = None;
        world.send(operation, Uid(3), None, ptah_lifecycle::Section::Refresh(Ok(read)));
        world.until(TWO, "Inherit");
        let record = world.status(TWO).record.clone().unwrap();
        assert_eq!((record.operation, record.family, record.outcome), (run, family, Outcome::Unknown));
        world.now = record.not_before;
        world.settle(TWO, SettleReading::Read(finished()));
        world.until(TWO, "ClearOwed");
        assert_eq!(world.status(TWO).resolved.unwrap().by, Resolution::Reading);
        assert_eq!(world.database_lease(DB).settled, [run]);
    }
}

#[test]
fn a_run_is_taken_over_with_what_its_reading_is_compared_with_by_its_own_family_alone() {
    for (left, next) in [
        (Family::Schema, Family::Schema),
        (Family::Schema, Family::Migration),
        (Family::Migration, Family::Schema),
        (Family::Migration, Family::Migration),
    ] {
        let row = format!("{left:?} then {next:?}");
        let mut world = World::of(left);
        let run = world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClearOwed");
        world.edit(ONE, |resource| resource.deleting = true);
        world.settle_down(ONE);
        world.add(resource(next, TWO.0, "key"));
        world.refresh(TWO, &ptah_lifecycle::Reading { proposal: None, ..reading(DB, "before") });
        world.until(TWO, "Inherit");
        let record = world.status(TWO).record.clone().unwrap();
        assert_eq!((record.operation, record.family), (run, left), "{row}");
        let planned = ptah_lifecycle::IdentitySource::Planned;
        assert_eq!(record.identity.source, planned, "{row}: nobody who ran it has said where");
        assert_eq!(record.basis.is_some(), left == next, "{row}: its status has no place for the other family's");

        world.now = record.not_before;
        if left == Family::Migration && next == Family::Schema {
            world.settle_down(TWO);
            assert_eq!(world.status(TWO).record.as_ref().unwrap().operation, run, "{row}: no reading says anything");
            world.acknowledge(TWO, run, ptah_lifecycle::Finding::Repaired);
        } else {
            world.settle(TWO, SettleReading::Read(finished()));
        }
        world.until(TWO, "ClearOwed");
        assert_eq!(world.status(TWO).record, None, "{row}");
        assert_eq!(world.database_lease(DB).settled, [run], "{row}");
    }
}

#[test]
fn the_hold_of_a_migration_names_its_sequence_also_where_it_is_put_back() {
    for (family, sequence) in [(Family::Schema, None), (Family::Migration, Some(digest("desired")))] {
        let mut world = World::of(family);
        world.applying(ONE, "PutHold Database");
        assert_eq!(world.database_lease(DB).hold.unwrap().sequence, sequence);

        let mut world = World::of(family);
        world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClearOwed");
        world.leases.clear();
        world.until(ONE, "RestoreHold Database");
        assert_eq!(world.database_lease(DB).hold.unwrap().sequence, sequence);
    }
}

#[test]
fn nobody_is_told_in_sync_by_a_reading_that_a_run_may_have_overtaken() {
    let mut world = with_neighbour(World::of(Family::Migration));
    world.until(TWO, "CreateJob");
    let operation = world.claim(TWO).operation;
    world.wait(1);
    world.started(ONE);
    let read = ptah_lifecycle::Reading { proposal: None, ..reading(DB, "before") };
    world.send(operation, Uid(3), None, ptah_lifecycle::Section::Refresh(Ok(read)));
    world.settle_down(TWO);
    assert!(!world.status(TWO).observed.unwrap().in_sync);
    assert_eq!(world.status(TWO).shown, Shown::RealmUnresolved);
}

#[test]
fn a_claimant_that_is_not_admitted_any_more_settles_last() {
    for (somebody_else, patience) in [(true, 0), (false, bounds::SETTLE_PATIENCE)] {
        let mut world = with_neighbour(World::of(Family::Schema));
        world.wait(1);
        world.refresh(TWO, &reading(DB, "before"));
        let run = world.ended(ONE, Outcome::Unknown);
        world.realms.insert(ONE, ptah_lifecycle::RealmReading::NotGranted);
        let names = world.settle_down(ONE);
        assert!(!names.contains(&"ClaimSettle".to_owned()), "{names:?}");
        if somebody_else {
            world.until(TWO, "Inherit");
            world.now = world.status(TWO).record.as_ref().unwrap().not_before;
            world.settle(TWO, SettleReading::Read(finished()));
            world.until(TWO, "ClearOwed");
            world.until(ONE, "SettledByAnother");
            assert_eq!(world.status(TWO).resolved.unwrap().operation, run);
        } else {
            world.wait(patience);
            world.until(ONE, "ClaimSettle");
        }
    }
}

#[test]
fn a_lost_lease_gets_its_hold_back_before_anything_else_is_done_about_the_run() {
    let mut world = World::of(Family::Migration);
    let run = world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    world.leases.clear();
    assert_eq!(label(&world.pass(ONE).decision), "RestoreHold Database");
    assert_eq!(world.database_lease(DB).hold.unwrap().operation, run);
}

#[test]
fn a_run_that_another_claimant_settled_is_resolved_and_says_so() {
    let mut world = World::of(Family::Migration);
    let run = world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    let name = ptah_reconcile::LeaseName::Database(crate::support::digest(DB));
    let lease = world.leases.get_mut(&name).unwrap();
    lease.hold = None;
    lease.note_settled(run);
    assert_eq!(label(&world.pass(ONE).decision), "SettledByAnother");
    assert_eq!(world.status(ONE).resolved.unwrap().by, Resolution::Another);
}

#[test]
fn both_families_hold_the_database_through_the_reading_that_settles_the_run() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let run = world.ended(ONE, Outcome::Applied);
        let mut names = Vec::new();
        while !names.contains(&"NoteJob".to_owned()) {
            assert_eq!(world.database_lease(DB).hold.unwrap().operation, run, "{family:?} after {names:?}");
            names.push(label(&world.pass(ONE).decision));
            assert!(names.len() < 60, "no end: {names:?}");
        }
        let settle = world.claim(ONE).operation;
        assert_eq!(world.database_lease(DB).holder.unwrap().operation, settle);
        assert_eq!(world.realm_lease("key").holder.unwrap().operation, settle);
    }
}

#[test]
fn a_tenure_whose_time_is_over_keeps_nobody_from_reading() {
    let mut world = World::of(Family::Schema);
    let mut dead = world.clone().bound_lease();
    world.refresh(ONE, &reading(DB, "before"));
    dead.holder = Some(Holder { resource: Uid(9), operation: Operation(9) });
    world.leases.insert(ptah_reconcile::LeaseName::Database(digest(DB)), dead.clone());
    world.wait(world.resources[&ONE].spec.interval);
    world.settle_down(ONE);
    assert_eq!(world.status(ONE).claim, None, "it is waited for");
    world.wait(dead.duration);
    world.until(ONE, "ClaimRefresh");
}

#[test]
fn of_two_newcomers_to_a_database_a_claimant_by_a_realm_goes_first_and_nobody_outranks_an_incumbent() {
    // (the newcomer claims by a realm, the database is bound to the other already, whether the other goes on)
    for (by_realm, bound, goes_on) in [(false, false, true), (true, false, false), (true, true, true)] {
        let mut world = with_alias(World::of(Family::Schema));
        if by_realm {
            world.realms.insert(TWO, ptah_lifecycle::RealmReading::Granted { exclusive: false });
        }
        world.refresh(TWO, &reading(DB, "before"));
        world.planned(ONE);
        if bound {
            let lease = World::of(Family::Schema).bound_lease();
            world.leases.insert(ptah_reconcile::LeaseName::Database(digest(DB)), lease);
        }
        world.approve(ONE);
        world.settle_down(ONE);
        let row = format!("by realm {by_realm}, bound {bound}");
        assert_eq!(world.status(ONE).shown == Shown::RealmAliased, !goes_on, "{row}");
        assert_eq!(world.status(ONE).claim.is_some(), goes_on, "{row}");
        if !goes_on {
            world.edit(TWO, |resource| resource.spec.suspended = true);
            world.until(ONE, "ClaimApply");
        }
    }
}

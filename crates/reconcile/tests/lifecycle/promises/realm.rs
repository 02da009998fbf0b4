//! One database has one writer, and a claim reaches only as far as it is granted.

use ptah_lifecycle::{Decision, Family, RealmReading, Shown, Uid, realm};
use ptah_reconcile::Next;

use crate::support::{ONE, World, label, resource};

const TWO: Uid = Uid(2);

/// Two claimants of one realm; neither declares the sharing.
fn contested(first: Family) -> World {
    let mut world = World::of(first);
    world.add(resource(Family::Migration, TWO.0, "key"));
    world
}

/// Refused with this reason: nothing claimed, no Job, and looked at again within a minute.
fn refused(world: &mut World, uid: Uid, shown: Shown) {
    world.settle_down(uid);
    let passed = world.pass(uid);
    let Next::At(look) = passed.next else { panic!("it waits") };
    assert!(world.now < look && look <= world.now.plus(60));
    assert_eq!(world.status(uid).shown, shown);
    assert_eq!(world.status(uid).claim, None);
    assert!(world.creates.is_empty());
}

#[test]
fn schema_blocks_on_a_contested_realm_without_dispatching_a_job() {
    let mut world = contested(Family::Schema);
    refused(&mut world, ONE, Shown::RealmConflict);
}

#[test]
fn migration_blocks_on_a_contested_realm_without_dispatching_a_job() {
    let mut world = contested(Family::Migration);
    refused(&mut world, ONE, Shown::RealmConflict);
}

#[test]
fn schema_refuses_a_realm_that_does_not_admit_its_namespace() {
    let mut world = World::of(Family::Schema);
    world.realms.insert(ONE, RealmReading::NotGranted);
    refused(&mut world, ONE, Shown::RealmNotAuthorized);
}

#[test]
fn migration_refuses_a_realm_that_does_not_admit_its_namespace() {
    let mut world = World::of(Family::Migration);
    world.realms.insert(ONE, RealmReading::NotGranted);
    refused(&mut world, ONE, Shown::RealmNotAuthorized);
}

#[test]
fn an_unlisted_namespace_is_refused_and_blocks_nobody() {
    let mut world = contested(Family::Schema);
    world.realms.insert(ONE, RealmReading::Granted { exclusive: true });
    world.realms.insert(TWO, RealmReading::NotGranted);
    refused(&mut world, TWO, Shown::RealmNotAuthorized);

    let tenant = world.snapshot(ONE).unwrap();
    assert_eq!(tenant.claimants.iter().map(|claimant| claimant.uid).collect::<Vec<_>>(), [ONE]);
    assert_eq!(realm::take_realm_census(&tenant), Ok(()));
    assert_eq!(world.settle_down(ONE)[..2], ["Rotate", "ClaimRefresh"]);
}

#[test]
fn a_key_written_in_another_namespace_contests_nothing() {
    let mut world = World::of(Family::Schema);
    world.add(resource(Family::Schema, TWO.0, "the same key of another namespace"));
    for uid in [ONE, TWO] {
        let snapshot = world.snapshot(uid).unwrap();
        assert_eq!(snapshot.claimants.len(), 1);
        world.until(uid, "ClaimRefresh");
    }
}

/// Refused, and the time at which it is looked at again.
fn standing_refusal() -> (World, ptah_lifecycle::Time) {
    let mut world = World::of(Family::Schema);
    world.realms.insert(ONE, RealmReading::NotGranted);
    world.settle_down(ONE);
    let Next::At(deadline) = world.pass(ONE).next else { panic!("it waits") };
    (world, deadline)
}

/// The watch event of the grant is lost: nothing starts a pass before the deadline, and the pass at the deadline claims.
#[test]
fn a_grant_lifts_a_refusal_at_its_deadline() {
    let (mut world, deadline) = standing_refusal();
    assert!(deadline <= world.now.plus(60));
    world.realms.insert(ONE, RealmReading::Granted { exclusive: true });
    world.now = deadline;
    assert_eq!(label(&world.pass(ONE).decision), "ClaimRefresh");
}

#[test]
fn a_grant_lifts_a_refusal_at_once_on_the_pass_that_it_starts() {
    let (mut world, deadline) = standing_refusal();
    world.realms.insert(ONE, RealmReading::Granted { exclusive: true });
    world.wait(1);
    assert!(world.now < deadline);
    assert_eq!(label(&world.pass(ONE).decision), "ClaimRefresh");
}

#[test]
fn a_withdrawn_grant_refuses_on_the_pass_that_it_starts() {
    let mut world = World::of(Family::Migration);
    world.realms.insert(ONE, RealmReading::Granted { exclusive: true });
    world.planned(ONE);
    world.approve(ONE);
    world.realms.insert(ONE, RealmReading::NotGranted);
    let passed = world.pass(ONE);
    assert!(matches!(passed.decision, Decision::WriteStatus(..) | Decision::Wait(..)));
    assert_eq!(world.status(ONE).shown, Shown::RealmNotAuthorized);
    assert_eq!(world.status(ONE).claim, None);
}

#[test]
fn a_standing_refusal_stops_writing() {
    let mut world = contested(Family::Schema);
    world.settle_down(ONE);
    let version = world.resources[&ONE].version;
    for _ in 0..3 {
        world.wait(60);
        world.settle_down(ONE);
        assert_eq!(world.resources[&ONE].version, version);
    }
}

#[test]
fn suspended_and_deleted_claimants_contest_nothing() {
    let quiet: [fn(&mut World); 2] = [
        |world| world.edit(TWO, |resource| resource.spec.suspended = true),
        |world| world.edit(TWO, |resource| resource.deleting = true),
    ];
    for arrange in quiet {
        let mut world = contested(Family::Schema);
        arrange(&mut world);
        world.until(ONE, "ClaimRefresh");
    }
}

#[test]
fn sharing_counts_only_when_every_claimant_declares_it_and_the_realm_lets_it() {
    let rows = [
        (RealmReading::Key, false, true, false),
        (RealmReading::Key, true, false, false),
        (RealmReading::Key, true, true, true),
        (RealmReading::Granted { exclusive: false }, true, true, true),
        (RealmReading::Granted { exclusive: false }, false, true, false),
        (RealmReading::Granted { exclusive: true }, true, true, false),
    ];
    for (realm, one, two, admitted) in rows {
        let mut world = contested(Family::Schema);
        for (uid, shared) in [(ONE, one), (TWO, two)] {
            world.realms.insert(uid, realm);
            world.edit(uid, |resource| resource.spec.shared = shared);
        }
        let snapshot = world.snapshot(ONE).unwrap();
        let expected = if admitted { Ok(()) } else { Err(Shown::RealmConflict) };
        assert_eq!(realm::take_realm_census(&snapshot), expected, "{realm:?} {one} {two}");
    }
}

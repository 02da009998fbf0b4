//! A second claimant appears at every step of a dispatch: of the same realm, refused by it, or under another name.

use ptah_lifecycle::{Family, Kind, Outcome, RealmReading, SettleReading, Shown, Uid};

use super::life::{Life, steps};
use crate::support::{DB, ONE, World, finished, label, reading, resource};

const TWO: Uid = Uid(2);

/// The steps of a dispatch, each after the one before it.
const DISPATCH: [&str; 11] = [
    "ClaimApply",
    "Acquire Realm",
    "Acquire Database",
    "NoteEpochs",
    "Stage",
    "NoteJobDigest",
    "PutHold Database",
    "Consume",
    "Mark",
    "CreateJob",
    "NoteJob",
];

#[test]
fn a_rival_of_the_same_realm_stops_every_dispatch_before_its_mark_and_every_start_after_it() {
    for family in [Family::Schema, Family::Migration] {
        for (at, step) in DISPATCH.iter().enumerate() {
            let mut world = World::of(family);
            let claim = world.applying(ONE, step);
            world.add(resource(Family::Migration, TWO.0, "key"));
            world.settle_down(TWO);
            assert_eq!((world.status(TWO).shown, &world.status(TWO).claim), (Shown::RealmConflict, &None), "{step}");
            let next = label(&world.pass(ONE).decision);
            if at < 8 {
                assert_eq!(next, "Discard", "after {step}");
                world.settle_down(ONE);
                assert_eq!(world.creates.get(&claim.operation), None);
            } else {
                world.until(ONE, if at < 9 { "NoteJob" } else { "Wait" });
                let pod = world.start_pod(claim.operation);
                let answer = world.ask(ONE, claim.operation, pod);
                assert_eq!(answer, ptah_lifecycle::permit::Answer::Refused, "after {step}");
            }
        }
    }
}

/// Removing a claimant that is refused changes nothing for anybody else.
#[test]
fn a_claimant_that_the_realm_refuses_changes_nobodys_trace() {
    for family in [Family::Schema, Family::Migration] {
        let mut alone = Life::of(family);
        alone.world.realms.insert(ONE, RealmReading::Granted { exclusive: true });
        let mut watched = alone.clone();
        watched.world.realms.insert(TWO, RealmReading::NotGranted);
        watched.world.add(resource(Family::Schema, TWO.0, "key"));
        alone.until_settled(ONE, None);
        for _ in 0..60 {
            let before = (watched.world.leases.clone(), watched.world.resources[&ONE].clone());
            watched.world.settle_down(TWO);
            assert_eq!((watched.world.leases.clone(), watched.world.resources[&ONE].clone()), before);
            watched.pass(ONE, None);
            if watched.world.status(ONE).claim.is_some() {
                break;
            }
        }
        watched.until_settled(ONE, None);
        assert_eq!(watched.world.names(ONE), alone.world.names(ONE));
        assert_eq!(watched.world.status(TWO).claim, None);
        assert!(steps(family).contains(&"SettleByReading".to_owned()));
    }
}

#[test]
fn a_second_name_of_the_same_database_writes_nothing_at_any_step_of_the_first() {
    for step in DISPATCH {
        let mut world = World::of(Family::Migration);
        world.add(resource(Family::Schema, TWO.0, "another key"));
        world.refresh(TWO, &reading(DB, "before"));
        world.approve(TWO);
        world.wait(1);
        let claim = world.applying(ONE, step);
        let bound = world.leases.get(&ptah_reconcile::LeaseName::Database(crate::support::digest(DB)));
        let first = bound.is_none_or(|lease| lease.holder.is_none_or(|holder| holder.resource == ONE));
        assert!(first, "the first to hold the database keeps it");
        for _ in 0..4 {
            let passed = world.pass(TWO).decision;
            let kind = world.status(TWO).claim.as_ref().map(|claim| claim.kind);
            if step == "ClaimApply" || step == "Acquire Realm" {
                continue;
            }
            assert_ne!(kind, Some(Kind::Apply), "{step}: {}", label(&passed));
            assert_eq!(world.database_lease(DB).holder.map(|holder| holder.operation), Some(claim.operation), "{step}");
        }
    }
}

#[test]
fn two_unread_names_of_one_database_bind_it_to_the_first_that_takes_it() {
    let mut world = World::of(Family::Schema);
    world.add(resource(Family::Schema, TWO.0, "another key"));
    for uid in [ONE, TWO] {
        world.refresh(uid, &reading(DB, "before"));
        world.approve(uid);
        world.until(uid, "ClaimApply");
    }
    world.until(TWO, "Acquire Database");
    assert_eq!(label(&world.pass(ONE).decision), "Discard");
    world.settle_down(ONE);
    assert_eq!(world.status(ONE).shown, Shown::RealmAliased);
    assert_eq!(world.database_lease(DB).bound_to, Some(world.resources[&TWO].spec.coordination));
}

#[test]
fn a_shared_realm_lets_one_after_the_other_write() {
    let mut world = World::of(Family::Schema);
    world.add(resource(Family::Migration, TWO.0, "key"));
    for uid in [ONE, TWO] {
        world.edit(uid, |resource| resource.spec.shared = true);
    }
    for uid in [ONE, TWO] {
        world.refresh(uid, &reading(DB, "before"));
        world.approve(uid);
        world.until(uid, "ClaimApply");
    }
    world.until(ONE, "PutHold Database");
    world.settle_down(TWO);
    assert_eq!(world.status(TWO).claim, None, "it meets the hold");
    assert_eq!(world.status(TWO).shown, Shown::RealmUnresolved);
    world.until(ONE, "NoteJob");
    let operation = world.claim(ONE).operation;
    let pod = world.start_pod(operation);
    world.ask(ONE, operation, pod);
    let said = ptah_lifecycle::Reported { outcome: Outcome::Applied, right_database: true };
    world.send(operation, pod, Some(crate::support::key(pod)), ptah_lifecycle::Section::Run(said));
    world.stop(operation, None);
    world.until(ONE, "RecordRun");
    world.settle(ONE, SettleReading::Read(finished()));
    world.until(ONE, "ClearOwed");
    let names = world.settle_down(TWO);
    assert!(names.contains(&"ClaimApply".to_owned()) || names.contains(&"ClaimRefresh".to_owned()), "{names:?}");
}

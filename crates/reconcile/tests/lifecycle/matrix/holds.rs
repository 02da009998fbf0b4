//! Holds and tenures: who may take a run over, what a swap renews, and what a claim goes by.

use ptah_lifecycle::{Acknowledgment, Family, Finding, Operation, Outcome, SettleReading, Uid};
use ptah_reconcile::LeaseName;

use crate::support::{Arrange, DB, ONE, World, digest, finished, label, reading, resource};

const TWO: Uid = Uid(2);

/// An unsettled run of one claimant, and a neighbour in the same realm that knows the database.
fn neighbours() -> (World, Operation) {
    let mut world = World::of(Family::Migration);
    let mut neighbour = resource(Family::Migration, TWO.0, "key");
    neighbour.spec.shared = true;
    world.add(neighbour);
    world.edit(ONE, |resource| resource.spec.shared = true);
    world.refresh(TWO, &reading(DB, "before"));
    let run = world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    (world, run)
}

/// A person's word to the neighbour, changed.
fn named(change: fn(&mut Acknowledgment)) -> bool {
    let (mut world, run) = neighbours();
    let ack = world.acknowledge(TWO, run, Finding::Repaired);
    change(world.acknowledgments.get_mut(&ack).unwrap());
    world.settle_down(TWO);
    world.log.iter().any(|(uid, decision)| *uid == TWO && label(decision) == "Inherit")
}

#[test]
fn a_person_may_name_another_claimant_for_a_run_and_only_a_proven_one_for_that_run() {
    assert!(named(|_| {}));
    assert!(!named(|ack| ack.operation = Operation(4)), "another run");
    assert!(!named(|ack| ack.attested = false), "nobody proven");
    assert!(!named(|ack| ack.own_run = true), "not a second person");
}

#[test]
fn a_run_whose_claimant_is_being_deleted_is_taken_over_at_once() {
    let (mut world, run) = neighbours();
    world.settle_down(TWO);
    assert_eq!(world.status(TWO).record, None, "its claimant lives");
    world.edit(ONE, |resource| resource.deleting = true);
    world.until(TWO, "Inherit");
    assert_eq!(world.status(TWO).record.as_ref().unwrap().operation, run);
}

#[test]
fn putting_a_hold_renews_a_tenure_of_ours_and_of_nobody_else() {
    let mut world = World::of(Family::Schema);
    world.applying(ONE, "NoteJobDigest");
    world.wait(7);
    world.until(ONE, "PutHold Database");
    assert_eq!(world.database_lease(DB).renewed, world.now);

    let (mut world, _) = neighbours();
    let renewed = world.database_lease(DB).renewed;
    let holder = ptah_lifecycle::Holder { resource: TWO, operation: Operation(8) };
    let lease = world.leases.get_mut(&LeaseName::Database(digest(DB))).unwrap();
    (lease.hold, lease.holder) = (None, Some(holder));
    world.wait(7);
    world.until(ONE, "RestoreHold Database");
    assert_eq!((world.database_lease(DB).renewed, world.database_lease(DB).holder), (renewed, Some(holder)));
}

#[test]
fn a_tenure_that_begins_anew_before_the_mark_is_noted_again() {
    for name in [LeaseName::Realm(digest("key")), LeaseName::Database(digest(DB))] {
        let mut world = World::of(Family::Schema);
        let before = world.applying(ONE, "NoteEpochs");
        world.leases.remove(&name);
        world.until(ONE, "Mark");
        let claim = world.claim(ONE);
        let noted = (claim.realm_epoch, claim.database_epoch);
        assert_eq!(noted, (Some(world.realm_lease("key").epoch), Some(world.database_lease(DB).epoch)));
        assert_ne!(noted, (before.realm_epoch, before.database_epoch));
    }
}

#[test]
fn a_lease_of_a_realm_is_bound_to_nothing_and_carries_no_hold() {
    let mut world = World::of(Family::Schema);
    world.applying(ONE, "NoteJob");
    let lease = world.realm_lease("key");
    assert_eq!((lease.bound_to, lease.hold, lease.settled.len()), (None, None, 0));
}

#[test]
fn settling_under_a_second_name_does_not_take_the_database_from_the_first() {
    let (mut world, _) = neighbours();
    let bound = world.database_lease(DB).bound_to;
    world.edit(ONE, |resource| resource.spec.coordination = digest("another key"));
    world.settle(ONE, SettleReading::Read(finished()));
    world.until(ONE, "ClearOwed");
    assert_eq!(world.status(ONE).record, None, "what is owed is settled under any name");
    assert_eq!(world.database_lease(DB).bound_to, bound, "the neighbour still claims under the first");
}

#[test]
fn a_claim_that_lost_what_it_rests_on_before_its_mark_is_dropped() {
    let rows: [(&str, &str, Arrange); 5] = [
        ("its time is over", "Consume", |world| {
            world.now = world.claim(ONE).dispatch_not_after;
        }),
        ("its approval is one's own", "ClaimApply", |world| {
            world.approvals.values_mut().for_each(|found| found.own_change = true);
        }),
        ("its approval is not proven", "ClaimApply", |world| {
            world.approvals.values_mut().for_each(|found| found.attested = false);
        }),
        ("another run is open", "PutHold Database", |world| {
            let lease = world.leases.get_mut(&LeaseName::Database(digest(DB))).unwrap();
            lease.hold.as_mut().unwrap().operation = Operation(6);
        }),
        ("it is being deleted", "NoteEpochs", |world| world.edit(ONE, |resource| resource.deleting = true)),
    ];
    for (row, until, arrange) in rows {
        let mut world = World::of(Family::Migration);
        let claim = world.applying(ONE, until);
        arrange(&mut world);
        assert_eq!(label(&world.pass(ONE).decision), "Discard", "{row}");
        world.settle_down(ONE);
        assert_eq!(world.creates.get(&claim.operation), None, "{row}");
    }
}

#[test]
fn a_settling_claim_is_dropped_when_another_run_is_open() {
    let (mut world, _) = neighbours();
    world.until(ONE, "ClaimSettle");
    let lease = world.leases.get_mut(&LeaseName::Database(digest(DB))).unwrap();
    lease.hold.as_mut().unwrap().operation = Operation(6);
    assert_eq!(label(&world.pass(ONE).decision), "Discard");
    assert!(world.status(ONE).record.is_some(), "the run is still to be settled");
}

#[test]
fn a_claim_that_is_dropped_before_its_tenures_are_noted_gives_them_back_too() {
    for until in ["Acquire Realm", "Acquire Database"] {
        let mut world = World::of(Family::Schema);
        world.applying(ONE, until);
        world.edit(ONE, |resource| resource.spec.suspended = true);
        world.settle_down(ONE);
        assert_eq!(world.realm_lease("key").holder, None);
        assert!(world.leases.values().all(|lease| lease.holder.is_none()));
    }
}

#[test]
fn a_lease_that_is_bound_to_no_name_makes_nobody_an_alias() {
    let (mut world, _) = neighbours();
    let lease = world.leases.get_mut(&LeaseName::Database(digest(DB))).unwrap();
    lease.bound_to = None;
    lease.holder = Some(ptah_lifecycle::Holder { resource: ONE, operation: Operation(8) });
    let snapshot = world.snapshot(TWO).unwrap();
    assert_eq!(ptah_lifecycle::realm::take_realm_census(&snapshot), Ok(()));
}

#[test]
fn a_word_about_another_run_is_answered_while_the_run_stands_and_the_oldest_word_about_it_counts() {
    let mut world = World::of(Family::Migration);
    let run = world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    let other = world.acknowledge(ONE, Operation(4), Finding::Applied);
    world.until(ONE, "Answer");
    let stale = ptah_lifecycle::Judged::Stale(ptah_lifecycle::Stale::RunNotUnresolved);
    assert_eq!(world.acknowledgments[&other].judged, Some(stale));
    assert_eq!(world.status(ONE).record.as_ref().unwrap().operation, run);

    let late = world.acknowledge(ONE, run, Finding::Applied);
    let early = world.acknowledge(ONE, run, Finding::NotApplied);
    world.acknowledgments.get_mut(&late).unwrap().created = world.now.plus(5);
    world.until(ONE, "SettleByAcknowledgment");
    let by = world.status(ONE).resolved.unwrap().by;
    assert_eq!(by, ptah_lifecycle::Resolution::Acknowledgment(early, Finding::NotApplied));
}

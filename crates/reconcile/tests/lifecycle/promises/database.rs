//! The database is held while a run may still write, and until what it did is settled.

use ptah_lifecycle::{Family, Outcome, SettleReading, Shown};

use crate::support::{Arrange, DB, Fault, ONE, World, digest, finished, label};

#[test]
fn persisted_target_lock_release_recovers_after_manager_crash() {
    for fault in [Fault::DiesBefore, Fault::DiesAfter, Fault::LostBefore, Fault::LostAfter] {
        for at in ["SettleByReading", "DropHold Database", "ReleaseRealm Realm", "ClearOwed"] {
            let mut world = World::of(Family::Schema);
            let run = world.ended(ONE, Outcome::Applied);
            world.settle(ONE, SettleReading::Read(finished()));
            for _ in 0..60 {
                let mut ahead = world.clone();
                let here = label(&ahead.pass(ONE).decision) == at;
                world.pass_with(ONE, here.then_some(fault));
                if here {
                    break;
                }
            }
            world.settle_down(ONE);
            assert_eq!(world.status(ONE).owed, None, "{fault:?} at {at}");
            assert_eq!((world.database_lease(DB).holder, world.database_lease(DB).hold), (None, None));
            assert_eq!(world.realm_lease("key").holder, None);
            assert_eq!(world.database_lease(DB).settled, [run], "once");
        }
    }
}

#[test]
fn an_owed_release_comes_before_everything_else_also_during_deletion() {
    let mut world = World::of(Family::Migration);
    world.applying(ONE, "PutHold Database");
    world.edit(ONE, |resource| resource.deleting = true);
    world.until(ONE, "Discard");
    world.log.clear();
    world.settle_down(ONE);
    let names = world.names(ONE);
    assert_eq!(names, ["DropHold Database", "ReleaseRealm Realm", "ClearOwed", "RemoveFinalizer"]);
    assert!(world.resources.is_empty());
}

#[test]
fn a_release_ends_no_tenure_but_its_own() {
    let mut world = World::of(Family::Schema);
    world.applying(ONE, "PutHold Database");
    world.edit(ONE, |resource| resource.spec.suspended = true);
    world.until(ONE, "ReleaseRealm Realm");
    let name = ptah_reconcile::LeaseName::Realm(digest("key"));
    let next = ptah_lifecycle::Holder { resource: ptah_lifecycle::Uid(2), operation: ptah_lifecycle::Operation(2) };
    let lease = world.leases.get_mut(&name).unwrap();
    lease.holder = Some(next);
    world.until(ONE, "ClearOwed");
    assert_eq!(world.realm_lease("key").holder, Some(next));
}

/// A started migration whose manager does not believe its outcome any more.
fn uncertain() -> World {
    let mut world = World::of(Family::Migration);
    world.started(ONE);
    world.edit(ONE, |resource| resource.spec.inputs.execution = digest("another timeout"));
    world
}

#[test]
fn uncertain_migration_apply_keeps_the_database_while_its_pod_may_run() {
    let rows: [(&str, Arrange); 3] = [
        ("Job unfinished, Pod running", |_| {}),
        ("Job complete, Pod running", |world| {
            let operation = world.claim(ONE).operation;
            world.jobs.get_mut(&operation).unwrap().terminal = true;
        }),
        ("Job unfinished, Pod stopped: it may start another", |world| {
            let operation = world.claim(ONE).operation;
            world.stop(operation, None);
            world.jobs.get_mut(&operation).unwrap().terminal = false;
        }),
    ];
    for (row, arrange) in rows {
        let mut world = uncertain();
        arrange(&mut world);
        let claim = world.claim(ONE);
        for _ in 0..3 {
            world.wait(claim.lease_duration / 3);
            world.now = world.now.min(claim.execution_not_after);
            world.settle_down(ONE);
            assert!(world.status(ONE).claim.is_some(), "{row}");
            assert_eq!(world.database_lease(DB).holder.unwrap().operation, claim.operation, "{row}");
            assert_eq!(world.database_lease(DB).hold.unwrap().operation, claim.operation, "{row}");
            assert_eq!(world.creates[&claim.operation], 1, "{row}");
        }
        let age = world.now.0 - world.database_lease(DB).renewed.0;
        assert!(age < claim.lease_duration / 3, "{row}: it is renewed");
    }
}

#[test]
fn uncertain_migration_apply_hands_the_leases_back_once_nothing_can_write_and_keeps_the_hold() {
    let mut world = uncertain();
    let operation = world.claim(ONE).operation;
    world.stop(operation, None);
    world.until(ONE, "RecordRun");
    world.until(ONE, "ClearOwed");
    assert_eq!((world.database_lease(DB).holder, world.realm_lease("key").holder), (None, None));
    assert_eq!(world.database_lease(DB).hold.unwrap().operation, operation, "until it is settled");
}

#[test]
fn a_run_past_its_deadline_whose_pod_is_not_seen_to_stop_is_shown_as_draining() {
    let mut world = World::of(Family::Schema);
    let (claim, _) = world.started(ONE);
    world.now = claim.execution_not_after;
    world.settle_down(ONE);
    assert_eq!(world.status(ONE).shown, Shown::Draining);
    assert_eq!(world.status(ONE).claim.as_ref().unwrap().operation, claim.operation);
}

//! The order of one Apply, as a list: swapping any two neighbours makes a test here fail.

use ptah_lifecycle::{Family, Outcome, SettleReading};

use crate::support::{ONE, World, finished};

/// From the approval to the Job's UID.
const DISPATCH: [&str; 12] = [
    "AddFinalizer",
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

/// From the end of the run to the database given back.
const SETTLE: [&str; 14] = [
    "RecordRun",
    "ReleaseDatabase Database",
    "ReleaseRealm Realm",
    "ClearOwed",
    "ReleasePod",
    "ExpireJob",
    "ClaimSettle",
    "Acquire Realm",
    "Acquire Database",
    "NoteEpochs",
    "NoteJobDigest",
    "Mark",
    "CreateJob",
    "NoteJob",
];

/// From the settling reading's answer to nothing being owed.
const HAND_BACK: [&str; 4] = ["SettleByReading", "DropHold Database", "ReleaseRealm Realm", "ClearOwed"];

fn steps(family: Family) -> (Vec<String>, Vec<String>, Vec<String>) {
    let mut world = World::of(family);
    world.planned(ONE);
    world.approve(ONE);
    world.log.clear();
    world.until(ONE, "NoteJob");
    let dispatch = world.names(ONE);

    let mut world = World::of(family);
    world.ended(ONE, Outcome::Applied);
    let from = world.log.len() - 1;
    world.settle(ONE, SettleReading::Read(finished()));
    let settle = world.names(ONE).split_off(from);
    let from = world.log.len();
    world.until(ONE, "ClearOwed");
    let hand_back = world.names(ONE).split_off(from);
    (dispatch, settle, hand_back)
}

#[test]
fn an_apply_goes_through_its_steps_in_this_order_in_both_families() {
    for family in [Family::Schema, Family::Migration] {
        let (dispatch, settle, hand_back) = steps(family);
        assert_eq!(dispatch, DISPATCH, "{family:?}");
        assert_eq!(settle, SETTLE, "{family:?}");
        assert_eq!(hand_back, ["NoteEvidence"].iter().chain(&HAND_BACK).copied().collect::<Vec<_>>(), "{family:?}");
    }
}

#[test]
fn every_step_of_a_dispatch_is_durable_before_the_next_one_is_decided() {
    let mut world = World::of(Family::Migration);
    world.planned(ONE);
    world.approve(ONE);
    for name in DISPATCH {
        let decided = world.snapshot(ONE).unwrap();
        assert_eq!(crate::support::label(&ptah_lifecycle::decide(&decided)), name);
        world.pass(ONE);
        let claim = world.status(ONE).claim.as_ref();
        assert_eq!(name == "AddFinalizer", claim.is_none(), "after {name}");
    }
    let claim = world.claim(ONE);
    assert_eq!(world.creates[&claim.operation], 1);
    assert_eq!(claim.job, Some(world.jobs[&claim.operation].uid));
}

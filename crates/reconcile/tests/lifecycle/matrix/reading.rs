//! Readings: what is made of each, and what ends one.

use ptah_lifecycle::{Family, ReadFailure, Reading, Section, Shown, StateRefusal, Uid};

use crate::support::{Arrange, DB, ONE, World, digest, label, reading};

#[test]
fn what_a_reading_found_is_what_is_shown() {
    let clean = Reading { proposal: None, ..reading(DB, "before") };
    let refused = Reading { refusal: Some(StateRefusal::HistoryDirty), ..reading(DB, "before") };
    let rows = [
        (clean, true, false, Shown::InSync),
        (reading(DB, "before"), false, true, Shown::AwaitingApproval),
        (refused, false, false, Shown::Refused(StateRefusal::HistoryDirty)),
        (Reading { proposal: None, ..refused }, false, false, Shown::Refused(StateRefusal::HistoryDirty)),
    ];
    for (found, in_sync, planned, shown) in rows {
        let mut world = World::of(Family::Migration);
        world.refresh(ONE, &found);
        world.settle_down(ONE);
        let status = world.status(ONE);
        assert_eq!((status.observed.unwrap().in_sync, status.plan.is_some()), (in_sync, planned), "{shown:?}");
        assert_eq!(status.shown, shown);
    }
}

#[test]
fn a_reading_is_dropped_when_what_it_is_for_is_gone() {
    let rows: [(&str, Arrange); 3] = [
        ("inputs moved", |world| world.edit(ONE, |resource| resource.spec.inputs.scope = digest("another"))),
        ("deleted", |world| world.edit(ONE, |resource| resource.deleting = true)),
        ("suspended", |world| world.edit(ONE, |resource| resource.spec.suspended = true)),
    ];
    for (row, arrange) in rows {
        let mut world = World::of(Family::Schema);
        world.until(ONE, "CreateJob");
        arrange(&mut world);
        assert_eq!(label(&world.pass(ONE).decision), "Discard", "{row}");
    }
}

#[test]
fn a_reading_whose_job_would_be_another_than_was_claimed_is_begun_anew_before_it_is_created() {
    let mut world = World::of(Family::Schema);
    world.until(ONE, "ClaimRefresh");
    let first = world.claim(ONE).operation;
    world.manager.components = digest("components 2");
    assert_eq!(label(&world.pass(ONE).decision), "Discard");
    assert!(world.jobs.is_empty());
    world.until(ONE, "CreateJob");
    assert_ne!(world.claim(ONE).operation, first);
    world.manager.components = digest("components 3");
    world.settle_down(ONE);
    assert!(world.status(ONE).claim.is_some(), "a Job that runs is waited for");
}

#[test]
fn a_reading_job_that_brings_nothing_is_a_failed_reading() {
    let rows: [(&str, Arrange); 3] = [
        ("over", |world| world.now = world.claim(ONE).dispatch_not_after),
        ("ended", |world| world.jobs.values_mut().for_each(|job| job.terminal = true)),
        ("another document", |world| world.jobs.values_mut().for_each(|job| job.digest = digest("another"))),
    ];
    for (row, arrange) in rows {
        let mut world = World::of(Family::Schema);
        world.until(ONE, "CreateJob");
        world.settle_down(ONE);
        assert!(world.status(ONE).claim.is_some(), "it is waited for");
        arrange(&mut world);
        assert_eq!(label(&world.pass(ONE).decision), "ReadFailed", "{row}");
    }
}

#[test]
fn a_refused_artifact_is_told_as_that_and_a_contradiction_is_not() {
    for (conflict, shown) in [(false, Shown::PolicyRefused), (true, Shown::ReadFailed)] {
        let mut world = World::of(Family::Schema);
        world.planned(ONE);
        world.wait(world.resources[&ONE].spec.interval);
        world.until(ONE, "CreateJob");
        let operation = world.claim(ONE).operation;
        world.send(operation, Uid(3), None, Section::Refresh(Err(ReadFailure::PolicyRefused)));
        world.frames.get_mut(&(operation, Uid(3))).unwrap().conflict = conflict;
        world.until(ONE, "ReadFailed");
        world.settle_down(ONE);
        assert_eq!(world.status(ONE).shown, shown);
        assert_eq!(world.status(ONE).plan.is_none(), !conflict, "a refused artifact takes its plan along");
    }
}

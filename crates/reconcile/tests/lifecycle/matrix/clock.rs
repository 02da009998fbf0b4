//! Clocks: expiry is judged by what this process has watched, written times never go back, and nothing is early.

use ptah_lifecycle::{Decision, Epoch, Family, Holder, Lease, Operation, Section, Time, Uid, Version, bounds};
use ptah_reconcile::LeaseName;

use super::life::Life;
use crate::support::{DB, ONE, World, digest, label, reading};

/// A Lease that another operation holds.
fn foreign(now: Time, duration: i64) -> Lease {
    Lease {
        version: Version(5),
        holder: Some(Holder { resource: Uid(9), operation: Operation(9) }),
        epoch: Epoch(9),
        renewed: now,
        duration,
        ..World::of(Family::Schema).bound_lease()
    }
}

#[test]
fn a_first_reading_counts_when_the_last_tenure_ended_before_it_by_any_clock() {
    for (before, counts) in [(bounds::SLACK + 1, true), (bounds::SLACK, false), (0, false), (-1, false)] {
        let mut world = World::of(Family::Schema);
        world.until(ONE, "CreateJob");
        let claim = world.claim(ONE);
        let lease = Lease { renewed: claim.started.plus(-before), ..World::of(Family::Schema).bound_lease() };
        world.leases.insert(LeaseName::Database(digest(DB)), lease);
        world.send(claim.operation, Uid(3), None, Section::Refresh(Ok(reading(DB, "before"))));
        world.until(ONE, "TakeReading");
        assert_eq!(world.status(ONE).plan.is_some(), counts, "{before}");
        world.settle_down(ONE);
        assert_eq!(world.status(ONE).claim.is_none(), counts, "it is made again at once, now with the Lease in view");
    }
}

#[test]
fn a_foreign_lease_is_taken_over_only_after_its_whole_duration_was_watched() {
    for name in [LeaseName::Realm(digest("key")), LeaseName::Database(digest(DB))] {
        for (step, restart_after, passes) in [(60, None, 5), (299, None, 2), (301, None, 1), (100, Some(2), 5)] {
            let mut world = World::of(Family::Schema);
            world.planned(ONE);
            world.approve(ONE);
            world.until(ONE, "ClaimApply");
            world.leases.insert(name, foreign(Time(0), 300));
            if name == LeaseName::Database(digest(DB)) {
                world.until(ONE, "Acquire Realm");
            }
            let watched = world.now;
            for pass in 0..passes {
                if restart_after == Some(pass) {
                    world.restart();
                }
                let decision = world.pass(ONE).decision;
                assert!(!label(&decision).starts_with("Acquire"), "{name:?}: {pass} passes of {step} s");
                world.wait(step);
            }
            let acquired = world.settle_down(ONE).iter().any(|name| name.starts_with("Acquire"));
            let seen = world.now.0 - watched.0 - restart_after.map_or(0, |passes| passes * step);
            assert_eq!(acquired, seen >= 300, "{name:?}: {step} s, restart {restart_after:?}");
        }
    }
}

#[test]
fn any_change_of_a_foreign_lease_starts_the_count_again() {
    let mut world = World::of(Family::Schema);
    world.planned(ONE);
    world.approve(ONE);
    world.until(ONE, "ClaimApply");
    let name = LeaseName::Realm(digest("key"));
    world.leases.insert(name, foreign(world.now, 120));
    for renewal in 0..5 {
        world.settle_down(ONE);
        world.wait(100);
        let lease = world.leases.get_mut(&name).unwrap();
        (lease.renewed, lease.version) = (world.now, Version(100 + renewal));
    }
    world.settle_down(ONE);
    assert_eq!(world.realm_lease("key").holder.unwrap().resource, Uid(9));
}

#[test]
fn a_lease_for_a_time_that_nobody_may_ask_for_is_never_taken_over() {
    for duration in [0, -1, bounds::LEASE_MAX + 1, i64::MAX] {
        let mut world = World::of(Family::Schema);
        world.planned(ONE);
        world.approve(ONE);
        world.until(ONE, "ClaimApply");
        world.leases.insert(LeaseName::Realm(digest("key")), foreign(world.now, duration));
        for _ in 0..3 {
            let names = world.settle_down(ONE);
            assert!(!names.iter().any(|name| name.starts_with("Acquire")), "{duration}: {names:?}");
            world.wait(200);
        }
    }
}

#[test]
fn a_rival_waits_a_bounded_time_for_a_lease_however_long_it_lasts() {
    let mut world = World::of(Family::Migration);
    world.planned(ONE);
    world.approve(ONE);
    world.until(ONE, "ClaimApply");
    world.leases.insert(LeaseName::Realm(digest("key")), foreign(world.now, bounds::LEASE_MAX));
    world.settle_down(ONE);
    assert_eq!(world.pass(ONE).next, ptah_reconcile::Next::At(world.now.plus(bounds::POLL)));
}

#[test]
fn times_in_a_lease_never_go_back_when_the_clock_does() {
    for family in [Family::Schema, Family::Migration] {
        let skews = [-1, -59, -500, -5_000].into_iter();
        for (skew, until) in skews.flat_map(|skew| [(skew, "NoteEpochs"), (skew, "PutHold Database")]) {
            let mut life = Life::of(family);
            life.world.planned(ONE);
            life.world.approve(ONE);
            life.world.until(ONE, until);
            life.world.wait(skew);
            life.until_settled(ONE, None);
            let mut last: std::collections::BTreeMap<_, Time> = std::collections::BTreeMap::new();
            for (_, decision) in &life.world.log {
                if let Decision::WriteLease(which, lease, _, _) = decision {
                    let before = last.insert(*which, lease.renewed);
                    assert!(before.is_none_or(|before| before <= lease.renewed), "{family:?} {skew}");
                }
            }
            assert_eq!(life.wrote.len(), 1);
        }
    }
}

#[test]
fn a_tenure_that_was_broken_is_noted_and_its_result_not_believed() {
    for family in [Family::Schema, Family::Migration] {
        for name in [LeaseName::Realm(digest("key")), LeaseName::Database(digest(DB))] {
            let mut world = World::of(family);
            let (claim, pod) = world.started(ONE);
            let lease = world.leases.get_mut(&name).unwrap();
            (lease.epoch, lease.version) = (Epoch(0xbad), Version(0xbad));
            world.until(ONE, "NoteBroken");
            let said = ptah_lifecycle::Reported { outcome: ptah_lifecycle::Outcome::Applied, right_database: true };
            let section = ptah_lifecycle::Section::Run(said);
            world.send(claim.operation, pod, Some(crate::support::key(pod)), section);
            world.stop(claim.operation, None);
            let names = world.settle_down(ONE);
            assert!(!names.iter().any(|name| name.starts_with("Renew")));
            let record = world.status(ONE).record.clone();
            let outcome = record.map(|record| (record.outcome, record.reported));
            assert_eq!(outcome, Some((ptah_lifecycle::Outcome::Unknown, Some(said.outcome))), "{family:?} {name:?}");
        }
    }
}

#[test]
fn a_run_taken_over_from_its_hold_is_not_read_before_its_horizon() {
    let mut world = World::of(Family::Schema);
    let (claim, _) = world.started(ONE);
    world.edit(ONE, |resource| {
        resource.status.claim = None;
        resource.status.record = None;
    });
    world.until(ONE, "Inherit");
    let horizon = claim.execution_not_after.plus(bounds::horizon());
    while world.now < horizon {
        let names = world.settle_down(ONE);
        assert!(!names.contains(&"ClaimSettle".to_owned()), "{:?} before {horizon:?}", world.now);
        world.wait(37);
    }
    world.now = horizon.plus(claim.lease_duration);
    world.until(ONE, "ClaimSettle");
}

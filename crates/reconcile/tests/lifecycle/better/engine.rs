//! One engine, and what it never leaves open: a next look, a growing wait, a run that is followed to its end.

use ptah_lifecycle::{ApplyPolicy, Decision, Family, Kind, Outcome, ReadFailure, Section, Shown, Uid, bounds, inputs};

use crate::support::{ONE, World, digest, label, resource};

/// Everything that a resource goes through from its creation to a settled run.
fn life(family: Family) -> Vec<String> {
    let mut world = World::of(family);
    world.ended(ONE, Outcome::Applied);
    world.settle(ONE, ptah_lifecycle::SettleReading::Read(crate::support::finished()));
    world.settle_down(ONE);
    world.names(ONE)
}

#[test]
fn both_families_go_through_the_same_steps_from_the_first_reading_to_the_last_release() {
    assert_eq!(life(Family::Schema), life(Family::Migration));
    assert!(life(Family::Schema).len() > 30);
}

#[test]
fn every_wait_has_a_next_look() {
    let mut worlds = Vec::new();
    for family in [Family::Schema, Family::Migration] {
        for until in ["Rotate", "CreateJob", "TakeReading"] {
            let mut world = World::of(family);
            if until == "TakeReading" {
                world.planned(ONE);
            } else {
                world.until(ONE, until);
            }
            worlds.push(world);
        }
        let mut world = World::of(family);
        world.started(ONE);
        worlds.push(world);
        let mut world = World::of(family);
        world.ended(ONE, Outcome::Unknown);
        worlds.push(world);
        let mut world = World::of(family);
        world.realms.insert(ONE, ptah_lifecycle::RealmReading::NotGranted);
        worlds.push(world);
        let mut world = World::of(family);
        world.edit(ONE, |resource| resource.spec.suspended = true);
        worlds.push(world);
    }
    for mut world in worlds {
        world.settle_down(ONE);
        match world.pass(ONE).next {
            ptah_reconcile::Next::At(look) => {
                let interval = world.resources[&ONE].spec.interval;
                assert!(world.now < look && look <= world.now.plus(interval), "{:?}", world.names(ONE));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_failed_reading_is_tried_again_after_a_wait_that_grows_and_since_when_is_kept() {
    let mut world = World::of(Family::Schema);
    let begun = world.now;
    let mut waits = Vec::new();
    for _ in 0..4 {
        world.until(ONE, "CreateJob");
        let operation = world.claim(ONE).operation;
        world.send(operation, Uid(7), None, Section::Refresh(Err(ReadFailure::Passing)));
        world.until(ONE, "ReadFailed");
        let failures = world.status(ONE).failures.unwrap();
        assert_eq!(
            (failures.since, failures.last),
            (begun.plus(waits.iter().sum()), world.now).min((begun, world.now))
        );
        world.settle_down(ONE);
        assert_eq!(world.status(ONE).shown, Shown::ReadFailed);
        let ptah_reconcile::Next::At(look) = world.pass(ONE).next else { panic!("it waits") };
        waits.push(look.0 - world.now.0);
        world.now = look;
    }
    assert_eq!(waits, [1, 2, 3, 4].map(bounds::backoff));
    assert!(waits.is_sorted() && waits[0] < waits[3]);
}

#[test]
fn a_failed_reading_waits_as_long_as_its_resource_asks_for() {
    for retry in [5, 45, 3_600] {
        let mut world = World::of(Family::Migration);
        world.edit(ONE, |resource| resource.spec.retry = retry);
        world.until(ONE, "CreateJob");
        let operation = world.claim(ONE).operation;
        world.send(operation, Uid(7), None, Section::Refresh(Err(ReadFailure::Passing)));
        world.until(ONE, "ReadFailed");
        world.settle_down(ONE);
        let ptah_reconcile::Next::At(look) = world.pass(ONE).next else { panic!("it waits") };
        assert_eq!(look, world.now.plus(retry));
        let stuck = ptah_lifecycle::settle::stuck(&world.resources[&ONE]).unwrap();
        assert_eq!((stuck.attempts, stuck.next), (1, look), "and says so");
        world.now = look;
        world.until(ONE, "ClaimRefresh");
    }
}

#[test]
fn a_settling_reading_comes_before_suspension_the_census_and_moved_inputs() {
    let mut world = World::of(Family::Migration);
    world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ExpireJob");
    world.add(resource(Family::Schema, 2, "key"));
    world.edit(ONE, |resource| {
        resource.spec.suspended = true;
        resource.spec.inputs.artifact = digest("an artifact that no registry has");
        resource.spec.inputs.verification.digest = digest("another policy");
    });
    world.manager.components = digest("components 2");
    assert_eq!(label(&world.pass(ONE).decision), "ClaimSettle");
    world.until(ONE, "NoteJob");
    assert_eq!(world.claim(ONE).kind, Kind::Settle);
}

#[test]
fn when_a_plan_may_run_is_part_of_what_both_families_plan_on() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.planned(ONE);
        let approval = world.approve(ONE);
        world.edit(ONE, |resource| resource.spec.apply = ApplyPolicy::Always);
        world.until(ONE, "DropPlan");
        assert!(world.approvals[&approval].stale.is_some(), "a consent never becomes an automatism");
    }
}

#[test]
fn a_fingerprint_names_its_fields_and_nothing_else_moves_it() {
    let mut world = World::of(Family::Schema);
    world.until(ONE, "Rotate");
    let original = world.resources[&ONE].clone();
    let before = inputs::refresh_inputs(&original);
    let moves: [fn(&mut ptah_lifecycle::Resource); 10] = [
        |r| r.spec.coordination = digest("x"),
        |r| r.spec.inputs.artifact = digest("x"),
        |r| r.spec.inputs.target = digest("x"),
        |r| r.spec.inputs.scope = digest("x"),
        |r| r.spec.inputs.execution = digest("x"),
        |r| r.spec.inputs.verification.uid = Uid(5),
        |r| r.spec.inputs.verification.digest = digest("x"),
        |r| r.spec.apply = ApplyPolicy::Never,
        |r| r.spec.allow_destructive = true,
        |r| r.family = Family::Migration,
    ];
    for (at, change) in moves.iter().enumerate() {
        let mut moved = original.clone();
        change(&mut moved);
        assert_ne!(inputs::refresh_inputs(&moved), before, "{at}");
    }
    let still: [fn(&mut ptah_lifecycle::Resource); 5] = [
        |r| r.spec.suspended = true,
        |r| r.spec.interval = 1,
        |r| r.spec.window = 31,
        |r| r.spec.shared = true,
        |r| r.status.shown = Shown::Suspended,
    ];
    for (at, change) in still.iter().enumerate() {
        let mut moved = original.clone();
        change(&mut moved);
        assert_eq!(inputs::refresh_inputs(&moved), before, "{at}");
    }
}

#[test]
fn a_claim_that_was_not_dispatched_is_not_run_with_other_components() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let claim = world.applying(ONE, "Consume");
        world.manager.components = digest("components 2");
        assert_eq!(label(&world.pass(ONE).decision), "Discard");
        world.until(ONE, "Rotate");
        world.until(ONE, "ClaimRefresh");
        assert_eq!(world.creates.get(&claim.operation), None);
    }
}

#[test]
fn a_manager_that_does_not_lead_or_is_older_writes_nothing() {
    let mut world = World::of(Family::Schema);
    world.planned(ONE);
    world.manager.leads = false;
    assert!(matches!(world.pass(ONE).decision, Decision::Refuse(_)));
    world.manager.leads = true;
    world.manager.state_version = 0;
    assert!(matches!(world.pass(ONE).decision, Decision::Refuse(_)));
}

#[test]
fn a_suspended_resource_starts_nothing() {
    for family in [Family::Schema, Family::Migration] {
        for ready in [World::planned, |world: &mut World, uid| _ = world.until(uid, "Rotate")] {
            let mut world = World::of(family);
            ready(&mut world, ONE);
            if world.status(ONE).plan.is_some() {
                world.approve(ONE);
            }
            world.edit(ONE, |resource| resource.spec.suspended = true);
            world.settle_down(ONE);
            assert_eq!((world.status(ONE).shown, &world.status(ONE).claim), (Shown::Suspended, &None));
        }
    }
}

/// The names of the contract are kept for migrations; each is an entry to the one engine, at every step of a life.
#[test]
fn a_migrations_names_answer_as_the_one_engine_does() {
    use ptah_lifecycle::{approval, dispatch, harvest};
    let mut seen = [0; 5];
    let mut count = |at: usize, told: bool| seen[at] += u32::from(told);
    for until in ["TakeReading", "ClaimApply", "Acquire Realm", "PutHold Database", "NoteJob"] {
        let mut world = World::of(Family::Migration);
        world.planned(ONE);
        world.approve(ONE);
        if until != "TakeReading" {
            world.until(ONE, until);
        }
        let s = world.snapshot(ONE).unwrap();
        assert_eq!(approval::find_migration_approval(&s), approval::find_approval(&s));
        count(0, approval::find_approval(&s).is_some());
        assert_eq!(inputs::migration_input_fingerprint(&s), inputs::refresh_inputs(&s.resource));
        count(1, inputs::refresh_inputs(&s.resource).is_some());
        let Some(claim) = &s.resource.status.claim else { continue };
        let acquired = dispatch::acquire_apply_lock(&s, claim);
        assert_eq!(dispatch::acquire_migration_apply_lock(&s, claim), acquired);
        count(2, acquired.is_some());
        let finished = harvest::finish_uncertain_apply(&s, claim);
        assert_eq!(harvest::finish_uncertain_migration_apply(&s, claim), finished);
        count(3, true);
        let spends = approval::consume_migration_approval(&s, claim);
        assert_eq!(spends.is_some(), s.approvals.iter().any(|found| found.consumed.is_none()), "{until}");
        count(4, spends.is_some());
    }
    assert!(seen.iter().all(|told| *told > 0), "each said something: {seen:?}");
}

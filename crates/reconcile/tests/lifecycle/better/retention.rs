//! Retention: what keeps a plan, for how long, and that a dry run is the same answer.

use ptah_lifecycle::retention::{Keep, Named, Pin, StoredPlan, judge, pins};
use ptah_lifecycle::{Family, Outcome, PlanRef, SettleReading, Status, bounds};

use crate::support::{DB, ONE, World, digest, finished, reading};

/// The pins of the world's one plan.
fn pinned(world: &World) -> Vec<Pin> {
    let statuses: Vec<Status> = world.resources.values().map(|resource| resource.status.clone()).collect();
    let leases: Vec<_> = world.leases.values().cloned().collect();
    let approvals: Vec<_> = world.approvals.values().copied().collect();
    let named = Named { statuses: &statuses, leases: &leases, approvals: &approvals };
    pins(plan(world), named)
}

fn plan(world: &World) -> PlanRef {
    world.plans.values().next().unwrap().reference()
}

#[test]
fn a_plan_is_kept_by_everything_that_names_it_from_its_reading_to_its_replacement() {
    let mut world = World::of(Family::Schema);
    world.planned(ONE);
    assert_eq!(pinned(&world), [Pin::Current]);
    let approval = world.approve(ONE);
    assert_eq!(pinned(&world), [Pin::Current, Pin::Approval(approval)]);
    world.until(ONE, "PutHold Database");
    let run = world.claim(ONE).operation;
    assert_eq!(pinned(&world), [Pin::Current, Pin::Claim(run), Pin::Hold(run), Pin::Approval(approval)]);
    world.until(ONE, "Consume");
    assert_eq!(pinned(&world), [Pin::Current, Pin::Claim(run), Pin::Hold(run)]);

    let mut world = World::of(Family::Schema);
    let run = world.ended(ONE, Outcome::Applied);
    assert_eq!(pinned(&world), [Pin::Record(run), Pin::Hold(run)]);
    world.settle(ONE, SettleReading::Read(finished()));
    let settle = world.claim(ONE).operation;
    assert_eq!(pinned(&world), [Pin::Claim(settle), Pin::Record(run), Pin::Hold(run)]);
    world.until(ONE, "ClearOwed");
    assert_eq!(pinned(&world), [Pin::Applied]);
}

#[test]
fn a_plan_that_nothing_names_is_noted_waited_for_and_only_then_deleted() {
    let mut world = World::of(Family::Migration);
    world.planned(ONE);
    let plan = plan(&world);
    world.wait(world.resources[&ONE].spec.interval);
    world.refresh(ONE, &reading(DB, "after"));
    let statuses = [world.status(ONE).clone()];
    let named = Named { statuses: &statuses, leases: &[], approvals: &[] };
    let ask = |since: Option<i64>, now: i64| {
        let stored = StoredPlan { plan, unnamed_since: since.map(|seconds| world.now.plus(seconds)) };
        judge(&[stored], named, world.now.plus(now)).remove(0)
    };
    assert_eq!(ask(None, 0), (plan, Keep::Note));
    assert_eq!(ask(Some(0), bounds::PLAN_KEPT - 1), (plan, Keep::Until(world.now.plus(bounds::PLAN_KEPT))));
    assert_eq!(ask(Some(0), bounds::PLAN_KEPT), (plan, Keep::Delete));
    assert_eq!(bounds::PLAN_KEPT, 90 * 24 * 3600);
}

#[test]
fn a_plan_that_is_named_again_is_kept_and_its_note_forgotten() {
    let mut world = World::of(Family::Migration);
    world.planned(ONE);
    let statuses = [world.status(ONE).clone()];
    let stored = StoredPlan { plan: plan(&world), unnamed_since: Some(world.now.plus(-2 * bounds::PLAN_KEPT)) };
    let named = Named { statuses: &statuses, leases: &[], approvals: &[] };
    assert_eq!(judge(&[stored], named, world.now)[0].1, Keep::NamedAgain(vec![Pin::Current]));
}

#[test]
fn a_plan_that_was_created_again_is_kept_by_its_own_names_alone() {
    let mut world = World::of(Family::Migration);
    world.planned(ONE);
    let current = plan(&world);
    let statuses = [world.status(ONE).clone()];
    let named = Named { statuses: &statuses, leases: &[], approvals: &[] };
    let another = PlanRef { uid: ptah_lifecycle::Uid(0xdead), fingerprint: current.fingerprint };
    assert_eq!(pins(another, named), []);
    let changed = PlanRef { fingerprint: digest("unreadable"), ..current };
    assert_eq!(pins(changed, named), [Pin::Current], "a UID alone keeps it");
}

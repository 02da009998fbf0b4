//! A plan runs only while the decision that authorised it names exactly this plan, and on the inputs it was decided from.

use ptah_lifecycle::{Family, Kind, Shown, Stale, Uid, bounds};
use ptah_reconcile::PlanName;

use crate::support::{DB, ONE, World, digest, label, reading};

#[test]
fn recorded_approval_stale_ignores_same_name_replacement_uid() {
    let mut world = World::of(Family::Schema);
    let claim = world.applying(ONE, "NoteEpochs");
    let recorded = claim.approval.unwrap();
    world.approvals.remove(&recorded);
    let replacement = world.approve(ONE);

    assert_eq!(label(&world.pass(ONE).decision), "Discard", "the approval that the claim names is gone");
    world.until(ONE, "ClearOwed");
    world.until(ONE, "ClaimApply");
    assert_eq!(world.approvals[&replacement].stale, None, "the replacement is judged by itself");
    assert_eq!(world.claim(ONE).approval, Some(replacement));
}

#[test]
fn an_approval_of_a_plan_that_was_created_again_authorises_nothing() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.planned(ONE);
        let before = world.status(ONE).plan.unwrap();
        world.plans.remove(&PlanName(before.fingerprint));
        world.until(ONE, "DropPlan");
        world.refresh(ONE, &reading(DB, "before"));
        let after = world.status(ONE).plan.unwrap();
        assert_eq!((after.fingerprint, after.uid == before.uid), (before.fingerprint, false));

        let old = world.approve(ONE);
        world.approvals.get_mut(&old).unwrap().plan = before.uid;
        world.until(ONE, "MarkStale");
        assert_eq!(world.approvals[&old].stale, Some(Stale::PlanReplaced));
        world.settle_down(ONE);
        assert_eq!(world.status(ONE).shown, Shown::AwaitingApproval);
        assert!(world.status(ONE).claim.is_none());
    }
}

#[test]
fn migration_apply_claims_the_approved_plan() {
    let mut world = World::of(Family::Migration);
    world.planned(ONE);
    let plan = world.status(ONE).plan.unwrap();
    let approval = world.approve(ONE);
    world.until(ONE, "ClaimApply");

    let claim = world.claim(ONE);
    let window = world.resources[&ONE].spec.window;
    assert_eq!((claim.kind, claim.plan, claim.approval), (Kind::Apply, Some(plan), Some(approval)));
    assert_eq!(claim.dispatch_not_after, claim.started.plus(window));
    assert_eq!(claim.execution_not_after, claim.started.plus(window));
    assert!(claim.lease_duration > bounds::job_deadline(window));
    assert_eq!(world.status(ONE).shown, Shown::Applying);
    assert!(world.resources[&ONE].finalizer, "the finalizer is there before the claim");

    world.until(ONE, "NoteEpochs");
    let claim = world.claim(ONE);
    assert_eq!(claim.realm_epoch, Some(world.realm_lease("key").epoch));
    assert_eq!(claim.database_epoch, Some(world.database_lease(DB).epoch));
    assert_eq!(world.database_lease(DB).duration, claim.lease_duration);
}

#[test]
fn an_approved_plan_waits_for_a_reading_that_is_due() {
    let mut world = World::of(Family::Schema);
    world.planned(ONE);
    world.approve(ONE);
    world.wait(world.resources[&ONE].spec.interval);
    assert_eq!(label(&world.pass(ONE).decision), "ClaimRefresh");
}

#[test]
fn an_approved_plan_is_not_run_on_old_evidence_while_a_failed_reading_waits() {
    let mut world = World::of(Family::Migration);
    world.planned(ONE);
    world.approve(ONE);
    world.wait(world.resources[&ONE].spec.interval);
    world.until(ONE, "CreateJob");
    let failed = ptah_lifecycle::Section::Refresh(Err(ptah_lifecycle::ReadFailure::Passing));
    world.send(world.claim(ONE).operation, Uid(7), None, failed);
    world.until(ONE, "ReadFailed");
    let names = world.settle_down(ONE);
    assert!(!names.contains(&"ClaimApply".to_owned()), "{names:?}");
    assert_eq!(world.status(ONE).shown, Shown::ReadFailed);
    world.wait(bounds::backoff(1));
    world.refresh(ONE, &reading(DB, "before"));
    world.until(ONE, "ClaimApply");
}

#[test]
fn stale_plan_evidence_forces_fresh_observation() {
    let mut world = World::of(Family::Schema);
    world.planned(ONE);
    let approval = world.approve(ONE);
    world.edit(ONE, |resource| {
        let observed = resource.status.observed.as_mut().unwrap();
        observed.identity.route = digest("another route");
    });

    assert_eq!(label(&world.pass(ONE).decision), "DropPlan");
    assert_eq!(world.status(ONE).plan, None);
    assert_eq!(label(&world.pass(ONE).decision), "MarkStale");
    assert_eq!(world.approvals[&approval].stale, Some(Stale::NoSuchPlan));
    assert_eq!(label(&world.pass(ONE).decision), "ClaimRefresh");
    assert_eq!(world.creates.len(), 1, "nothing but the first reading ran");
}

#[test]
fn a_plan_that_another_tenure_may_have_overtaken_is_read_again() {
    let mut world = World::of(Family::Schema);
    world.planned(ONE);
    world.wait(world.resources[&ONE].spec.interval);
    world.until(ONE, "CreateJob");
    let operation = world.claim(ONE).operation;
    let name = ptah_reconcile::LeaseName::Database(digest(DB));
    let mut other = World::of(Family::Schema);
    other.applying(ONE, "NoteEpochs");
    let tenure = ptah_lifecycle::Lease { holder: None, ..other.database_lease(DB).clone() };
    world.leases.insert(name, tenure);
    world.send(operation, Uid(7), None, ptah_lifecycle::Section::Refresh(Ok(reading(DB, "before"))));

    world.until(ONE, "TakeReading");
    assert_eq!(world.status(ONE).plan, None, "a tenure began while it was read");
    world.until(ONE, "ClaimRefresh");
}

#[test]
fn migration_apply_discards_a_plan_the_evidence_no_longer_supports() {
    let mut world = World::of(Family::Migration);
    world.planned(ONE);
    let approval = world.approve(ONE);
    world.edit(ONE, |resource| resource.status.observed.as_mut().unwrap().state = digest("a moved history"));

    assert_eq!(label(&world.pass(ONE).decision), "DropPlan");
    assert_eq!((world.status(ONE).plan, &world.status(ONE).claim), (None, &None));
    world.until(ONE, "MarkStale");
    assert_eq!(world.approvals[&approval].stale, Some(Stale::NoSuchPlan));
    assert_eq!(world.approvals[&approval].consumed, None);
}

#[test]
fn a_claim_whose_inputs_moved_before_its_dispatch_is_dropped_and_owes_what_it_held() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let claim = world.applying(ONE, "PutHold Database");
        world.edit(ONE, |resource| resource.spec.inputs.execution = digest("another timeout"));

        assert_eq!(label(&world.pass(ONE).decision), "Discard");
        let owed = world.status(ONE).owed.unwrap();
        assert_eq!((owed.operation, owed.drop_hold), (claim.operation, Some(claim.operation)));
        world.until(ONE, "ClearOwed");
        assert_eq!((world.database_lease(DB).hold, world.database_lease(DB).holder), (None, None));
        assert_eq!(world.realm_lease("key").holder, None);
        assert_eq!(label(&world.pass(ONE).decision), "DropPlan");
        assert_eq!(world.creates.get(&claim.operation), None);
    }
}

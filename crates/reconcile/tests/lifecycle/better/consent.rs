//! Consent: who spent it, what it is bound to, and what becomes of it when something moves.

use ptah_lifecycle::permit::Answer;
use ptah_lifecycle::{Family, Finding, Judged, Outcome, Resolution, Stale};

use crate::support::{Arrange, ONE, World, key, label};

#[test]
fn an_approval_that_is_revoked_between_claim_and_dispatch_stops_the_claim() {
    for family in [Family::Schema, Family::Migration] {
        for until in ["ClaimApply", "Acquire Database", "NoteJobDigest", "PutHold Database"] {
            let mut world = World::of(family);
            let claim = world.applying(ONE, until);
            world.approvals.remove(&claim.approval.unwrap());
            assert_eq!(label(&world.pass(ONE).decision), "Discard", "{family:?} after {until}");
            world.settle_down(ONE);
            assert_eq!(world.creates.get(&claim.operation), None);
        }
    }
}

#[test]
fn a_spent_approval_says_which_operation_spent_it_and_serves_no_other() {
    let mut world = World::of(Family::Migration);
    let claim = world.applying(ONE, "Consume");
    let approval = claim.approval.unwrap();
    assert_eq!(world.approvals[&approval].consumed, Some(claim.operation));

    world.edit(ONE, |resource| resource.spec.suspended = true);
    world.until(ONE, "ClearOwed");
    world.edit(ONE, |resource| resource.spec.suspended = false);
    let names = world.settle_down(ONE);
    assert!(!names.contains(&"ClaimApply".to_owned()), "a person has to approve again: {names:?}");
    world.approve(ONE);
    world.until(ONE, "Consume");
    assert_eq!(world.approvals[&approval].consumed, Some(claim.operation));
}

#[test]
fn a_stale_approval_says_so_in_both_families() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.planned(ONE);
        let approval = world.approve(ONE);
        world.approvals.get_mut(&approval).unwrap().own_change = true;
        world.until(ONE, "MarkStale");
        assert_eq!(world.approvals[&approval].stale, Some(Stale::SelfApproval), "{family:?}");
    }
}

#[test]
fn the_first_runner_is_let_in_for_a_relative_time_and_nobody_else() {
    let mut world = World::of(Family::Migration);
    let claim = world.applying(ONE, "NoteJob");
    let pod = world.start_pod(claim.operation);
    world.wait(60);
    let budget = world.resources[&ONE].spec.window - 60;
    assert_eq!(world.ask(ONE, claim.operation, pod), Answer::Granted(budget));
    assert_eq!(world.ask(ONE, claim.operation, pod), Answer::Granted(budget), "the same question has the same answer");
    let mut late = world.clone();
    late.wait(86_400);
    assert_eq!(late.ask(ONE, claim.operation, pod), Answer::Granted(0));
    let second = world.start_pod(claim.operation);
    assert_eq!(world.ask(ONE, claim.operation, second), Answer::Refused);
    assert_eq!(
        world.ask_with(ONE, claim.operation, pod, key(second)),
        Answer::Refused,
        "started again, with a new key"
    );
    assert_eq!(world.ask_with(ONE, claim.operation, second, key(pod)), Answer::Refused, "a key that was seen");
}

#[test]
fn nobody_is_let_in_when_the_decision_does_not_stand_any_more() {
    let rows: [(&str, Arrange); 12] = [
        ("the realm is contested", |world| world.add(crate::support::resource(Family::Schema, 2, "key"))),
        ("the grant is withdrawn", |world| {
            world.realms.insert(ONE, ptah_lifecycle::RealmReading::NotGranted);
        }),
        ("an input moved", |world| {
            world.edit(ONE, |resource| resource.spec.inputs.scope = crate::support::digest("another scope"));
        }),
        ("the approval is gone", |world| world.approvals.clear()),
        ("the approval is not spent", |world| world.approvals.values_mut().for_each(|found| found.consumed = None)),
        ("the claim is not marked", |world| {
            world.edit(ONE, |resource| resource.status.claim.as_mut().unwrap().marked = false);
        }),
        ("a tenure was broken and is whole again", |world| {
            world.edit(ONE, |resource| resource.status.claim.as_mut().unwrap().broken = true);
        }),
        ("the policies are not in order", |world| world.policies = false),
        ("a Lease was lost", |world| {
            world.leases.remove(&ptah_reconcile::LeaseName::Realm(crate::support::digest("key")));
        }),
        ("the hold is gone", |world| {
            let name = ptah_reconcile::LeaseName::Database(crate::support::digest(crate::support::DB));
            world.leases.get_mut(&name).unwrap().hold = None;
        }),
        ("the resource is being deleted", |world| world.edit(ONE, |resource| resource.deleting = true)),
        ("its time is over", |world| world.wait(900)),
    ];
    for (row, arrange) in rows {
        let mut world = World::of(Family::Migration);
        let claim = world.applying(ONE, "NoteJob");
        let pod = world.start_pod(claim.operation);
        arrange(&mut world);
        assert_eq!(world.ask(ONE, claim.operation, pod), Answer::Refused, "{row}");
        assert_eq!(world.claim(ONE).started_by, None, "{row}");
    }
}

#[test]
fn a_runner_of_a_plan_that_asks_for_nobody_is_let_in_as_any_other() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.edit(ONE, |resource| resource.spec.apply = ptah_lifecycle::ApplyPolicy::Always);
        world.planned(ONE);
        world.until(ONE, "NoteJob");
        let claim = world.claim(ONE);
        assert_eq!(claim.approval, None);
        let pod = world.start_pod(claim.operation);
        assert_eq!(world.ask(ONE, claim.operation, pod), Answer::Granted(900));
    }
}

#[test]
fn an_acknowledgment_carries_what_was_found() {
    for finding in [Finding::Applied, Finding::NotApplied, Finding::Repaired] {
        let mut world = World::of(Family::Migration);
        let run = world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClearOwed");
        let ack = world.acknowledge(ONE, run, finding);
        world.until(ONE, "SettleByAcknowledgment");
        assert_eq!(world.status(ONE).resolved.unwrap().by, Resolution::Acknowledgment(ack, finding));
    }
}

#[test]
fn where_two_people_are_asked_for_the_second_one_acknowledges() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let run = world.ended(ONE, Outcome::Unknown);
        world.until(ONE, "ClearOwed");
        let own = world.acknowledge(ONE, run, Finding::Repaired);
        world.acknowledgments.get_mut(&own).unwrap().own_run = true;
        world.until(ONE, "Answer");
        assert_eq!(world.acknowledgments[&own].judged, Some(Judged::Stale(Stale::SelfApproval)));
        let second = world.acknowledge(ONE, run, Finding::Repaired);
        world.until(ONE, "SettleByAcknowledgment");
        assert_eq!(world.status(ONE).resolved.unwrap().by, Resolution::Acknowledgment(second, Finding::Repaired));
    }
}

#[test]
fn an_acknowledgment_of_nobody_proven_settles_nothing() {
    let mut world = World::of(Family::Migration);
    let run = world.ended(ONE, Outcome::Unknown);
    world.until(ONE, "ClearOwed");
    let ack = world.acknowledge(ONE, run, Finding::Applied);
    world.acknowledgments.get_mut(&ack).unwrap().attested = false;
    world.until(ONE, "Answer");
    assert_eq!(world.acknowledgments[&ack].judged, Some(Judged::Stale(Stale::UnattestedIdentity)));
    assert!(world.status(ONE).record.is_some());
}

#[test]
fn an_acknowledgment_waits_for_the_horizon_of_the_run() {
    let mut world = World::of(Family::Migration);
    let (claim, _) = world.started(ONE);
    world.edit(ONE, |resource| resource.status.claim = None);
    world.until(ONE, "Inherit");
    world.acknowledge(ONE, claim.operation, Finding::Repaired);
    let names = world.settle_down(ONE);
    assert!(!names.contains(&"SettleByAcknowledgment".to_owned()), "something may still write: {names:?}");
    world.now = claim.execution_not_after.plus(ptah_lifecycle::bounds::horizon());
    world.until(ONE, "SettleByAcknowledgment");
}

//! Approvals: each way in which one can be wrong, and what it is answered.

use ptah_lifecycle::{
    ApplyPolicy, Approval, Family, Finding, Judged, Operation, Outcome, RealmReading, Shown, Stale, Uid,
};

use crate::support::{ONE, World, digest, label};

/// What becomes of an approval that differs from a valid one by this.
struct Row {
    name: &'static str,
    change: fn(&mut Approval),
    claims: bool,
    stale: Option<Stale>,
}

const ROWS: [Row; 8] = [
    Row { name: "one", change: |_| {}, claims: true, stale: None },
    Row { name: "other plan", change: |a| a.plan = Uid(0xbad), claims: false, stale: Some(Stale::PlanReplaced) },
    Row {
        name: "other fingerprint",
        change: |a| a.fingerprint = digest("x"),
        claims: false,
        stale: Some(Stale::PlanReplaced),
    },
    Row { name: "self-approval", change: |a| a.own_change = true, claims: false, stale: Some(Stale::SelfApproval) },
    Row { name: "not stamped", change: |a| a.attested = false, claims: false, stale: Some(Stale::UnattestedIdentity) },
    Row { name: "being deleted", change: |a| a.deleting = true, claims: false, stale: None },
    Row { name: "stale", change: |a| a.stale = Some(Stale::Superseded), claims: false, stale: Some(Stale::Superseded) },
    Row { name: "spent", change: |a| a.consumed = Some(Operation(3)), claims: false, stale: None },
];

#[test]
fn an_approval_counts_only_when_nothing_is_wrong_with_it_and_is_told_what_is() {
    for family in [Family::Schema, Family::Migration] {
        for row in &ROWS {
            let mut world = World::of(family);
            world.planned(ONE);
            let uid = world.approve(ONE);
            (row.change)(world.approvals.get_mut(&uid).unwrap());
            let names = world.settle_down(ONE);
            assert_eq!(names.contains(&"ClaimApply".to_owned()), row.claims, "{family:?} {}: {names:?}", row.name);
            assert_eq!(world.approvals[&uid].stale, row.stale, "{family:?} {}", row.name);
            if !row.claims {
                assert_eq!(world.status(ONE).shown, Shown::AwaitingApproval, "{family:?} {}", row.name);
            }
        }
    }
}

#[test]
fn without_an_approval_nothing_is_claimed() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.planned(ONE);
        let names = world.settle_down(ONE);
        assert!(!names.contains(&"ClaimApply".to_owned()), "{names:?}");
    }
}

#[test]
fn of_two_approvals_the_oldest_is_spent_and_the_other_goes_stale() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.planned(ONE);
        let late = world.approve(ONE);
        let early = world.approve(ONE);
        world.approvals.get_mut(&late).unwrap().created = world.now.plus(1);
        world.until(ONE, "Consume");
        assert_eq!(world.claim(ONE).approval, Some(early));
        assert_eq!(world.approvals[&late].stale, Some(Stale::Superseded));
        assert_eq!(world.approvals[&late].consumed, None);
    }
}

#[test]
fn an_approval_that_is_made_while_the_realm_refuses_is_used_when_it_does_not_any_more() {
    let mut world = World::of(Family::Schema);
    world.planned(ONE);
    world.realms.insert(ONE, RealmReading::NotGranted);
    let approval = world.approve(ONE);
    let names = world.settle_down(ONE);
    assert!(!names.contains(&"ClaimApply".to_owned()), "{names:?}");
    assert_eq!(world.approvals[&approval].stale, None);
    world.realms.insert(ONE, RealmReading::Granted { exclusive: true });
    world.until(ONE, "ClaimApply");
}

#[test]
fn an_approval_of_a_plan_from_before_a_rotation_goes_stale() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        world.planned(ONE);
        let plan = world.status(ONE).plan.unwrap();
        world.manager.components = digest("components 2");
        world.until(ONE, "Rotate");
        let approval = world.approve_plan(ONE, plan);
        assert_eq!(label(&world.pass(ONE).decision), "MarkStale");
        assert_eq!(world.approvals[&approval].stale, Some(Stale::NoSuchPlan));
    }
}

#[test]
fn policies_that_are_not_in_order_stop_every_apply_also_one_that_asks_for_nobody() {
    for apply in [ApplyPolicy::OnApproval, ApplyPolicy::Always] {
        let mut world = World::of(Family::Schema);
        world.edit(ONE, |resource| resource.spec.apply = apply);
        world.planned(ONE);
        world.approve(ONE);
        let mut claimed = world.clone();
        claimed.until(ONE, "ClaimApply");
        claimed.policies = false;
        assert_eq!(label(&claimed.pass(ONE).decision), "Discard", "{apply:?}");
        world.policies = false;
        let names = world.settle_down(ONE);
        assert!(!names.contains(&"ClaimApply".to_owned()), "{apply:?} {names:?}");
    }
}

#[test]
fn a_plan_runs_by_itself_only_where_its_policy_lets_it_and_it_harms_nothing() {
    let change: fn(&mut World, bool, bool) = |world, destructive, privileges| {
        let mut read = crate::support::reading(crate::support::DB, "before");
        let proposal = read.proposal.as_mut().unwrap();
        (proposal.destructive, proposal.privileges) = (destructive, privileges);
        world.refresh(ONE, &read);
    };
    let rows = [
        (ApplyPolicy::Always, false, false, true, Shown::Applying),
        (ApplyPolicy::Always, false, true, false, Shown::AwaitingApproval),
        (ApplyPolicy::Always, true, false, false, Shown::Destructive),
        (ApplyPolicy::OnApproval, false, false, false, Shown::AwaitingApproval),
        (ApplyPolicy::Never, false, false, false, Shown::ApplyDisabled),
    ];
    for (apply, destructive, privileges, claims, shown) in rows {
        let mut world = World::of(Family::Schema);
        world.edit(ONE, |resource| resource.spec.apply = apply);
        change(&mut world, destructive, privileges);
        let mut approved = world.clone();
        let names = world.settle_down(ONE);
        let row = format!("{apply:?} {destructive} {privileges}: {names:?}");
        let approval = approved.approve(ONE);
        approved.pass(ONE);
        let stale = approved.approvals[&approval].stale;
        let expected = (shown != Shown::AwaitingApproval).then_some(Stale::NotAwaiting);
        assert_eq!(stale, expected, "{row}");
        assert_eq!(names.contains(&"ClaimApply".to_owned()), claims, "{row}");
        assert_eq!(world.status(ONE).shown, shown, "{row}");
    }
}

#[test]
fn an_acknowledgment_of_a_run_that_is_settled_or_never_was_settles_nothing() {
    for family in [Family::Schema, Family::Migration] {
        let mut world = World::of(family);
        let run = world.ended(ONE, Outcome::Applied);
        world.settle(ONE, ptah_lifecycle::SettleReading::Read(crate::support::finished()));
        world.until(ONE, "ClearOwed");
        for operation in [run, Operation(0xfee1)] {
            let ack = world.acknowledge(ONE, operation, Finding::NotApplied);
            world.until(ONE, "Answer");
            assert_eq!(world.acknowledgments[&ack].judged, Some(Judged::Stale(Stale::RunNotUnresolved)));
        }
    }
}

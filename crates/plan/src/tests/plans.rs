//! The plan, its proof and its checker.

use proptest::prelude::*;
use ptah_model::Risk;
use ptah_provider_api::step::{Step, TransactionRule, Unit};

use super::build::*;
use crate::desired::Locations;
use crate::plan::{Plan, PlanSegment};
use crate::{Draft, PlanFault, TxMode};

fn draft(steps: Vec<Step>, mode: TxMode) -> Draft {
    Draft::new(head(mode), vec![creations(steps)], &Locations::new()).unwrap()
}

fn points(draft: &Draft) -> Vec<ptah_model::Fingerprint> {
    (1..=draft.segments().len()).map(point).collect()
}

fn plan(steps: Vec<Step>) -> Plan {
    let draft = draft(steps, TxMode::File);
    let points = points(&draft);
    draft.with_proof(points).unwrap()
}

fn two_segments() -> Vec<Step> {
    vec![step("a", &[0]), step("b", &[1]).after_commit("a").after(&["a"])]
}

/// Takes a plan apart, changes it, and puts it together again.
fn check(change: impl FnOnce(&mut Vec<PlanSegment>), expected: &str) {
    let Plan { head, to, mut segments, .. } = plan(two_segments());
    change(&mut segments);
    assert_eq!(Plan::new(head, to, segments).unwrap_err().to_string(), expected);
}

#[test]
fn the_proof_gives_each_segment_the_states_around_it() {
    let plan = plan(two_segments());
    let states: Vec<_> = plan.segments().iter().map(|s| (s.before, s.after)).collect();
    assert_eq!(states, [(point(0), point(1)), (point(1), point(2))]);
    assert_eq!(plan.to(), point(2));
}

#[test]
fn a_proof_with_too_few_points_or_without_steps_makes_no_plan() {
    let short = draft(two_segments(), TxMode::File).with_proof(vec![point(1)]);
    assert_eq!(short, Err(PlanFault::Points { points: 1, segments: 2 }));
    assert_eq!(draft(Vec::new(), TxMode::File).with_proof(Vec::new()), Err(PlanFault::NoSegments));
}

#[test]
fn a_plan_that_contradicts_itself_is_refused() {
    let chain = "segment 2 does not begin or end on the state of its neighbour";
    check(|s| s[1].before = point(7), chain);
    check(|s| s[1].after = point(7), chain);
    check(|s| s[0].segment.steps.clear(), "segment 1 has no step");
    check(|s| s[0].segment.settings.push("refs=off".to_owned()), "segment 1 has other settings than its steps need");
    check(|s| s[1].segment.steps[0].number = 3, "step 3 is out of sequence");
    check(|s| s[0].segment.steps[0].risk = Risk::Destructive, "step 1 does not follow from the changes that it serves");
    check(|s| s[0].segment.steps[0].why.clear(), "step 1 does not follow from the changes that it serves");
    check(
        |s| s[0].segment.steps[0].step.transaction = TransactionRule::Outside,
        "step 1 may not run in a segment of this kind",
    );
    check(
        |s| {
            s[0].segment.steps[0].step.unit = Unit::Sql { text: "  ".to_owned() };
        },
        "the unit of step 1 is not whole",
    );
    check(|s| s[1].segment.steps[0].step.after[0].step.0.push('x'), "step 2 does not come after what it waits for");
    check(|s| s[1].segment.steps[0].step.id.0 = "a".to_owned(), "step 2 does not come after what it waits for");
    check(
        |s| {
            for segment in s {
                segment.segment.steps[0].step.atomic_group = Some("g".to_owned());
            }
        },
        "step 2 is parted from its atomic group",
    );
}

#[test]
fn a_step_that_waits_for_a_commit_is_never_in_the_same_segment() {
    let Plan { head, to, mut segments, .. } = plan(two_segments());
    let moved = segments.pop().unwrap();
    segments[0].after = moved.after;
    segments[0].segment.steps.extend(moved.segment.steps);
    assert_eq!(Plan::new(head, to, segments), Err(PlanFault::Order { number: 2 }));
}

#[test]
fn equal_plans_made_twice_differ_by_their_plan_id_alone() {
    let make = |id: &str| {
        let mut draft = draft(two_segments(), TxMode::File);
        draft.head.plan_id = ptah_model::OperationId::new(id).unwrap();
        let points = points(&draft);
        draft.with_proof(points).unwrap()
    };
    assert_eq!(make("one").digest(), make("one").digest());
    assert_ne!(make("one").digest(), make("two").digest());
    assert_eq!(make("one").segments(), make("two").segments());
}

/// Steps that wait for earlier ones, in up to three atomic groups, under rules of every kind.
fn some_steps() -> impl Strategy<Value = Vec<Step>> {
    let one = (0_usize..4, any::<bool>(), 0_u8..6, 0_u8..8, 0_u8..3);
    proptest::collection::vec(one, 1..10).prop_map(|all| {
        let steps = all.into_iter().enumerate().map(|(n, (back, commit, group, rule, setting))| {
            let mut made = step(&format!("s{n}"), &[u32::try_from(n).unwrap()]);
            if let Some(earlier) = n.checked_sub(back).filter(|_| back > 0) {
                let earlier = format!("s{earlier}");
                made = if commit && back == 3 { made.after_commit(&earlier) } else { made.after(&[earlier.as_str()]) };
            }
            if group < 3 {
                made = made.in_group(&format!("g{group}"));
            }
            if setting == 0 {
                made = made.needs(&format!("s=v{}", n % 2));
            }
            made.runs(match rule {
                0 => TransactionRule::Outside,
                1 => TransactionRule::Alone,
                2 => TransactionRule::Inside,
                _ => TransactionRule::Any,
            })
        });
        steps.collect()
    })
}

proptest! {
    #[test]
    fn every_draft_passes_the_checker_whatever_the_order_of_the_steps(
        steps in some_steps().prop_flat_map(|s| (Just(s.clone()), Just(s).prop_shuffle())),
        mode in proptest::sample::select(vec![TxMode::File, TxMode::All, TxMode::None]),
    ) {
        let (straight, shuffled) = steps;
        let make = |steps: Vec<Step>| {
            let mut phase = creations(straight.clone());
            phase.steps = steps;
            Draft::new(head(mode), vec![phase], &Locations::new())
        };
        let (first, second) = (make(straight.clone()), make(shuffled));
        prop_assert_eq!(first.is_ok(), second.is_ok());
        if let (Ok(first), Ok(second)) = (first, second) {
            prop_assert_eq!(&first, &second);
            let points = points(&first);
            prop_assert!(first.steps().count() == straight.len());
            prop_assert!(first.with_proof(points).is_ok());
        }
    }
}

//! How blocks become transactions in each mode.

use ptah_provider_api::step::{Step, TransactionRule};

use super::build::*;
use crate::PhaseKind;
use crate::TxMode;
use crate::group::{GroupError, Grouped, group};
use crate::order::order;

fn grouped(steps: Vec<Step>, mode: TxMode) -> Result<Vec<Grouped>, GroupError> {
    group(vec![(PhaseKind::Changes, order(steps).unwrap())], mode)
}

/// `[a b] c`: brackets are a transaction.
fn told(segments: &[Grouped]) -> String {
    let one = |segment: &Grouped| {
        let names: Vec<&str> = segment.steps.iter().map(|(_, s)| s.id.0.as_str()).collect();
        if segment.transaction { format!("[{}]", names.join(" ")) } else { names.join("+") }
    };
    segments.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Both modes with transactions, and the mode without.
fn check(steps: &dyn Fn() -> Vec<Step>, file: &str, none: &str) {
    assert_eq!(told(&grouped(steps(), TxMode::File).unwrap()), file);
    assert_eq!(told(&grouped(steps(), TxMode::All).unwrap()), file);
    assert_eq!(told(&grouped(steps(), TxMode::None).unwrap()), none);
}

#[test]
fn steps_share_one_transaction_or_run_each_alone() {
    check(&|| vec![step("a", &[0]), step("b", &[1])], "[a b]", "a b");
}

#[test]
fn outside_and_alone_cut_and_inside_keeps_its_transaction_in_every_mode() {
    use TransactionRule as R;
    check(
        &|| {
            vec![
                step("a", &[0]),
                step("b", &[1]).runs(R::Outside),
                step("c", &[2]),
                step("d", &[3]).runs(R::Alone),
                step("e", &[4]).runs(R::Inside),
                step("f", &[5]),
            ]
        },
        "[a] b [c] [d] [e f]",
        "a b c [d] [e] f",
    );
}

#[test]
fn a_wait_for_a_commit_cuts_only_where_the_earlier_step_is_not_committed_yet() {
    check(
        &|| vec![step("a", &[0]), step("b", &[1]).after_commit("a"), step("c", &[2]).after_commit("a")],
        "[a] [b c]",
        "a b c",
    );
}

#[test]
fn an_atomic_group_is_one_transaction_in_every_mode() {
    check(
        &|| {
            vec![
                step("a", &[0]),
                step("b", &[1]).in_group("g"),
                step("c", &[2]).in_group("g"),
                step("d", &[3]).in_group("single"),
            ]
        },
        "[a b c d]",
        "a [b c] d",
    );
}

#[test]
fn settings_are_a_sorted_union_and_a_contradiction_cuts() {
    let steps =
        vec![step("a", &[0]).needs("refs=off"), step("b", &[1]).needs("legacy=on"), step("c", &[2]).needs("refs=on")];
    let segments = grouped(steps, TxMode::File).unwrap();
    assert_eq!(told(&segments), "[a b] [c]");
    assert_eq!(segments[0].settings, ["legacy=on", "refs=off"]);
    assert_eq!(segments[1].settings, ["refs=on"]);
}

#[test]
fn rules_that_would_cut_an_atomic_group_are_an_error() {
    use TransactionRule as R;
    let pair = |second: Step| vec![step("a", &[0]).in_group("g").needs("refs=off"), second.in_group("g")];
    let check = |second: Step, expected: &str| {
        let error = grouped(pair(second), TxMode::File).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(
        step("b", &[1]).runs(R::Outside),
        "the step `b` runs only outside a transaction and may not be parted from other steps",
    );
    check(
        step("b", &[1]).after_commit("a"),
        "the step `b` waits for the commit of the step `a`, from which it may not be parted",
    );
    check(
        step("b", &[1]).needs("refs=on"),
        "the step `b` needs the setting `refs`, which contradicts a step from which it may not be parted",
    );
    let between = vec![
        step("a", &[0]).in_group("g"),
        step("b", &[1]).runs(R::Alone).after(&["a"]),
        step("c", &[2]).in_group("g").after(&["b"]),
    ];
    assert!(matches!(grouped(between, TxMode::File), Err(GroupError::AloneInBlock { .. })));
}

#[test]
fn a_group_that_wants_to_be_alone_gets_a_transaction_of_its_own() {
    check(
        &|| {
            vec![
                step("a", &[0]),
                step("b", &[1]).in_group("g").runs(TransactionRule::Alone),
                step("c", &[2]).in_group("g"),
                step("d", &[3]),
            ]
        },
        "[a] [b c] [d]",
        "a [b c] d",
    );
}

#[test]
fn a_plan_of_any_length_is_one_transaction_where_the_rules_allow() {
    let steps = (0..2_500).map(|n| step(&format!("s{n:04}"), &[n]));
    let lengths: Vec<usize> = grouped(steps.collect(), TxMode::File).unwrap().iter().map(|s| s.steps.len()).collect();
    assert_eq!(lengths, [2_500]);
}

#[test]
fn renames_and_the_rest_may_share_a_transaction_and_same_names_are_kept_apart() {
    let blocks = |steps| order(steps).unwrap();
    let phases = vec![
        (PhaseKind::Renames, blocks(vec![step("a", &[0])])),
        (PhaseKind::Changes, blocks(vec![step("a", &[0]), step("b", &[1]).after_commit("a")])),
    ];
    assert_eq!(told(&group(phases, TxMode::File).unwrap()), "[a a] [b]");
}

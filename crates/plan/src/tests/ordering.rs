//! The order of steps and the blocks that may not be cut.

use super::build::*;
use crate::order::{OrderError, order};
use ptah_provider_api::step::Step;

/// Steps in, blocks out: `a (b c) d`.
fn check(steps: Vec<Step>, expected: &str) {
    let blocks = order(steps).unwrap();
    let told = blocks.iter().map(|block| {
        let names: Vec<&str> = block.steps.iter().map(|s| s.id.0.as_str()).collect();
        match names.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("({})", several.join(" ")),
        }
    });
    assert_eq!(told.collect::<Vec<_>>().join(" "), expected);
}

#[test]
fn free_steps_keep_the_order_of_their_changes_and_then_of_their_names() {
    check(vec![step("z", &[2]), step("y", &[0]), step("b", &[1]), step("a", &[1])], "y a b z");
}

#[test]
fn what_has_to_come_before_comes_before() {
    check(
        vec![step("a", &[0]).after(&["c"]), step("b", &[1]), step("c", &[2]).after(&["d"]), step("d", &[3])],
        "b d c a",
    );
    check(vec![step("a", &[0]).after_commit("b"), step("b", &[1])], "b a");
}

#[test]
fn an_atomic_group_stays_together() {
    check(vec![step("a", &[0]).in_group("g"), step("b", &[1]), step("c", &[2]).in_group("g")], "(a c) b");
}

#[test]
fn a_step_that_has_to_come_between_two_of_a_group_is_taken_into_it() {
    check(
        vec![
            step("a", &[0]).in_group("g"),
            step("b", &[1]).after(&["a"]),
            step("c", &[2]).in_group("g").after(&["b"]),
            step("d", &[3]),
        ],
        "(a b c) d",
    );
    // Two groups that cross become one block.
    check(
        vec![
            step("a1", &[0]).in_group("a"),
            step("b1", &[1]).in_group("b").after(&["a1"]),
            step("a2", &[2]).in_group("a").after(&["b1"]),
            step("b2", &[3]).in_group("b").after(&["a2"]),
        ],
        "(a1 b1 a2 b2)",
    );
}

#[test]
fn steps_that_wait_for_each_other_are_named() {
    let circle = vec![step("a", &[0]).after(&["b"]), step("b", &[1]).after_commit("a"), step("c", &[2])];
    assert_eq!(order(circle).unwrap_err().to_string(), "these steps wait for each other: `a`, `b`");
    let itself = order(vec![step("a", &[0]).after(&["a"])]).unwrap_err();
    assert_eq!(itself.to_string(), "these steps wait for each other: `a`");
}

#[test]
fn a_step_that_waits_for_nothing_known_and_a_name_used_twice_are_refused() {
    assert!(matches!(order(vec![step("a", &[0]).after(&["x"])]), Err(OrderError::Missing { .. })));
    assert!(matches!(order(vec![step("a", &[0]), step("a", &[1])]), Err(OrderError::Twice { .. })));
}

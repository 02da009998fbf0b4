//! What enforces a promise, with the edit that would let everything pass, and the test that then fails.
//!
//! Mostly a line at the beginning of the function; for an order of steps, two neighbours that change places. The rule says
//! that the page names function and test; `proof` says that it is true.

use super::{CORE, Known, PAGE, quoted};
use crate::report::Problem;
use crate::tree::Tree;

/// The rule's name.
const RULE: &str = "allow";

/// A change of one function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Edit {
    /// This line at its beginning.
    Line(&'static str),
    /// These two pieces of it change places.
    Swap(&'static str, &'static str),
}

/// One enforcing function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The file in the core.
    pub(super) file: &'static str,
    /// The function.
    pub(super) function: &'static str,
    /// What makes it let everything pass.
    pub(super) edit: Edit,
    /// A test that then fails.
    pub(super) test: &'static str,
}

const fn row(file: &'static str, function: &'static str, line: &'static str, test: &'static str) -> Row {
    Row { file, function, edit: Edit::Line(line), test }
}

/// The steps of a dispatch: two neighbours change places.
const fn swap(function: &'static str, first: &'static str, second: &'static str) -> Row {
    let test = "an_apply_goes_through_its_steps_in_this_order_in_both_families";
    Row { file: "dispatch.rs", function, edit: Edit::Swap(first, second), test }
}

/// All of them, in the order of the page.
pub(super) const ROWS: &[Row] = &[
    row(
        "approval.rs",
        "find_approval",
        "return s.approvals.first();",
        "an_approval_counts_only_when_nothing_is_wrong_with_it_and_is_told_what_is",
    ),
    row(
        "approval.rs",
        "find_migration_approval",
        "return s.approvals.first();",
        "a_migrations_names_answer_as_the_one_engine_does",
    ),
    row(
        "approval.rs",
        "claim_migration_apply",
        "return claim_apply(s);",
        "an_unsettled_run_refuses_every_new_claim_but_its_own_reading",
    ),
    row("approval.rs", "claim_apply", "return None;", "migration_apply_claims_the_approved_plan"),
    row(
        "approval.rs",
        "mark_recorded_approval_stale",
        "let valid: Option<crate::Uid> = None;",
        "recorded_approval_stale_ignores_same_name_replacement_uid",
    ),
    row(
        "approval.rs",
        "still_authorises",
        "return true;",
        "an_approval_that_is_revoked_between_claim_and_dispatch_stops_the_claim",
    ),
    row("approval.rs", "consume", "return None;", "a_spent_approval_says_which_operation_spent_it_and_serves_no_other"),
    row(
        "approval.rs",
        "consume_migration_approval",
        "return None;",
        "a_migrations_names_answer_as_the_one_engine_does",
    ),
    row(
        "inputs.rs",
        "refresh_inputs",
        "return resource.status.binding.map(|_| Digest::of(b\"\"));",
        "a_fingerprint_names_its_fields_and_nothing_else_moves_it",
    ),
    row("inputs.rs", "migration_input_fingerprint", "return None;", "a_migrations_names_answer_as_the_one_engine_does"),
    row(
        "dispatch.rs",
        "authorised",
        "return true;",
        "a_claim_whose_inputs_moved_before_its_dispatch_is_dropped_and_owes_what_it_held",
    ),
    row("plan.rs", "is_current", "return true;", "stale_plan_evidence_forces_fresh_observation"),
    row(
        "plan.rs",
        "discard_migration_plan",
        "return refresh::wait(s);",
        "migration_apply_discards_a_plan_the_evidence_no_longer_supports",
    ),
    row(
        "supervise.rs",
        "create",
        "return (s.job == JobReading::Absent).then(|| Decision::CreateJob(Box::new(claim.clone())));",
        "missing_dispatched_apply_job_forces_observation_without_recreation",
    ),
    row(
        "harvest.rs",
        "finish_uncertain_apply",
        "return record(s, claim, Outcome::Applied, None);",
        "migration_apply_is_never_recreated_once_dispatched",
    ),
    row(
        "harvest.rs",
        "finish_uncertain_migration_apply",
        "return record(s, claim, Outcome::Applied, None);",
        "a_migrations_names_answer_as_the_one_engine_does",
    ),
    row(
        "harvest.rs",
        "believed",
        "return true;",
        "a_run_whose_inputs_moved_is_still_read_and_kept_as_what_was_reported",
    ),
    row("settle.rs", "settled_by", "return true;", "a_reading_of_another_database_settles_nothing"),
    row(
        "settle.rs",
        "migration_unresolved_run_settled_by",
        "return true;",
        "a_migration_settles_only_when_nothing_is_left_to_be_run_again",
    ),
    row(
        "settle.rs",
        "settle_unresolved_run_by_acknowledgment",
        "let record = &Record { not_before: s.now, ..record.clone() };",
        "an_acknowledgment_waits_for_the_horizon_of_the_run",
    ),
    row(
        "acknowledgment.rs",
        "find",
        "return s.acknowledgments.first();",
        "a_persons_acknowledgment_settles_the_run_that_it_names_and_no_other",
    ),
    row("dispatch.rs", "acquire_apply_lock", "return None;", "migration_apply_claims_the_approved_plan"),
    row(
        "dispatch.rs",
        "acquire_migration_apply_lock",
        "return None;",
        "a_migrations_names_answer_as_the_one_engine_does",
    ),
    row(
        "object/lease.rs",
        "is_held",
        "return false;",
        "a_foreign_lease_is_taken_over_only_after_its_whole_duration_was_watched",
    ),
    row("dispatch.rs", "put_hold", "return None;", "every_claimant_of_a_realm_meets_the_run_that_is_not_settled"),
    row("hold.rs", "step", "return None;", "every_claimant_of_a_realm_meets_the_run_that_is_not_settled"),
    row(
        "supervise.rs",
        "dispatched_apply_may_still_write",
        "return false;",
        "uncertain_migration_apply_keeps_the_database_while_its_pod_may_run",
    ),
    row("supervise.rs", "continuity", "return None;", "a_tenure_that_was_broken_is_noted_and_its_result_not_believed"),
    row("release.rs", "step", "return None;", "persisted_target_lock_release_recovers_after_manager_crash"),
    row(
        "realm.rs",
        "take_realm_census",
        "return Ok(());",
        "schema_blocks_on_a_contested_realm_without_dispatching_a_job",
    ),
    row("hold.rs", "aliased", "return false;", "a_database_that_is_reached_under_two_names_has_one_writer"),
    row(
        "instance.rs",
        "differ",
        "return one.digest != other.digest;",
        "another_instance_is_an_alias_until_one_was_read_on_both_sides_of_the_other",
    ),
    row(
        "instance.rs",
        "is_shared",
        "return false;",
        "a_claimant_of_the_plain_name_that_is_read_on_the_very_instance_ends_the_proof",
    ),
    row(
        "realm.rs",
        "gives_way",
        "return false;",
        "of_two_newcomers_to_a_database_a_claimant_by_a_realm_goes_first_and_nobody_outranks_an_incumbent",
    ),
    row("rewind.rs", "rewound", "return None;", "a_settled_run_that_is_unfinished_in_the_database_again_is_held_again"),
    row("settle.rs", "is_anothers", "return false;", "a_run_of_the_origin_is_not_settled_by_a_reading_of_its_clone"),
    row(
        "evidence.rs",
        "verdict",
        "return Verdict::Release;",
        "a_pod_is_kept_while_its_operation_is_under_way_and_by_nothing_else_once_it_stopped",
    ),
    row("permit.rs", "stands", "return true;", "nobody_is_let_in_when_the_decision_does_not_stand_any_more"),
    row("suspension.rs", "step", "return None;", "a_suspended_resource_starts_nothing"),
    row("binding.rs", "is_current", "return true;", "a_claim_that_was_not_dispatched_is_not_run_with_other_components"),
    row(
        "fence.rs",
        "verify_stored_controller_state",
        "return Ok(());",
        "a_pass_over_newer_state_writes_nothing_wherever_it_stands",
    ),
    row(
        "fence.rs",
        "verify_stored_objects",
        "return Ok(());",
        "runtime_verifier_rejects_stored_future_controller_state",
    ),
    row(
        "retention.rs",
        "pins",
        "return Vec::new();",
        "a_plan_is_kept_by_everything_that_names_it_from_its_reading_to_its_replacement",
    ),
    swap("acquire_apply_lock", "Which::Realm, &s.realm_lease", "Which::Database, s.database_lease.as_ref()?"),
    swap("follow", "acquire_apply_lock(s, claim)", "epochs(s, claim)"),
    swap("follow", "epochs(s, claim)", "stage(s, claim)"),
    swap("follow", "stage(s, claim)", "job_digest(s, claim)"),
    swap("follow", "job_digest(s, claim)", "put_hold(s, claim)"),
    swap("follow", "put_hold(s, claim)", "approval::consume(s, claim)"),
    row("approval.rs", "consume", "return None;", "an_apply_goes_through_its_steps_in_this_order_in_both_families"),
];

/// The page names every function and its test, and the function is where the row says.
pub(super) fn check(tree: &Tree, page: &str, known: &Known) -> Vec<Problem> {
    let words = quoted(page);
    let stands = |name: &str| words.iter().any(|(_, word)| *word == name);
    let mut problems = Vec::new();
    for row in ROWS {
        for name in [row.function, row.test] {
            if !stands(name) {
                problems.push(Problem::whole(RULE, PAGE, format!("does not name `{name}`")));
            }
        }
        if !known.tests.contains(row.test) {
            problems.push(Problem::whole(RULE, PAGE, format!("`{}` is no test", row.test)));
        }
        let path = format!("{CORE}{}", row.file);
        if tree.get(&path).and_then(|file| edited(&file.text, row)).is_none() {
            let text = format!("has no function `{}` with what its row changes", row.function);
            problems.push(Problem::whole(RULE, &path, text));
        }
    }
    problems
}

/// The text with the row's edit; nothing when its function, or a piece of it, is not there.
pub(super) fn edited(text: &str, row: &Row) -> Option<String> {
    let function = text.find(&format!("fn {}(", row.function))?;
    let body = function + text[function..].find("{\n")? + 2;
    let end = body + text[body..].find("\n}\n")?;
    let changed = match row.edit {
        Edit::Line(line) => format!("    {line}\n{}", &text[body..end]),
        Edit::Swap(first, second) => {
            let (before, rest) = text[body..end].split_once(first)?;
            let (between, after) = rest.split_once(second)?;
            [before, second, between, first, after].concat()
        }
    };
    Some([&text[..body], &changed, &text[end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_goes_to_the_beginning_of_its_function_and_nowhere_else() {
        let text = "fn a_b(x: u8) -> bool {\n    x > 1\n}\nfn a(\n    x: u8,\n) -> bool {\n    x > 2\n}\n";
        let found = edited(text, &row("x.rs", "a", "return true;", "t"));
        let expected =
            "fn a_b(x: u8) -> bool {\n    x > 1\n}\nfn a(\n    x: u8,\n) -> bool {\n    return true;\n    x > 2\n}\n";
        assert_eq!(found.as_deref(), Some(expected));
        assert_eq!(edited(text, &row("x.rs", "c", "return true;", "t")), None);
    }

    #[test]
    fn two_steps_change_places_in_their_function_alone() {
        let text = "fn a() {\n    x().or(y())\n}\nfn b() {\n    x().or(y())\n}\n";
        let found = edited(text, &swap("b", "x()", "y()"));
        assert_eq!(found.as_deref(), Some("fn a() {\n    x().or(y())\n}\nfn b() {\n    y().or(x())\n}\n"));
        assert_eq!(edited(text, &swap("b", "x()", "z()")), None);
    }
}

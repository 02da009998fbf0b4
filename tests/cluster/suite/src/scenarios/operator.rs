//! The whole operator, with the real Job controller, the real supervisor and scripted work. Those that wait longest are first.

mod approvals;
mod deletion;
mod faults;
mod first_apply;
mod half_applied;
mod leftovers;
mod managers;
mod migrations;
mod readings;
mod realms;
mod uncertain;

use super::Scenario;

/// Those that have many ways of their own at the same time.
pub(super) fn in_turn() -> Vec<Scenario> {
    vec![
        ("operator_a_manager_that_dies_at_any_write_loses_no_run_and_repeats_none", |world| {
            Box::pin(faults::deaths(world))
        }),
        ("operator_a_write_without_an_answer_loses_no_run_and_repeats_none", |world| Box::pin(faults::losses(world))),
    ]
}

/// Those that run at the same time.
pub(super) fn together() -> Vec<Scenario> {
    vec![
        ("operator_a_run_outlives_its_resource_and_is_settled_by_the_next_one", |world| {
            Box::pin(deletion::during_a_run(world))
        }),
        ("operator_a_busy_lock_settles_nothing", |world| Box::pin(uncertain::busy(world))),
        ("operator_of_two_managers_one_leads_and_the_other_takes_over_when_it_dies", |world| {
            Box::pin(managers::two(world))
        }),
        ("operator_nothing_is_begun_for_a_suspended_resource", |world| Box::pin(readings::suspended(world))),
        ("operator_an_approval_that_was_spent_applies_nothing_more", |world| Box::pin(approvals::spent_once(world))),
        ("operator_a_manager_that_dies_before_its_run_began_is_replaced_and_the_run_is_made_once", |world| {
            Box::pin(managers::before_the_permit(world))
        }),
        ("operator_a_manager_that_dies_during_a_run_is_replaced_and_the_outcome_is_recorded", |world| {
            Box::pin(managers::during_a_run(world))
        }),
        ("operator_each_migration_is_applied_once_and_a_release_adds_its_own", |world| {
            Box::pin(migrations::releases(world))
        }),
        ("operator_a_database_that_is_not_reached_is_read_again_until_it_is", |world| {
            Box::pin(readings::recovery(world))
        }),
        ("operator_a_new_revision_changes_what_is_there_into_what_it_declares", |world| {
            Box::pin(first_apply::updates(world))
        }),
        ("operator_a_migration_that_stops_in_the_middle_waits_for_a_person", |world| {
            Box::pin(half_applied::stops(world))
        }),
        ("operator_a_migration_whose_work_dies_in_the_middle_waits_for_a_person", |world| {
            Box::pin(half_applied::dies(world))
        }),
        ("operator_a_newcomer_under_another_name_of_a_database_is_refused_without_names", |world| {
            Box::pin(realms::aliased(world))
        }),
        ("operator_a_run_that_was_killed_is_read_and_never_run_again_by_itself", |world| {
            Box::pin(uncertain::killed(world))
        }),
        ("operator_a_commit_that_comes_late_is_settled_by_what_is_there", |world| Box::pin(uncertain::late(world))),
        ("operator_a_change_behind_its_back_is_undone_without_being_asked", |world| Box::pin(readings::drift(world))),
        ("operator_a_plan_that_loses_something_is_blocked_until_that_is_allowed", |world| {
            Box::pin(approvals::destructive(world))
        }),
        ("operator_a_plan_waits_for_an_approval_that_applies_exactly_that_plan", |world| {
            Box::pin(approvals::exactly_that_plan(world))
        }),
        ("operator_an_approval_of_an_older_plan_applies_nothing", |world| Box::pin(approvals::replaced(world))),
        ("operator_nothing_runs_in_a_realm_that_two_claim", |world| Box::pin(realms::conflict(world))),
        ("operator_what_nobody_needs_goes_and_what_somebody_may_need_stays", |world| Box::pin(leftovers::go(world))),
        ("operator_an_empty_database_becomes_what_is_declared", |world| Box::pin(first_apply::converges(world))),
    ]
}

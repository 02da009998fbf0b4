//! The whole operator, with the real Job controller, the real supervisor and scripted work.

mod faults;
mod first_apply;
mod leftovers;

use super::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        ("operator_what_nobody_needs_goes_and_what_somebody_may_need_stays", |world| Box::pin(leftovers::go(world))),
        ("operator_an_empty_database_becomes_what_is_declared", |world| Box::pin(first_apply::converges(world))),
        ("operator_a_manager_that_dies_at_any_write_loses_no_run_and_repeats_none", |world| {
            Box::pin(faults::deaths(world))
        }),
        ("operator_a_write_without_an_answer_loses_no_run_and_repeats_none", |world| Box::pin(faults::losses(world))),
    ]
}

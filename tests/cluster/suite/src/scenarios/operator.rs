//! The whole operator, with the real Job controller, the real supervisor and scripted work.

mod first_apply;

use super::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![("operator_an_empty_database_becomes_what_is_declared", |world| Box::pin(first_apply::converges(world)))]
}

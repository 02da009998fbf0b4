//! Changes into steps: the boundary to the planner.

use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_sdk::{Failure, FailureCode, error_with_reason};

use crate::catalogue::SqliteSnapshot;

/// Turns changes into steps. The same request and readings give the same steps.
pub(crate) fn plan(
    _request: &PlanRequest,
    _current: &SqliteSnapshot,
    _desired: &SqliteSnapshot,
) -> Result<PlanReply, Failure> {
    Err(error_with_reason(
        FailureCode::Unimplemented,
        "this build of the SQLite provider has no planner",
    ))
}

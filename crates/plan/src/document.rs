//! The plan as a file and as a report: conversions to and from the records, total in both directions.

mod parts;
mod read;
mod report;
mod write;

use ptah_records::plan_file::{self, PlanFileError, PlanFileV1};

pub use read::{DocumentError, Field, plan};
pub use report::{diagnostic, explanation, plan_report};
pub use write::plan_record;

use crate::plan::{Plan, PlanFault};

/// Why the bytes of a plan file make no plan. Not to be tried again: make a new plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file is not one of ours, or not as it was written.
    #[error("the plan file cannot be read")]
    File(#[source] PlanFileError),
    /// A field holds what it cannot hold.
    #[error("the plan file holds no plan")]
    Document(#[source] DocumentError),
}

/// The bytes of a plan's file; [`Plan::digest`] is the digest over them.
pub fn write_file(plan: &Plan) -> Result<Vec<u8>, PlanFileError> {
    plan_file::write(&file(plan))
}

/// A plan out of its file's bytes, checked.
pub fn read_file(bytes: &[u8]) -> Result<Plan, ReadError> {
    let file = plan_file::parse(bytes).map_err(ReadError::File)?;
    plan(file.plan).map_err(ReadError::Document)
}

fn file(plan: &Plan) -> PlanFileV1 {
    plan_file::seal(plan_record(plan))
}

impl From<PlanFault> for DocumentError {
    fn from(fault: PlanFault) -> Self {
        Self::Fault(fault)
    }
}

#[cfg(test)]
mod tests;

//! What commands print with `--json`, as far as several commands share it.
//!
//! - **Who writes it:** a command, once, on standard output, also when it refuses.
//! - **Who reads it:** scripts and CI; Ptah itself never does.
//! - **When it is removed:** it is not kept.
//! - **Size:** bounded by the plan that it tells about.
//! - **An old reader and a new document:** `contract_version` grows when a field changes its meaning or goes away. New
//!   fields appear without that, so a reader has to ignore what it does not know.

pub mod v1;

pub use v1::{DiagnosticV1, ExplanationV1, PlanReportV1};

/// The version that is written.
pub const CONTRACT_VERSION: u64 = 1;

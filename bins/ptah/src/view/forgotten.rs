//! What became of forgetting.

use serde::Serialize;

/// What `db forget --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ForgetDocument {
    /// The version of the form of these documents: always 1.
    pub contract_version: u64,
    /// `forgotten`, `refused`, `canceled` or `unknown`.
    pub outcome: &'static str,
    /// The exit code.
    pub exit_code: u8,
    /// What is known, as one sentence.
    pub message: &'static str,
}

//! Every document that is kept or handed out, one module per version.
//!
//! The types here are mirrors: the core's types do not know how they are written, and converting between the two is
//! explicit and total, in the crate that owns the core type. Every document is strict JSON, indented by two spaces with
//! a final newline; its bytes depend on its content alone; fields keep the order in which they stand here; a list is
//! never `null`; a number that could exceed 2^53 is written as a string.

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

mod json;
pub mod operator;
pub mod plan_file;
pub mod provider;
pub mod report;
pub mod shared;

pub use json::{JsonProblem, to_bytes};

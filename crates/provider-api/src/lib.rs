//! What host and provider say to each other, as plain values, with the validators that both sides run.
//!
//! This crate is the contract in Rust's words; `provider-wire` is the same contract in bytes. It knows no engine, no
//! process and no transport. One file per topic; each request and reply has a `validate` or `validate_for` that proves
//! what the contract promises of it, and whoever receives a message runs it before believing anything.

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

pub mod claim;
pub mod contract;
pub mod describe;
pub mod dev;
pub mod execute;
pub mod feature;
pub mod key;
pub mod lock;
pub mod plan;
pub mod query;
pub mod reading;
pub mod reason;
pub mod render;
pub mod session;
pub mod sql;
pub mod step;
pub mod transaction;
mod violation;

pub use violation::Violation;

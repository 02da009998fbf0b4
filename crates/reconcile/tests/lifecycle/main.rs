//! The promises of the lifecycle, one test each: the core driven through its edges against a small model of the API server.
//!
//! `promises` has the tests that `docs/guarantees.md` names for each promise, `better` those for what is stricter than
//! the contract; the matrices try crashes, clocks, rivals, evidence and approvals as tables.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod better;
mod matrix;
mod order;
mod promises;
mod support;

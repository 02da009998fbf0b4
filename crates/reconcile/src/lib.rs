//! The edges of the operator's core, as step machines without I/O.
//!
//! [`Gather`] turns objects into a [`Snapshot`](ptah_lifecycle::Snapshot): it says which object to read next and takes in
//! what was read. [`Perform`] turns a [`Decision`](ptah_lifecycle::Decision) into one [`Request`] and takes in its
//! [`Reply`]. Both are plain values: whoever drives them carries requests to an API server and replies back, and an
//! explorer can copy them and stop between any two calls. Nothing is decided between a request and its reply.
//!
//! ```text
//! Pass ──► Gather ⇄ Request/Reply ──► Snapshot ──► decide ──► Decision ──► Perform ⇄ one Request/Reply ──► Next
//! ```

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

mod gather;
mod memory;
mod perform;
mod request;
mod wanted;

pub use gather::{Ended, Gather, Pass, Step};
pub use memory::{Memory, Remembered};
pub use perform::{Next, Perform};
pub use request::{LeaseName, PlanName, Reply, Request};

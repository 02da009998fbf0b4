//! What is wanted, the provider's steps and the policy in, a plan and its explanation out.
//!
//! The road, one module each: [`desired`] puts the analysed sources together; [`request`] turns typed changes into what
//! a provider is asked; [`order`] and [`group`] put its steps in order and into transactions; [`draft`] makes the plan
//! without its proof, and [`plan`] is the plan with it, checked; [`gate`] says what the policy does not permit;
//! [`explain`] says why each step is there; [`document`] is the plan as a file and as a report. [`offline`] compares two
//! desired states where no session is to be opened. Nothing here is printed,
//! read, executed or specific to an engine.

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

pub mod desired;
pub mod document;
pub mod draft;
pub mod explain;
pub mod gate;
pub mod group;
pub mod offline;
pub mod order;
pub mod plan;
pub mod policy;
pub mod request;
mod title;

pub use desired::{Desired, DesiredStatement, Locations, assemble};
pub use draft::{Draft, Head, Phase, PhaseKind, PlanError, PlannedStep, Segment, Served, Target};
pub use explain::{Earlier, Explanation};
pub use plan::{Plan, PlanFault, PlanSegment};
pub use policy::{Policy, TxMode};

#[cfg(test)]
mod tests;

//! The thin loop that performs the effects of a run on a provider session, and the road from sources to a plan.
//!
//! Everything is decided in the pure crates: `plan` says what is to be done, `apply` in which order its effects come.
//! Here each effect is one function that makes one call and reports what came of it. Time and IDs are made here.

mod clock;
pub mod code;
pub mod desired;
mod engine;
mod failure;
mod fault;
pub mod forget;
pub mod look;
mod memory;
pub mod offline;
mod patience;
pub mod prepare;
mod progress;
pub mod run;

pub use clock::new_operation;
pub use engine::Engine;
pub use failure::Failure;
pub use progress::{Phase, Progress, Silent};

//! What a provider author links: serve, sessions, gates and stripping.
//!
//! An author writes an [`Engine`] and its [`EngineSession`]: connect, read the catalogue, plan, render, run, lock, store.

mod engine;
mod failure;

pub use engine::{Began, Engine, EngineSession, Ended, Executed, Interrupt, LockAttempt, Opened, SessionFacts, Snapshot};
pub use failure::{Failure, FailureCode, error_with_reason};

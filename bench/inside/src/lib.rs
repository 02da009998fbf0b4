//! The very loop of `ptah-drive`, compiled once more against a provider that is no process: it is called directly.
//!
//! So the same work is done without a process, a socket, messages and the validators of both sides, and the difference to
//! the real one is what the boundary costs. Nothing of the product links this crate. It is not safe for a database of
//! anybody's: it looks and plans, and whatever would change a target is refused.

// What the loop imports from the host, it finds here.
extern crate self as ptah_provider_host;

mod provider;
mod refused;
mod session;

#[path = "../../../crates/drive/src"]
mod drive {
    pub(crate) mod clock;
    pub mod code;
    pub mod desired;
    pub(crate) mod engine;
    pub(crate) mod failure;
    pub(crate) mod fault;
    pub mod forget;
    pub mod look;
    pub(crate) mod memory;
    pub mod offline;
    pub(crate) mod patience;
    pub mod prepare;
    pub(crate) mod progress;
    pub mod run;
}

// Where the loop looks for its own modules.
pub(crate) use drive::{clock, engine, failure, fault, memory, patience, progress};
pub use drive::{code, desired, forget, look, offline, prepare, run};

pub use clock::new_operation;
pub use engine::Engine;
pub use failure::Failure;
pub use progress::{Phase, Progress, Silent};

pub use provider::Provider;
pub use ptah_outside::{Answer, Begin, Call, CallCode, Claim, Executed, HostError, Opening};
pub use refused::Lock;
pub use session::Session;

//! What a provider author links: serve, sessions, gates and stripping.
//!
//! An author writes an [`Engine`] and its [`EngineSession`]: connect, read the catalogue, plan, render, run, lock, store.
//! [`serve`] does the rest; the whole of a provider's `main` is a call to it. Handlers learn with [`host_features`] what
//! the host acts on, and fail with [`error_with_reason`].
//!
//! ```text
//! request ─ size ─ negotiated? ─ offered? ─ well-formed? ─ session ─ new ID? ─┐  on the transport's runtime
//!                                                                             │
//! reply ── size ── strip ── validate ── engine ── guards ── fence ── mailbox ─┘  on the session's own thread
//! ```

mod describe;
mod engine;
mod failure;
mod limit;
mod negotiation;
mod serve;
mod service;
mod session;
mod status;

pub use describe::DescriptionError;
pub use engine::{
    Began, Ended, Engine, EngineSession, Executed, Interrupt, LockAttempt, Opened, SessionFacts, Snapshot,
};
pub use failure::{Failure, FailureCode, error_with_reason};
pub use limit::Limited;
pub use negotiation::host_features;
pub use serve::serve;
pub use service::{Provider, ProviderService, service, service_through};

//! The supervisor, as its program, with real processes and a real manager's end of the protocol.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod ends;
mod fetch;
mod permits;
mod results;
mod scene;
mod server;

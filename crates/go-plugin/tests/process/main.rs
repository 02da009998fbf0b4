//! Promises about real processes: this test is the host of the test peer, or starts it as a foreign host would.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

mod bootstrap;
mod end;
mod handshake;
mod image;
mod orphan;
mod services;
mod serving;

#[path = "../fixtures/echo/shared.rs"]
mod shared;

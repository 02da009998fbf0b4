//! The server over real TLS. Its peer is the real runner where a runner would send such a thing, and a client that sends
//! anything where it would not. Only who decides, who reviews and who keeps are played.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod client;
mod limits;
mod parts;
mod permits;
mod results;
mod rotation;
mod runner;
mod senders;
mod server;

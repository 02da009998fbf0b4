//! The promises of the SQLite provider, on real files and against second processes.
#![expect(clippy::unwrap_used, reason = "tests")]

mod analyze;
mod catalogue;
mod claims;
mod dev;
mod locks;
mod mounts;
mod opening;
mod reading;
mod rebuild;
mod support;
mod transactions;

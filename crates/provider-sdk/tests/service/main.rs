//! The promises of the SDK, over a real socket: a host's client on one side, and on the other the service over `zorp`,
//! an engine that lives in memory and does what its script says.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod describe;
mod execute;
mod host;
mod limits;
mod locks;
mod reasons;
mod sessions;
mod snapshots;
mod transactions;
mod zorp;

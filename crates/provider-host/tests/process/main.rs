//! A host and a provider as two processes: each promise of the host against a provider that keeps or breaks the contract
//! as it is told (`tests/fixtures/stub`).
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod calling;
mod changing;
mod ending;
mod hostile;
mod stage;
mod starting;

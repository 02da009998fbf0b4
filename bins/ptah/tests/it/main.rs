//! `ptah` as a user runs it: real files, real processes, real faults.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod boundary;
mod crash;
mod credentials;
mod docs;
mod install;
mod pairs;
mod reference;
mod refusals;
mod runs;
mod support;
mod told;
mod waits;

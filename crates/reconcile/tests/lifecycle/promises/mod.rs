//! The tests that the promises of `docs/guarantees.md` name, by their names: a promise a file.

mod authorised;
mod database;
mod dispatched;
mod fence;
mod realm;

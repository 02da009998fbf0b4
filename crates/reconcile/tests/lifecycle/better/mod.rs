//! Where the lifecycle is stricter than the contract asks: a test for each line of the list in `docs/guarantees.md`.

mod clone;
mod consent;
mod database;
mod engine;
mod evidence;
mod retention;
mod rewind;

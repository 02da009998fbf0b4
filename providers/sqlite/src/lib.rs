//! The SQLite provider: one engine behind the provider contract, with SQLite linked in.
//!
//! ```text
//! engine ─┬─ target      sessions on files: connect, presence (lock), guard, settings, claims, unit, rebuild
//!         ├─ dev         scratch databases in memory, cut into shards
//!         ├─ catalogue   readings: rows, objects of the schema model, snapshots
//!         ├─ plan        changes into steps
//!         ├─ render      readings as source text
//!         └─ sql         everything about the text of SQLite's SQL; pure
//! ```

mod address;
mod analyze;
mod catalogue;
mod claims;
mod connect;
mod describe;
mod dev;
mod engine;
mod fault;
mod file;
mod guard;
mod kinds;
mod parallel;
mod plan;
mod presence;
mod query;
pub mod rebuild;
mod render;
mod settings;
pub mod sql;
mod target;
mod trace;
mod unit;

pub use catalogue::{Described, SqliteSnapshot, StatisticsTables, StoredObject};
pub use engine::{SqliteEngine, SqliteSession};

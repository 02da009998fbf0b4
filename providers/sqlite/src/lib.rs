//! The SQLite provider.

pub mod sql;

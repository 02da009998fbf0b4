//! The SQLite provider.

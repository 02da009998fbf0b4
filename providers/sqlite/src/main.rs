//! The SQLite provider as an executable of its own.
fn main() {}

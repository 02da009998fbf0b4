//! The SQLite provider as an executable of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    ptah_provider_sdk::serve(ptah_provider_sqlite::SqliteEngine::new())
}

//! `ptah-runner`: see the library.

use std::process::ExitCode;

use clap::Parser as _;
use ptah_runner::arguments::{Action, Arguments};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else {
        // Nothing was asked for and nothing was opened.
        return ExitCode::from(ptah_records::operator::exit::ExitCode::NeverStarted.code());
    };
    let Action::Supervise(supervise) = arguments.command;
    ExitCode::from(runtime.block_on(ptah_runner::supervise(&supervise)).code())
}

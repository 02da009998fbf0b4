//! `ptah-runner`: see the library.

use std::process::ExitCode;

use clap::Parser as _;
use ptah_records::operator::exit::ExitCode as Ended;
use ptah_runner::arguments::{Action, Arguments};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(problem) => return not_understood(&problem),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match (arguments.command, runtime) {
        (Action::Supervise(supervise), Ok(runtime)) => {
            ExitCode::from(runtime.block_on(ptah_runner::supervise(&supervise)).code())
        }
        // Nothing was asked for and nothing was opened.
        (Action::Supervise(_), Err(_)) => ExitCode::from(Ended::NeverStarted.code()),
        (Action::Fetch(fetch), Ok(runtime)) => {
            runtime.block_on(ptah_runner::fetch(&fetch));
            ExitCode::SUCCESS
        }
        // There is no word about it, which is told.
        (Action::Fetch(_), Err(_)) => ExitCode::SUCCESS,
    }
}

/// Says why. Also of a `fetch` that was not understood the container that comes after it tells, so it has to come.
fn not_understood(problem: &clap::Error) -> ExitCode {
    // An output that cannot be written to changes nothing.
    let _ = problem.print();
    let fetches = std::env::args_os().nth(1).is_some_and(|action| action == "fetch");
    if fetches { ExitCode::SUCCESS } else { ExitCode::from(u8::try_from(problem.exit_code()).unwrap_or(2)) }
}

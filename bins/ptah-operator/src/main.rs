//! The executable: see the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ptah_operator::main()
}

//! Writes the definitions into a folder: `cargo run -p ptah-crds --example crds -- deploy/crds`. `make crds` does it.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else { return ExitCode::from(2) };
    for published in ptah_crds::published() {
        let text = ptah_crds::to_yaml(&published.definition);
        if std::fs::write(folder.join(&published.file), text).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

//! Where the desired state comes from.

use std::path::PathBuf;

use crate::arguments::SourceFlags;
use crate::environment::{Environment, SCHEMA_FILE};
use crate::failure::Failure;

/// The sources in their order, possibly none. `-` is stdin, at most once.
pub fn sources(flags: &SourceFlags, environment: &Environment) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = flags.schema_file.clone();
    if paths.is_empty()
        && let Some(list) = environment.raw(SCHEMA_FILE)
    {
        paths = std::env::split_paths(list).collect();
        if paths.iter().any(|path| path.as_os_str().is_empty()) {
            return Err(Failure::usage(format!("{SCHEMA_FILE} has an empty path in it")));
        }
    }
    if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Failure::usage("stdin is named twice as a source"));
    }
    Ok(paths)
}

/// The sources of a command that cannot do without.
pub fn required(flags: &SourceFlags, environment: &Environment) -> Result<Vec<PathBuf>, Failure> {
    let paths = sources(flags, environment)?;
    if paths.is_empty() {
        return Err(Failure::usage("no schema source is named").hint("name one with --schema-file"));
    }
    Ok(paths)
}

/// Whether a path means stdin.
pub(super) fn is_stdin(path: &std::path::Path) -> bool {
    path.as_os_str() == "-"
}

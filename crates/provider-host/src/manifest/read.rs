//! Reading the file, and refusing one that others may write.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use ptah_model::{Diagnostic, SourceName};

use super::{FILE, Manifest, SIZE_LIMIT, check, yaml};
use crate::error::HostError;

impl Manifest {
    /// Reads and checks a manifest.
    ///
    /// **Guarantees.** The permissions that are checked are those of the file that is read: it is opened once. Refused
    /// are a file that the group or others may write, one that belongs to neither this user nor root, one that is no
    /// regular file, and one larger than [`SIZE_LIMIT`].
    ///
    /// **Errors.** [`HostError::ManifestInvalid`] with every finding, and nothing else.
    pub fn read(path: &Path) -> Result<Self, HostError> {
        let text = text(path).map_err(|summary| invalid(path, vec![Diagnostic::error(FILE, summary)]))?;
        Self::parse(path, &text)
    }

    /// Checks the text of a manifest. `path` is what positions say and what relative executables are relative to.
    pub fn parse(path: &Path, text: &str) -> Result<Self, HostError> {
        let source = SourceName::new(&path.display().to_string());
        let document = yaml::parse(text, &source).map_err(|finding| invalid(path, vec![finding]))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        check::manifest(document, folder, &yaml::Places { text, source }).map_err(|findings| invalid(path, findings))
    }
}

fn invalid(path: &Path, findings: Vec<Diagnostic>) -> HostError {
    HostError::ManifestInvalid { path: path.to_owned(), findings }
}

/// The text of the file, or what is wrong with the file.
fn text(path: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("the file cannot be read: {}", error.kind());
    // Not blocking, so that a pipe in the file's place cannot hang the command.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(format!("its mode {:04o} lets the group or others write it", metadata.mode() & 0o7777));
    }
    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user && metadata.uid() != 0 {
        return Err("it belongs to another user".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > SIZE_LIMIT {
        return Err(format!("it has more than {SIZE_LIMIT} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

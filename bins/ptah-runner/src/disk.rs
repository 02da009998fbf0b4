//! Files that are whole or not there.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Writes a file beside its place, makes it durable, and gives it its name.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)?;
    File::open(folder)?.sync_all()
}

/// Writes into a file that is there: a kubelet mounts the one for the termination message, and reads what it mounted.
pub(crate) fn write_in_place(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    // A device or a pipe has nothing to make durable.
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

/// Reads a file of at most `limit` bytes. A longer one is an error, and no more of it than that is read.
pub(crate) fn read(path: &Path, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    if bytes.len() > limit { Err(std::io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_long_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, &[7; 11]).unwrap();
        assert_eq!(read(&path, 11).unwrap().len(), 11);
        assert_eq!(read(&path, 10).unwrap_err().kind(), std::io::ErrorKind::FileTooLarge);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_message_replaces_the_whole_of_an_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("message");
        write_in_place(&path, b"a longer one").unwrap();
        write_in_place(&path, b"short").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
    }
}

//! The private directory of one start: the plugin's socket, its working directory and, where the sealed memory file is refused, the
//! copy of its executable. Directories of hosts that are gone are removed at the next start.
//!
//! The name carries the owner's process ID and start time, and the owner holds a lock on the directory. Another host removes it
//! only when both say that the owner is gone: the name alone is wrong across PID namespaces that share a directory.

#[cfg(test)]
mod tests;

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use crate::bootstrap::SOCKET_PATH_LIMIT;

use super::error::StartError;

/// How every private directory's name begins.
const PREFIX: &str = "gop-";

/// Room for a slash and the socket's own name: go-plugin makes `plugin` and up to ten digits, others get some more.
const SOCKET_NAME_RESERVE: usize = 24;

/// How often a new name is tried when another host's cleaning took the fresh directory for a stale one.
const ATTEMPTS: usize = 8;

/// A directory that only this user can enter, removed when dropped.
#[derive(Debug)]
pub(super) struct PrivateDirectory {
    directory: TempDir,
    /// Held for the directory's life; the kernel lets go of it when the process dies.
    _lock: File,
}

impl PrivateDirectory {
    /// Makes one in the first suitable place: the user's runtime directory, else the temporary directory, else `/tmp`.
    pub(super) fn create() -> Result<Self, StartError> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let places = runtime
            .into_iter()
            .filter(|place| place.is_absolute())
            .chain([std::env::temp_dir(), PathBuf::from("/tmp")]);
        Self::create_in(places)
    }

    fn create_in(places: impl IntoIterator<Item = PathBuf>) -> Result<Self, StartError> {
        let owner = Owner::this_process().map_err(StartError::PrivateDirectory)?;
        let mut refused = StartError::PrivateDirectory(io::ErrorKind::NotFound.into());
        for place in places {
            // The plugin answers with this very text in its socket's path, so it must be in its simplest form.
            match place.canonicalize().and_then(|place| {
                remove_stale(&place);
                make(&place, owner)
            }) {
                Ok(made) if made.socket_path_bytes() <= SOCKET_PATH_LIMIT => return Ok(made),
                Ok(made) => refused = StartError::SocketPathTooLong { bytes: made.socket_path_bytes() },
                Err(error) => refused = StartError::PrivateDirectory(error),
            }
        }
        Err(refused)
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes the directory now; says whether it is gone.
    pub(super) fn remove(self) -> bool {
        self.directory.close().is_ok()
    }

    fn socket_path_bytes(&self) -> usize {
        self.path().as_os_str().len() + SOCKET_NAME_RESERVE
    }
}

fn make(place: &Path, owner: Owner) -> io::Result<PrivateDirectory> {
    for _ in 0..ATTEMPTS {
        let directory = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-{}-", owner.pid, owner.started))
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(place)?;
        if let Some(lock) = lock(directory.path()) {
            return Ok(PrivateDirectory { directory, _lock: lock });
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

/// Locks a directory. None when another process holds the lock, or removed the directory before it was locked.
fn lock(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let (open, named) = (file.metadata().ok()?, fs::symlink_metadata(path).ok()?);
    (open.dev() == named.dev() && open.ino() == named.ino()).then_some(file)
}

/// Removes what hosts of this user left behind that are gone. Best effort: what cannot be removed is no reason not to start.
fn remove_stale(place: &Path) {
    let user = rustix::process::getuid().as_raw();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(owner) = name.to_str().and_then(Owner::from_name) else {
            continue;
        };
        // `DirEntry::metadata` does not follow a symbolic link.
        let ours = entry.metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == user);
        if ours
            && !owner.is_alive()
            && let Some(_lock) = lock(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A process, told apart from a later one with the same ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    pid: u32,
    /// Clock ticks since boot.
    started: u64,
}

impl Owner {
    fn this_process() -> io::Result<Self> {
        let pid = std::process::id();
        let started = start_time(pid).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { pid, started })
    }

    fn from_name(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(PREFIX)?.split('-');
        let pid = parts.next()?.parse().ok()?;
        let started = parts.next()?.parse().ok()?;
        Some(Self { pid, started })
    }

    fn is_alive(self) -> bool {
        start_time(self.pid) == Some(self.started)
    }
}

/// The 22nd field of `/proc/PID/stat` (`proc_pid_stat(5)`). The second one, the command's name, may hold spaces and parentheses,
/// so counting begins after its last closing one.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(19)?.parse().ok()
}

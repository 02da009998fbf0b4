//! The process's presence at a database file: its descriptors, and the lock that keeps a second run out.
//!
//! Linux takes *all* of a process's own locks on a file away when the process closes *any* descriptor of it, SQLite's
//! locks included. So a descriptor of ours is opened before SQLite's and closed only when no SQLite connection to the
//! file is left in this process; a registry of the process counts them. Nothing else here opens a database file.
//!
//! The lock is an *open file description* lock on one byte of the database file itself, far behind any content: it is
//! met through hard links, bind mounts and renames, and does not touch SQLite's own locks. Waiting is the caller's.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use rustix::fs::OFlags;

use crate::file::{self, FileFacts};

/// Device and inode.
type FileKey = ((u32, u32), u64);

/// The files that this process has open, with how many presences each has and the descriptors that wait for the last.
static REGISTRY: LazyLock<Mutex<HashMap<FileKey, Entry>>> = LazyLock::new(Mutex::default);

#[derive(Debug, Default)]
struct Entry {
    presences: usize,
    /// Descriptors of presences that ended while others were left. Closing them earlier would take SQLite's locks.
    lingering: Vec<File>,
}

/// What a descriptor is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// To read only.
    Read,
    /// To write, and to lock.
    Write,
    /// To make the file, which must not be there, and then as for writing.
    Create,
}

/// One presence. Opened before a SQLite connection, dropped after it.
#[derive(Debug)]
pub(crate) struct Presence {
    key: FileKey,
    /// Only `None` while it is dropped.
    file: Option<File>,
}

/// What one attempt to take the lock showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// It is held.
    Acquired,
    /// Another descriptor holds it, in this process or another.
    Busy,
    /// The file system does not offer such locks, or failed.
    Failed,
}

impl Presence {
    /// Opens a descriptor of the file at a real path.
    pub(crate) fn open(path: &Path, access: Access) -> io::Result<Self> {
        // Held while opening, so that no other presence ends between and takes the locks of this one away.
        let mut registry = registry();
        // Never waits for a pipe's other end, never follows a link that appeared after the look.
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(access != Access::Read)
            .create_new(access == Access::Create)
            .mode(file::CREATE_MODE.as_raw_mode())
            .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
            .open(path)?;
        let facts = file::facts_of(&file).ok_or_else(io::Error::last_os_error)?;
        registry.entry(facts.key()).or_default().presences += 1;
        Ok(Self { key: facts.key(), file: Some(file) })
    }

    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    /// The first bytes of the file, up to 100: SQLite's header.
    pub(crate) fn header(&self) -> io::Result<Vec<u8>> {
        let file = self.file()?;
        let mut header = vec![0; 100];
        let mut length = 0;
        while length < header.len() {
            match file.read_at(&mut header[length..], length as u64)? {
                0 => break,
                more => length += more,
            }
        }
        header.truncate(length);
        Ok(header)
    }

    /// What the descriptor leads to.
    pub(crate) fn facts(&self) -> Option<FileFacts> {
        self.file.as_ref().and_then(file::facts_of)
    }

    /// Whether the file at the path is the one of the descriptor.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        file::facts_now(path).is_some_and(|now| now.key() == self.key)
    }

    /// Makes one attempt to take the lock, and never waits.
    pub(crate) fn try_lock(&self) -> Attempt {
        self.file().map_or(Attempt::Failed, byte_lock::take)
    }

    /// Whether this descriptor holds the lock now.
    pub(crate) fn holds_lock(&self) -> bool {
        self.file().is_ok_and(byte_lock::is_held)
    }

    /// Gives the lock back.
    pub(crate) fn unlock(&self) -> bool {
        self.file().is_ok_and(byte_lock::give_back)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut registry = registry();
        let Some(file) = self.file.take() else { return };
        // The descriptor may linger, so the lock is given back by hand and not by closing.
        byte_lock::give_back(&file);
        let Some(entry) = registry.get_mut(&self.key) else { return };
        entry.presences -= 1;
        entry.lingering.push(file);
        if entry.presences == 0 {
            registry.remove(&self.key);
        }
    }
}

/// The counts stay true when a thread panicked between, because nothing in between can.
fn registry() -> MutexGuard<'static, HashMap<FileKey, Entry>> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_os = "linux")]
mod byte_lock {
    //! The one byte, by open file description locks, which only `nix` offers.

    use std::fs::File;

    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    use super::Attempt;

    /// Behind the largest database that SQLite can make (2^48 bytes) and behind its own lock bytes at 2^30.
    const LOCK_BYTE: i64 = 0x7fff_0000_0000_0000;

    fn byte(kind: libc::c_int) -> libc::flock {
        libc::flock {
            l_type: kind.try_into().unwrap_or_default(),
            l_whence: libc::SEEK_SET.try_into().unwrap_or_default(),
            l_start: LOCK_BYTE,
            l_len: 1,
            l_pid: 0,
        }
    }

    pub(super) fn take(file: &File) -> Attempt {
        match fcntl(file, FcntlArg::F_OFD_SETLK(&byte(libc::F_WRLCK))) {
            Ok(_) => Attempt::Acquired,
            Err(Errno::EAGAIN | Errno::EACCES) => Attempt::Busy,
            Err(_) => Attempt::Failed,
        }
    }

    pub(super) fn give_back(file: &File) -> bool {
        fcntl(file, FcntlArg::F_OFD_SETLK(&byte(libc::F_UNLCK))).is_ok()
    }

    /// Held by this descriptor: a lock of the process's own kind would meet one there, while one of this descriptor
    /// would not, so nobody else's is in the way.
    pub(super) fn is_held(file: &File) -> bool {
        let mut any = byte(libc::F_WRLCK);
        let mut others = byte(libc::F_WRLCK);
        let asked =
            fcntl(file, FcntlArg::F_GETLK(&mut any)).is_ok() && fcntl(file, FcntlArg::F_OFD_GETLK(&mut others)).is_ok();
        let free = |lock: &libc::flock| libc::c_int::from(lock.l_type) == libc::F_UNLCK;
        asked && !free(&any) && free(&others)
    }
}

#[cfg(not(target_os = "linux"))]
mod byte_lock {
    //! Open file description locks are Linux's. Elsewhere no lock is offered, so nothing that needs one can run.

    use std::fs::File;

    use super::Attempt;

    pub(super) fn take(_file: &File) -> Attempt {
        Attempt::Failed
    }

    pub(super) fn give_back(_file: &File) -> bool {
        true
    }

    pub(super) fn is_held(_file: &File) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;

//! What is executed. A file is opened once and copied, while it is hashed, into a sealed memory file, and that is executed: the
//! bytes that were hashed are the bytes that run, whatever happens to the file's name or content meanwhile.
//!
//! Where the system refuses memory files or their execution (`vm.memfd_noexec`, security modules), the copy goes into the private
//! directory instead, and the start's report says so. A script goes there in every case: its interpreter opens it by a name, and a
//! memory file that is closed on exec has none any more.

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek as _, Write};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{MemfdFlags, OFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::error::{NotExecutable, StartError};

/// The program to start.
#[derive(Debug, Clone)]
pub enum Executable {
    /// A file, checked before every start; an execute bit must be set. Of a script the digest covers the script alone: neither its
    /// interpreter nor what that loads, as it covers no shared library of another program.
    File {
        /// Where it is. Symbolic links are followed once, when it is opened.
        path: PathBuf,
        /// The SHA-256 digest that its bytes must have; none means that any are run.
        sha256: Option<[u8; 32]>,
    },
    /// An already open executable, run as it is: for a program that starts itself and must not be mixed up with the file that an
    /// upgrade put in its place. The descriptor must be close-on-exec, as all of Rust's are.
    Descriptor {
        /// The open file.
        fd: Arc<OwnedFd>,
        /// What the program sees as its own name.
        argv0: OsString,
    },
}

/// How the executed bytes were held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A sealed memory file.
    Memfd,
    /// A copy in the private directory, because it is a script or the system refused a memory file.
    Copy,
    /// The caller's open descriptor.
    Descriptor,
}

/// An executable that has passed its check.
#[derive(Debug)]
pub(super) struct Image {
    held: Held,
    pub(super) argv0: OsString,
    pub(super) sha256: Option<[u8; 32]>,
}

#[derive(Debug)]
enum Held {
    Memfd(File),
    Copy(PathBuf),
    Descriptor(Arc<OwnedFd>),
}

impl Image {
    /// Reads and checks the executable; a copy, if one is needed, goes into `directory`. Blocks.
    pub(super) fn prepare(executable: &Executable, directory: &Path) -> Result<Self, StartError> {
        match executable {
            Executable::File { path, sha256 } => {
                let mut file = open(path)?;
                let held = if is_script(&mut file)? { copy(&mut file, directory) } else { hold(&mut file, directory) };
                let (held, actual) = held.map_err(StartError::Executable)?;
                compare(sha256.as_ref(), &actual)?;
                Ok(Self { held, argv0: path.clone().into_os_string(), sha256: Some(actual) })
            }
            Executable::Descriptor { fd, argv0 } => {
                Ok(Self { held: Held::Descriptor(Arc::clone(fd)), argv0: argv0.clone(), sha256: None })
            }
        }
    }

    /// The path to execute. It is read in the child, whose descriptors have the same numbers until exec closes them.
    pub(super) fn program(&self) -> PathBuf {
        match &self.held {
            Held::Memfd(file) => PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())),
            Held::Descriptor(fd) => PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd())),
            Held::Copy(path) => path.clone(),
        }
    }

    pub(super) fn how(&self) -> How {
        match &self.held {
            Held::Memfd(_) => How::Memfd,
            Held::Copy(_) => How::Copy,
            Held::Descriptor(_) => How::Descriptor,
        }
    }

    /// Turns a memory file that the system would not execute into a copy of the same, sealed bytes. False when this is none.
    pub(super) fn fall_back(&mut self, directory: &Path) -> io::Result<bool> {
        let Held::Memfd(file) = &mut self.held else {
            return Ok(false);
        };
        file.rewind()?;
        let (held, _) = copy(file, directory)?;
        self.held = held;
        Ok(true)
    }
}

/// Not blocking, so that a pipe in the file's place cannot hang the start.
fn open(path: &Path) -> Result<File, StartError> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
        .map_err(StartError::Executable)?;
    let metadata = file.metadata().map_err(StartError::Executable)?;
    if !metadata.is_file() {
        return Err(StartError::NotExecutable(NotExecutable::NotAFile));
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(StartError::NotExecutable(NotExecutable::Mode));
    }
    Ok(file)
}

/// Whether the file names an interpreter in its first line. Leaves the file at its start.
fn is_script(file: &mut File) -> Result<bool, StartError> {
    let mut first = [0; 2];
    match file.read_exact(&mut first) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(StartError::NotExecutable(NotExecutable::Format));
        }
        Err(error) => return Err(StartError::Executable(error)),
    }
    file.rewind().map_err(StartError::Executable)?;
    Ok(&first == b"#!")
}

fn hold(file: &mut File, directory: &Path) -> io::Result<(Held, [u8; 32])> {
    hold_sealed_by(file, directory, seal)
}

/// The memory file, or the copy where there can be none, or none that can be sealed now: a kernel that moves pages waits for a
/// moment until nobody holds them, and then refuses the seal as busy.
fn hold_sealed_by(
    file: &mut File,
    directory: &Path,
    seal: impl Fn(&File) -> Result<(), Errno>,
) -> io::Result<(Held, [u8; 32])> {
    let Ok(mut memory) = memory_file() else { return copy(file, directory) };
    let digest = copy_hashed(file, &mut memory)?;
    match seal(&memory) {
        Ok(()) => Ok((Held::Memfd(memory), digest)),
        Err(Errno::BUSY) => {
            file.rewind()?;
            copy(file, directory)
        }
        Err(error) => Err(error.into()),
    }
}

fn seal(memory: &File) -> Result<(), Errno> {
    fcntl_add_seals(memory, SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)
}

/// Kernels before 6.3 do not know `MFD_EXEC` and refuse it; newer ones may be set to refuse memory files that do not ask for it.
fn memory_file() -> Result<File, Errno> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    memfd_create("go-plugin", flags | MemfdFlags::EXEC)
        .or_else(|error| match error {
            Errno::INVAL => memfd_create("go-plugin", flags),
            other => Err(other),
        })
        .map(File::from)
}

/// The writing descriptor is closed on return: a file that is open for writing cannot be executed.
fn copy(file: &mut File, directory: &Path) -> io::Result<(Held, [u8; 32])> {
    let path = directory.join("executable");
    let mut target = OpenOptions::new().write(true).create_new(true).mode(0o500).open(&path)?;
    let digest = copy_hashed(file, &mut target)?;
    target.sync_all()?;
    Ok((Held::Copy(path), digest))
}

fn copy_hashed(from: &mut impl Read, to: &mut impl Write) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize().into()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..count]);
        to.write_all(&buffer[..count])?;
    }
}

fn compare(expected: Option<&[u8; 32]>, actual: &[u8; 32]) -> Result<(), StartError> {
    match expected {
        Some(expected) if expected != actual => {
            Err(StartError::DigestMismatch { expected: hex::encode(&expected[..6]), actual: hex::encode(&actual[..6]) })
        }
        _ => Ok(()),
    }
}

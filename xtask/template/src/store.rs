//! Where a database is: a JSON file that is replaced whole, or the same in memory. And the locks beside a file.
//!
//! The system gives a lock back when its holder ends, however that comes about.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptah_model::Digest;
use serde::{Deserialize, Serialize};

use crate::language::Tables;
use crate::records::Records;

/// All that is in a database.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) tables: Tables,
    /// What Ptah remembers here. It is no part of the schema.
    pub(crate) ptah: Option<Records>,
}

/// A database.
#[derive(Clone)]
pub(crate) enum Store {
    File(PathBuf),
    Memory(Memory),
}

/// A dev database.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    content: Arc<Mutex<Content>>,
    writer: Arc<Mutex<bool>>,
}

/// Keeps other writers out until it is dropped.
pub(crate) enum Writing {
    File(#[expect(dead_code, reason = "closing it gives the lock back")] File),
    Memory(Arc<Mutex<bool>>),
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Writing {
    fn drop(&mut self) {
        if let Self::Memory(writer) = self {
            *guard(writer) = false;
        }
    }
}

impl Memory {
    pub(crate) fn of(tables: Tables) -> Self {
        Self { content: Arc::new(Mutex::new(Content { tables, ptah: None })), writer: Arc::default() }
    }
}

impl Store {
    pub(crate) fn exists(&self) -> bool {
        match self {
            Self::File(path) => path.exists(),
            Self::Memory(_) => true,
        }
    }

    /// What people call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            Self::Memory(_) => "a dev database".to_owned(),
        }
    }

    /// Which one it is: the real path, because the file itself is another one after each write.
    pub(crate) fn physical(&self) -> String {
        match self {
            Self::File(path) => real(path).display().to_string(),
            Self::Memory(_) => "memory".to_owned(),
        }
    }

    /// Makes an empty one, unless it is there.
    pub(crate) fn create(&self) -> io::Result<()> {
        if self.exists() {
            return Ok(());
        }
        let _writing = self.start_writing()?;
        // Another process may have made it meanwhile.
        if self.exists() { Ok(()) } else { self.write(&Content::default()) }
    }

    /// What is in it. One that does not exist reads as empty.
    pub(crate) fn read(&self) -> io::Result<Content> {
        match self {
            Self::Memory(memory) => Ok(guard(&memory.content).clone()),
            Self::File(path) => match fs::read(path) {
                Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| ErrorKind::InvalidData.into()),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(Content::default()),
                Err(error) => Err(error),
            },
        }
    }

    /// Replaces it: a reader sees all of this or nothing. For who holds a [`Writing`].
    pub(crate) fn write(&self, content: &Content) -> io::Result<()> {
        match self {
            Self::Memory(memory) => {
                *guard(&memory.content) = content.clone();
                Ok(())
            }
            Self::File(path) => {
                let path = real(path);
                let beside = sibling(&path, ".new");
                let mut file = File::create(&beside)?;
                file.write_all(&serde_json::to_vec_pretty(content)?)?;
                file.sync_all()?;
                fs::rename(&beside, &path)?;
                File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
            }
        }
    }

    /// One attempt to be the writer; `WouldBlock` when another is.
    pub(crate) fn start_writing(&self) -> io::Result<Writing> {
        match self {
            Self::File(path) => Ok(Writing::File(locked(&sibling(&real(path), ".writer"))?)),
            Self::Memory(memory) => {
                let mut taken = guard(&memory.writer);
                if std::mem::replace(&mut *taken, true) {
                    return Err(ErrorKind::WouldBlock.into());
                }
                Ok(Writing::Memory(Arc::clone(&memory.writer)))
            }
        }
    }

    /// One attempt at the lock of a scope; `WouldBlock` when another holds it.
    pub(crate) fn try_lock(&self, scope: &str) -> io::Result<HeldLock> {
        let Self::File(path) = self else { return Err(ErrorKind::Unsupported.into()) };
        let scope = Digest::of(scope.as_bytes()).to_string();
        let path = sibling(&real(path), &format!(".lock-{}", &scope["sha256:".len()..][..16]));
        let held = HeldLock { file: locked(&path)?, path };
        // Somebody can have taken the file away in between; then another process may hold another file of this name.
        if held.holds() { Ok(held) } else { Err(ErrorKind::WouldBlock.into()) }
    }
}

/// The lock of a scope, held until this is dropped.
pub(crate) struct HeldLock {
    file: File,
    path: PathBuf,
}

impl HeldLock {
    /// Whether it is held now: the file that we locked still is the one that others would lock.
    pub(crate) fn holds(&self) -> bool {
        let same = |ours: fs::Metadata, there: fs::Metadata| (ours.dev(), ours.ino()) == (there.dev(), there.ino());
        self.file.metadata().and_then(|ours| Ok(same(ours, fs::metadata(&self.path)?))).unwrap_or(false)
    }
}

/// An open file that nobody else has locked.
fn locked(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.try_lock().map_err(io::Error::from)?;
    Ok(file)
}

/// The path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let joined = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
    path.canonicalize().ok().or(joined).unwrap_or_else(|| path.to_owned())
}

fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

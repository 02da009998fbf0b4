//! The folder of installations, and who may change it.
//!
//! ```text
//! lock          held by the one process that changes something
//! records/      one file for each installed provider; what has none is not installed
//! releases/     one folder for each installed release, named by its record
//! staging/      what is under way; nothing here outlives its process but for the next one to clear
//! ```
//!
//! All of it belongs to one user (or to root), and nobody else may write it: what can change a record can choose what is
//! run. Readers take no lock: a record appears and changes in one moment, and names files that are there before it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use tokio::time::{Instant, sleep};

use crate::error::InstallError;
use crate::record::{self, Record};

/// How often a lock that another process holds is asked for again.
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// The folder of installations. Making one touches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    root: PathBuf,
}

/// The right to change the folder; it ends with the value, and with the process.
#[derive(Debug)]
pub(crate) struct Lock<'a> {
    pub(crate) folder: &'a Folder,
    _file: File,
}

impl Folder {
    /// The folder at a path.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.root
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.root.join("records")
    }

    pub(crate) fn releases(&self) -> PathBuf {
        self.root.join("releases")
    }

    pub(crate) fn staging(&self) -> PathBuf {
        self.root.join("staging")
    }

    /// What is installed, sorted by provider. Clears away what a killed process left, if nobody is at work.
    ///
    /// **Errors.** [`InstallError::Record`] for one that cannot be used: it is never passed over in silence, because the
    /// provider that it names would then be missing or be another one.
    pub fn installed(&self) -> Result<Vec<Record>, InstallError> {
        if !self.exists()? {
            return Ok(Vec::new());
        }
        let records = record::read_all(self)?;
        if self.has_leftovers(&records)
            && let Ok(Some(lock)) = self.try_lock()
        {
            // What cannot be cleared now is in nobody's way: the next one tries again.
            let _ = lock.clear();
        }
        Ok(records)
    }

    /// Takes the lock, waiting for another process. Makes the folder first.
    pub(crate) async fn lock(&self, patience: Duration) -> Result<Lock<'_>, InstallError> {
        self.prepare()?;
        let until = Instant::now() + patience;
        loop {
            if let Some(lock) = self.try_lock()? {
                return Ok(lock);
            }
            if Instant::now() >= until {
                return Err(InstallError::Busy { folder: self.root.clone(), waited: patience });
            }
            sleep(ASK_AGAIN).await;
        }
    }

    fn try_lock(&self) -> Result<Option<Lock<'_>>, InstallError> {
        let path = self.root.join("lock");
        let open = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
        let file = open.map_err(|source| self.failed("its lock cannot be opened", source))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock { folder: self, _file: file })),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(self.failed("its lock cannot be taken", error.into())),
        }
    }

    fn prepare(&self) -> Result<(), InstallError> {
        let make = |path: &Path| DirBuilder::new().recursive(true).mode(0o700).create(path);
        make(&self.root).map_err(|source| self.failed("it cannot be made", source))?;
        self.exists()?;
        for part in [self.records(), self.releases(), self.staging()] {
            make(&part).map_err(|source| self.failed("a part of it cannot be made", source))?;
        }
        Ok(())
    }

    /// Whether it is there. One that others may write is refused.
    fn exists(&self) -> Result<bool, InstallError> {
        for path in [self.root.clone(), self.records()] {
            let metadata = match std::fs::metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(source) => return Err(self.failed("it cannot be looked at", source)),
            };
            let user = rustix::process::geteuid().as_raw();
            if metadata.mode() & 0o022 != 0 || (metadata.uid() != user && metadata.uid() != 0) {
                return Err(InstallError::FolderOpen { path, mode: metadata.mode() & 0o7777 });
            }
        }
        Ok(true)
    }

    /// Whether something is there that no record names.
    fn has_leftovers(&self, records: &[Record]) -> bool {
        let names = |path: PathBuf| {
            let entries = std::fs::read_dir(path).into_iter().flatten();
            entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect::<Vec<_>>()
        };
        let is_named = |name: &String| records.iter().any(|record| record.release_folder() == Some(name.as_str()));
        !names(self.staging()).is_empty() || !names(self.releases()).iter().all(is_named)
    }

    pub(crate) fn failed(&self, doing: &'static str, source: io::Error) -> InstallError {
        InstallError::Folder { folder: self.root.clone(), doing, source }
    }
}

impl Lock<'_> {
    /// Removes what processes left that were killed: everything under way, and every release that no record names.
    pub(crate) fn clear(&self) -> Result<(), InstallError> {
        self.remove_all(&self.folder.staging(), |_| true)?;
        // Read again under the lock: what another process installed meanwhile has its record by now.
        let records = record::read_all(self.folder)?;
        self.remove_all(&self.folder.releases(), |name| {
            records.iter().all(|record| record.release_folder() != Some(name))
        })
    }

    fn remove_all(&self, folder: &Path, is_left: impl Fn(&str) -> bool) -> Result<(), InstallError> {
        let failed = |source| self.folder.failed("what a killed process left cannot be removed", source);
        let entries = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            if is_left(&entry.file_name().to_string_lossy()) {
                remove(&entry.path()).map_err(failed)?;
            }
        }
        Ok(())
    }
}

/// Removes a file, or a folder with all that is in it. Links are removed and not followed.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let result = match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Makes the names in a folder as durable as the files.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// The same for all folders in it. There are no links in it.
pub(crate) fn sync_all(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_all(&entry.path())?;
        }
    }
    sync(folder)
}

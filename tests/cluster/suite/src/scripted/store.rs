//! Where a script is kept: a file, and beside it two locks.
//!
//! | File | |
//! |---|---|
//! | `X` | the script, as JSON; a new one is renamed into place, so a process that is killed never leaves half of one |
//! | `X.lock` | held while the script is read and written |
//! | `X.session` | the database's own lock, for as long as a run or a settling reading lasts; it says which process holds it |
//!
//! Whoever works takes nothing of it for longer than one [`Store::update`], which lends the whole script and takes it back.
//! On a node, where there is no such file, the same two locks and the same exchange can go over one connection.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::Script;
use super::facts::now;

/// A script on this machine's disk.
#[derive(Clone, Debug)]
pub struct Store {
    file: PathBuf,
}

/// The database's lock, held. The kernel takes it back when the process ends, however it does.
#[derive(Debug)]
pub struct Session {
    _lock: File,
}

impl Store {
    /// The script in a file. A link leads to what it points at, so that two names can be one database.
    pub fn open(file: &Path) -> Result<Self> {
        let file = file.canonicalize().with_context(|| format!("no script at {}", file.display()))?;
        Ok(Self { file })
    }

    /// Writes a new script to a file.
    pub fn create(file: &Path, script: &Script) -> Result<Self> {
        std::fs::write(file, serde_json::to_vec_pretty(script)?)?;
        Self::open(file)
    }

    /// Where it is.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What is in it now.
    pub fn read(&self) -> Result<Script> {
        self.update(|script| Ok(script.clone()))
    }

    /// Changes it, as one transaction: where `change` fails, nothing is changed.
    pub fn update<T>(&self, change: impl FnOnce(&mut Script) -> Result<T>) -> Result<T> {
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(self.beside("lock"))?;
        lock.lock()?;
        let stored: Script = serde_json::from_slice(&std::fs::read(&self.file)?)?;
        let mut script = stored.clone();
        catch_up(&mut script)?;
        let answer = change(&mut script)?;
        if script != stored {
            let new = self.beside("new");
            std::fs::write(&new, serde_json::to_vec_pretty(&script)?)?;
            std::fs::rename(&new, &self.file)?;
        }
        Ok(answer)
    }

    /// Takes the database's lock, or says which process had it when the time was over.
    pub fn session(&self, patience: Duration) -> Result<Result<Session, String>> {
        let end = Instant::now() + patience;
        let mut file =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).open(self.beside("session"))?;
        loop {
            let server_goes_on = self.read()?.database.late.is_some();
            match file.try_lock() {
                Ok(()) if server_goes_on => file.unlock()?,
                Ok(()) => {
                    file.set_len(0)?;
                    file.rewind()?;
                    write!(file, "{}", std::process::id())?;
                    return Ok(Ok(Session { _lock: file }));
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => bail!(error),
            }
            if Instant::now() >= end {
                let mut holder = String::new();
                file.rewind()?;
                file.read_to_string(&mut holder)?;
                return Ok(Err(holder));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(".");
        name.push(ending);
        name.into()
    }
}

/// What a server did for a dead client, once its time has come.
fn catch_up(script: &mut Script) -> Result<()> {
    let now = now()?.milliseconds();
    if let Some(late) = script.database.late.take_if(|late| late.at <= now) {
        script.database = *late.then;
    }
    Ok(())
}

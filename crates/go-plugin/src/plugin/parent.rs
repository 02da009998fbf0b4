//! The parent watch: a plugin whose host is gone ends at once. go-plugin has none, and leaves plugins of killed hosts running.
//!
//! It polls the parent's process ID from a plain thread, so that a blocked async runtime cannot stop it. The kernel's own signal for
//! it (`PR_SET_PDEATHSIG`) follows the *thread* that started the child, and ends healthy plugins of a host with a thread pool.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgrp, getpid, getppid, kill_process, kill_process_group};

use super::error::ServeError;

/// At most this long after its host a plugin is gone.
const INTERVAL: Duration = Duration::from_millis(250);

/// What a plugin without a host removes before it goes: its socket and the directory, if the plugin made it. Known only once the
/// socket is bound, which is after the watch began.
#[derive(Debug, Clone, Default)]
pub(super) struct Remains(Arc<OnceLock<(PathBuf, Option<PathBuf>)>>);

impl Remains {
    pub(super) fn set(&self, socket: PathBuf, own_directory: Option<PathBuf>) {
        let _ = self.0.set((socket, own_directory));
    }

    fn remove(&self) {
        if let Some((socket, directory)) = self.0.get() {
            let _ = fs::remove_file(socket);
            let _ = directory.as_ref().map(fs::remove_dir);
        }
    }
}

/// Watches the parent until the end of the process. `told` is the parent's ID as the host gave it; without it the parent is
/// whoever is the parent now.
pub(super) fn watch(told: Option<i32>) -> Result<Remains, ServeError> {
    let parent = told.or_else(|| getppid().map(Pid::as_raw_pid));
    let here = move || getppid().map(Pid::as_raw_pid) == parent;
    if !here() {
        return Err(ServeError::HostGone);
    }
    let remains = Remains::default();
    let theirs = remains.clone();
    let watcher = thread::Builder::new().name("parent-watch".to_owned()).spawn(move || {
        while here() {
            thread::sleep(INTERVAL);
        }
        theirs.remove();
        end_at_once();
    });
    watcher.map(|_| remains).map_err(ServeError::ParentWatch)
}

/// A signal that cannot be held up: exit handlers could wait for a lock that some other thread holds. Nobody is left to read an
/// exit status. The whole group goes where it is the plugin's own; a Go host leaves its plugins in the host's group.
fn end_at_once() {
    let own = getpid();
    let _ = if getpgrp() == own { kill_process_group(own, Signal::KILL) } else { kill_process(own, Signal::KILL) };
}

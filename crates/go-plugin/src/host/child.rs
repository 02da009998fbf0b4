//! The child process: its exit is watched by a plain thread, so that it is seen and reaped whatever the async runtime does, and
//! its process group is killed only while the group's number still belongs to it.

use std::io;
use std::process::{Child as StdChild, ChildStdout, Command};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::watch;

use crate::process::Exit;

/// A child in a process group of its own, not yet or already reaped.
#[derive(Debug)]
pub(super) struct Child {
    group: Arc<Group>,
    exit: watch::Receiver<Option<Exit>>,
}

#[derive(Debug)]
struct Group {
    leader: Pid,
    /// Whether the leader was reaped. Until then, even as a zombie, it keeps its number from being given to another process.
    reaped: Mutex<bool>,
    was_reaped: Condvar,
}

impl Child {
    /// Starts `command`, which must make its own process group. Blocks until exec has succeeded or failed.
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, ChildStdout)> {
        // The watcher exists before the child, so that no failure can leave a child unwatched.
        let (hand_over, watched) = mpsc::channel::<(StdChild, Arc<Group>)>();
        let (sender, exit) = watch::channel(None);
        thread::Builder::new().name("plugin-exit".to_owned()).spawn(move || {
            if let Ok((child, group)) = watched.recv() {
                sender.send_replace(Some(group.reap(child)));
            }
        })?;
        let mut child = command.spawn()?;
        let (Some(stdout), Some(leader)) = (child.stdout.take(), pid_of(&child)) else {
            return Err(abandon(child, io::ErrorKind::Unsupported.into()));
        };
        let group = Arc::new(Group { leader, reaped: Mutex::new(false), was_reaped: Condvar::new() });
        match hand_over.send((child, Arc::clone(&group))) {
            Ok(()) => Ok((Self { group, exit }, stdout)),
            Err(mpsc::SendError((child, _))) => Err(abandon(child, io::ErrorKind::BrokenPipe.into())),
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.group.leader.as_raw_pid().cast_unsigned()
    }

    /// Resolves when the process has ended and was reaped; its group was then killed too.
    pub(super) fn exited(&self) -> impl Future<Output = Exit> + Send + 'static {
        let mut exit = self.exit.clone();
        async move {
            let seen = exit.wait_for(Option::is_some).await.ok().and_then(|exit| *exit);
            seen.unwrap_or(Exit::Unknown)
        }
    }

    /// Kills the process and everything in its group.
    pub(super) fn kill(&self) {
        let reaped = lock(&self.group.reaped);
        if !*reaped {
            self.group.kill();
        }
    }

    /// Waits on this thread until the process was reaped, at most for `limit`.
    pub(super) fn wait_blocking(&self, limit: Duration) {
        let reaped = lock(&self.group.reaped);
        let waited = self.group.was_reaped.wait_timeout_while(reaped, limit, |reaped| !*reaped);
        drop(waited);
    }
}

impl Group {
    fn kill(&self) {
        // The group may be empty already.
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// Waits for the leader without reaping it, ends the rest of its group, then reaps.
    fn reap(&self, mut child: StdChild) -> Exit {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        // An error means that somebody else reaps this process's children; `wait` below then says so too.
        let _ = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(self.leader), options));
        let mut reaped = lock(&self.reaped);
        self.kill();
        let exit = child.wait().map_or(Exit::Unknown, Exit::from);
        *reaped = true;
        drop(reaped);
        self.was_reaped.notify_all();
        exit
    }
}

fn pid_of(child: &StdChild) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}

/// Ends a child that nobody will watch.
fn abandon(mut child: StdChild, error: io::Error) -> io::Error {
    let _ = child.kill();
    let _ = child.wait();
    error
}

/// The data is a flag: a panic elsewhere cannot leave it half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

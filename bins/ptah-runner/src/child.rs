//! The process that does the work: started once, watched to its end, with everything that it leaves behind.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::sync::mpsc;

use crate::clock::now;
use crate::stop::Stop;
use crate::tree;
use crate::window::{Act, Ending, Window};

/// The variable that names the file of the operation.
pub(crate) const OPERATION_VARIABLE: &str = "PTAH_OPERATION_FILE";
/// The variable that names the folder in which the result is left.
pub(crate) const FOLDER_VARIABLE: &str = "PTAH_RESULT_FOLDER";
/// The variable that names this Pod, by its UID.
pub(crate) const POD_VARIABLE: &str = "PTAH_POD_UID";

/// How the work ended. Whether it left a result is another question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself, and nothing of it is there any more.
    ByItself,
    /// Its time was over, and nothing of it is there any more.
    OutOfTime,
    /// The Pod was stopped, and nothing of it is there any more.
    Stopped,
    /// Something of it is still there.
    NotGone,
}

/// Why there is no process to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotWatched {
    /// It was never there.
    NotStarted,
    /// It was there and could not be watched. It was killed; what it did before is not known.
    Lost,
}

/// What happens to it.
#[derive(Debug)]
enum Event {
    /// This process has ended.
    Ended(Pid),
    /// No process is left.
    Gone,
}

/// A process that was started.
#[derive(Debug)]
pub(crate) struct Work {
    pid: Pid,
    handle: OwnedFd,
    events: mpsc::UnboundedReceiver<Event>,
    /// Open for as long as this process lives: a child that reads it sees when nobody watches it any more.
    _life: Option<ChildStdin>,
}

impl Work {
    /// Starts it. Whatever it writes is read and dropped: it may hold what a driver said, and nothing waits for it.
    /// `pod` is told where the result has to name it.
    pub(crate) fn start(
        command: &[OsString],
        operation: &Path,
        folder: &Path,
        pod: Option<&str>,
    ) -> Result<Self, NotWatched> {
        let (program, arguments) = command.split_first().ok_or(NotWatched::NotStarted)?;
        tree::adopt().map_err(|_| NotWatched::NotStarted)?;
        let mut child = Command::new(program)
            .args(arguments)
            .env(OPERATION_VARIABLE, operation)
            .env(FOLDER_VARIABLE, folder)
            .envs(pod.map(|pod| (POD_VARIABLE, pod)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|_| NotWatched::NotStarted)?;
        // From here on it runs, so no failure may say that it never did.
        Self::watched(&mut child).map_err(|_| {
            tree::kill_all();
            NotWatched::Lost
        })
    }

    fn watched(child: &mut Child) -> std::io::Result<Self> {
        let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = process.ok_or(std::io::ErrorKind::InvalidData)?;
        // Before anybody waits for it, so the number is still its own.
        let handle = pidfd_open(pid, PidfdFlags::empty())?;
        drain(child.stdout.take());
        drain(child.stderr.take());
        let (tell, events) = mpsc::unbounded_channel();
        let reaper = move || {
            tree::reap(|ended| drop(tell.send(Event::Ended(ended))));
            drop(tell.send(Event::Gone));
        };
        std::thread::Builder::new().name("reaper".to_owned()).spawn(reaper)?;
        Ok(Self { pid, handle, events, _life: child.stdin.take() })
    }

    /// Watches it until nothing of it is there, and ends it when its time is over or the Pod is stopped. `grace` is what
    /// it gets to end by itself.
    pub(crate) async fn watch(mut self, window: Window, grace: Duration, stop: &mut Stop) -> End {
        let mut ending = Ending::default();
        let (mut leader, mut terminated, mut end) = (true, false, End::ByItself);
        loop {
            if stop.is_asked() && end == End::ByItself && leader {
                end = End::Stopped;
                ending.ask(now(), grace);
            }
            let pause = match ending.next(window, leader, terminated, now()) {
                Act::Wait(pause) => pause,
                Act::Terminate => {
                    if !ending.is_asked() {
                        end = End::OutOfTime;
                        ending.ask(now(), grace);
                    }
                    terminated = true;
                    // It may have ended meanwhile; then the reaper says so.
                    let _ = pidfd_send_signal(&self.handle, Signal::TERM);
                    Duration::ZERO
                }
                Act::Kill => {
                    ending.kill(now());
                    Duration::ZERO
                }
                Act::GiveUp => return End::NotGone,
            };
            if ending.is_killing() {
                tree::kill_all();
            }
            tokio::select! {
                event = self.events.recv() => match event {
                    Some(Event::Ended(process)) => leader &= process != self.pid,
                    Some(Event::Gone) | None => return end,
                },
                () = stop.asked(), if leader && end == End::ByItself => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }
}

/// Reads and drops on a thread of its own, so that a child that floods is never blocked and never seen.
fn drain(pipe: Option<impl Read + Send + 'static>) {
    let Some(mut pipe) = pipe else { return };
    let read = move || std::io::copy(&mut pipe, &mut std::io::sink());
    // Without the thread the pipe is closed, and the child is told so by its next write.
    let _ = std::thread::Builder::new().name("drain".to_owned()).spawn(read);
}

//! A running plugin: its exit as a future, and its end. Whatever way it goes, no process of its group and no directory is left.

use std::time::Duration;

use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, timeout_at};
use tonic::transport::Channel;

use crate::process::Exit;
use crate::wire::plugin::Empty;
use crate::wire::plugin::grpc_controller_client::GrpcControllerClient;
use crate::wire::plugin::grpc_stdio_client::GrpcStdioClient;

use super::child::Child;
use super::directory::PrivateDirectory;

/// How long a killed process may take to be reaped before it is left to the system (a process stuck in the kernel).
const REAP_LIMIT: Duration = Duration::from_secs(2);

/// The grace that go-plugin gives a plugin to end by itself after `Shutdown`; a good value for [`Plugin::end`].
pub const DEFAULT_GRACE: Duration = Duration::from_secs(2);

/// A plugin process that is connected.
///
/// Dropping it kills the process group, waits up to two seconds for the process to be gone and removes the private directory. That
/// blocks the thread, usually for about a millisecond; [`Plugin::end`] is the polite way.
#[derive(Debug)]
pub struct Plugin {
    running: Running,
    channel: Channel,
}

/// How a plugin ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Exit status or signal.
    pub exit: Exit,
    /// Whether it had to be killed.
    pub killed: bool,
    /// Whether its private directory is gone.
    pub directory_removed: bool,
}

impl Plugin {
    pub(super) fn new(mut running: Running, channel: Channel) -> Self {
        running.attach(tokio::spawn(discard_output(channel.clone())));
        Self { running, channel }
    }

    /// The process ID, which is also the number of its process group. Only for showing: it may be another process's after the end.
    pub fn pid(&self) -> u32 {
        self.running.child.pid()
    }

    /// Resolves when the process has ended. Every call must be raced against it: the transport's own error for a dead peer says
    /// nothing that can be relied on.
    ///
    /// Each call gives a future of its own, which outlives the plugin and borrows nothing.
    pub fn exited(&self) -> impl Future<Output = Exit> + Send + 'static {
        self.running.exited()
    }

    /// Asks the plugin to end, waits up to `grace` for it, then kills its process group; removes the private directory.
    ///
    /// The answer to the request is not looked at: a Go plugin stops its server while it answers, so that the answer is usually
    /// lost. Dropping this future midway ends the plugin as dropping it does.
    pub async fn end(self, grace: Duration) -> Ended {
        let by = Instant::now() + grace;
        let exited = self.running.exited();
        let mut controller = GrpcControllerClient::new(self.channel.clone());
        let request = async {
            let _ = controller.shutdown(Empty {}).await;
            std::future::pending::<Exit>().await
        };
        let asked = timeout_at(by, async {
            tokio::select! {
                exit = exited => exit,
                exit = request => exit,
            }
        });
        let (exit, killed) = match asked.await {
            Ok(exit) => (exit, false),
            Err(_) => (self.running.kill().await, true),
        };
        Ended { exit, killed, directory_removed: self.running.remove_directory() }
    }
}

/// The process, its directory and the tasks that read from it. Its drop leaves nothing.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    directory: Option<PrivateDirectory>,
    tasks: Vec<AbortHandle>,
}

impl Running {
    pub(super) fn new(child: Child, directory: PrivateDirectory) -> Self {
        Self { child, directory: Some(directory), tasks: Vec::new() }
    }

    /// Ends `task` together with the process.
    pub(super) fn attach(&mut self, task: JoinHandle<()>) {
        self.tasks.push(task.abort_handle());
    }

    pub(super) fn directory(&self) -> &std::path::Path {
        self.directory.as_ref().map_or_else(|| std::path::Path::new(""), PrivateDirectory::path)
    }

    pub(super) fn exited(&self) -> impl Future<Output = Exit> + Send + 'static {
        self.child.exited()
    }

    async fn kill(&self) -> Exit {
        self.child.kill();
        let reaped = tokio::time::timeout(REAP_LIMIT, self.exited()).await;
        reaped.unwrap_or(Exit::Unknown)
    }

    fn remove_directory(mut self) -> bool {
        self.directory.take().is_none_or(PrivateDirectory::remove)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
        self.child.kill();
        self.child.wait_blocking(REAP_LIMIT);
        // The directory's own drop, after this, removes it.
    }
}

/// Opens the plugin's output stream once and throws away what comes: a Go plugin that prints blocks when nobody reads. A plugin
/// without the service is as good.
async fn discard_output(channel: Channel) {
    let Ok(stream) = GrpcStdioClient::new(channel).stream_stdio(()).await else {
        return;
    };
    let mut stream = stream.into_inner();
    while let Ok(Some(_)) = stream.message().await {}
}

#[cfg(test)]
mod tests;

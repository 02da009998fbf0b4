//! The processes of one Pod.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use ptah_cluster_tests::scripted::work::HANGS;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use super::Shared;
use super::mounts::Mounts;

/// A supervisor that runs.
pub(super) struct Supervisor {
    child: Child,
    folder: PathBuf,
}

/// How it ended.
pub(super) struct End {
    /// Its status; nothing where a signal ended it.
    pub(super) exit: Option<i32>,
    /// What it left as the termination message; may be empty.
    pub(super) message: String,
    /// What it said.
    pub(super) log: String,
}

fn with_script<'a>(command: &'a mut Command, mounts: &Mounts, script: &Path) -> &'a mut Command {
    command
        .env("PTAH_SCRIPT", script)
        .env("PTAH_STAGE_FILE", mounts.path("source/stage.json"))
        .env("PTAH_CONTENT_FOLDER", mounts.path("content"))
        .stdin(Stdio::null())
        .kill_on_drop(true)
}

/// The container that fetches; it always ends with 0.
pub(super) async fn fetch(shared: &Shared, mounts: &Mounts, script: &Path) -> Result<()> {
    let mut command = Command::new(&shared.runner);
    command.arg("fetch").arg("--operation").arg(mounts.path("operation.json"));
    command.arg("--folder").arg(mounts.path("source")).args(["--grace", "1", "--"]).arg(&shared.work).arg("fetch");
    let output = with_script(&mut command, mounts, script).output().await?;
    ensure!(output.status.success(), "fetching: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

impl Supervisor {
    /// Starts it in a folder of its own.
    pub(super) fn start(shared: &Shared, mounts: &Mounts, script: &Path, folder: &str, pod: &str) -> Result<Self> {
        let folder = mounts.path(folder);
        let mut command = Command::new(&shared.runner);
        command.arg("supervise");
        let stage = mounts.fetches.then_some(("--stage", "source/stage.json"));
        for (flag, file) in [("--operation", "operation.json"), ("--token", "token")].into_iter().chain(stage) {
            command.arg(flag).arg(mounts.path(file));
        }
        command.arg("--folder").arg(&folder).arg("--message").arg(folder.join("message"));
        command.args(["--pod", pod, "--grace", "1", "--"]).arg(&shared.work);
        command.stdout(Stdio::null()).stderr(std::fs::File::create(folder.join("log"))?);
        let child = with_script(&mut command, mounts, script).spawn().context("the supervisor does not start")?;
        Ok(Self { child, folder })
    }

    /// The folder in which its work leaves its result.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Waits for its end.
    pub(super) async fn end(&mut self) -> Result<End> {
        let status = self.child.wait().await?;
        let read = |name: &str| {
            let bytes = std::fs::read(self.folder.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ok(End { exit: status.code(), message: read("message"), log: read("log") })
    }

    /// Kills it, and with it everything in its container.
    pub(super) async fn kill(&mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Asks it to end, and kills it when it takes longer than `grace`.
    pub(super) async fn stop(&mut self, grace: Duration) -> Result<()> {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        // Without a number it has ended.
        if let Some(pid) = pid {
            kill_process(pid, Signal::TERM)?;
        }
        if tokio::time::timeout(grace, self.child.wait()).await.is_err() {
            self.kill().await?;
        }
        Ok(())
    }
}

/// Waits until the work in this folder hangs; for ever where it does not.
pub(super) async fn hangs(folder: &Path) {
    while !folder.join(HANGS).exists() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

//! The end of the process when whoever started it is gone.

use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use crate::lab::Lab;
use crate::message::describe_all;
use crate::peer::Peer;
use crate::process::{Process, gone};
use crate::rule::{Check, broken, ensure};

/// How long a process may outlive its parent.
const SOON: Duration = Duration::from_secs(1);

/// A shell that starts the executable as its child, tells it so, and waits.
const AS_CHILD: &str = "PTAH_PROVIDER_PARENT_PID=$$; export PTAH_PROVIDER_PARENT_PID; \"$0\" & wait";

pub(super) async fn it_ends_when_its_parent_dies(lab: &Lab<'_>) -> Check {
    let mut shell = Process::start_through(&lab.spawn(), Some(AS_CHILD))?;
    shell.line().await?;
    let child = child_of(shell.pid()).ok_or_else(|| broken("a start by a shell", "the shell has no child"))?;
    shell.signal(Signal::KILL);
    let ended = gone(child, SOON).await;
    ensure(ended, "SIGKILL of the process that started it", "it still runs after one second")
}

pub(super) async fn it_ends_when_its_parent_is_gone_already(lab: &Lab<'_>) -> Check {
    let mut dead =
        Command::new("/bin/true").spawn().map_err(|error| broken("starting /bin/true", error.to_string()))?;
    let number = dead.id();
    let _ = dead.wait();
    let mut spawn = lab.spawn();
    spawn.parent = Some(number);
    let mut process = Process::start(&spawn)?;
    // It may have to start an interpreter before it can look.
    let ended = process.ended(super::A_START).await.is_some();
    ensure(ended, "a start whose PTAH_PROVIDER_PARENT_PID is not its parent's", "it still runs after ten seconds")
}

pub(super) async fn it_ends_when_its_parent_dies_during_a_call(lab: &Lab<'_>) -> Check {
    let slow = lab.slow()?;
    let peer = Peer::over(Process::start_through(&lab.spawn(), Some(AS_CHILD))?).await?;
    peer.describe(describe_all()).await?;
    let session = lab.open(&peer).await?;
    let (mut client, request) = (session.client(), session.execution(&[slow], None));
    let call = tokio::spawn(async move { client.execute(request).await.is_ok() });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let child = child_of(peer.process.pid());
    let child = child.ok_or_else(|| broken("a start by a shell", "the shell has no child"))?;
    ensure(!call.is_finished(), "Execute of the slow unit", "it was over at once: give a slower one")?;
    peer.process.signal(Signal::KILL);
    let ended = gone(child, SOON).await;
    ensure(ended, "SIGKILL of the process that started it, during a call", "it still runs after one second")
}

/// The one child of a process.
fn child_of(parent: u32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

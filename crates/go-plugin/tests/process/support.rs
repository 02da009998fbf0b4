//! What the tests share: starting the peer, asking it, and looking at processes from outside.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use go_plugin::host::{Executable, Launch, Plugin, StartError, Started};
use tonic::transport::Channel;

use crate::shared::wire::echo_client::EchoClient;
use crate::shared::wire::{Answer, Question};
use crate::shared::{APP_VERSION, MODE, PARENT_PID, cookie};

/// The test peer.
pub(crate) fn peer() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_go-plugin-echo"))
}

/// A start of the peer at `path`, whatever its digest.
pub(crate) fn launch_of(path: PathBuf) -> Launch {
    let executable = Executable::File { path, sha256: None };
    let mut launch = Launch::new(executable, cookie(), vec![APP_VERSION]);
    launch.parent_pid_variable = Some(PARENT_PID.to_owned());
    launch
}

/// A start of the peer as it is.
pub(crate) fn launch() -> Launch {
    launch_of(peer())
}

/// A start of the peer in a mode.
pub(crate) fn misbehaving(mode: &str) -> Launch {
    let mut launch = launch();
    launch.environment.push((MODE.to_owned(), mode.to_owned()));
    launch
}

/// The error of a start that must fail.
pub(crate) async fn refused(launch: Launch) -> StartError {
    match Plugin::start(launch).await {
        Ok(_) => panic!("the plugin started"),
        Err(error) => error,
    }
}

/// Every word of an error, its causes and its debug form.
pub(crate) fn all_words(error: &StartError) -> String {
    let mut words = format!("{error} {error:?}");
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        words.push_str(&next.to_string());
        cause = next.source();
    }
    words
}

/// One question to the peer.
pub(crate) async fn ask(channel: &Channel, about: &str) -> Result<Answer, tonic::Status> {
    let question = Question { about: about.to_owned(), payload: b"payload".to_vec() };
    let answer = EchoClient::new(channel.clone()).ask(question).await?;
    Ok(answer.into_inner())
}

/// The lines of an answer that must come.
pub(crate) async fn lines(started: &Started, about: &str) -> Vec<String> {
    ask(&started.channel, about).await.unwrap().lines
}

/// The private directory of a start: the peer's working directory.
pub(crate) async fn directory(started: &Started) -> PathBuf {
    PathBuf::from(lines(started, "directory").await.concat())
}

/// Waits for a condition, up to `limit`; says how long it took.
pub(crate) fn wait_until(limit: Duration, what: &str, condition: impl Fn() -> bool) -> Duration {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    began.elapsed()
}

/// Whether a process is gone. A zombie is: it runs nothing, and only waits for whoever reaps it.
pub(crate) fn is_gone(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return true;
    };
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
    matches!(state, Some(Some('Z' | 'X')))
}

/// Sends a signal.
pub(crate) fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// A running process by an entry of its environment that no other one has: its ID and its private directory.
pub(crate) fn find_marked(mark: &str) -> Option<(u32, PathBuf)> {
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        let entries: Vec<_> = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        if entries.iter().any(|entry| *entry == format!("MARK={mark}")) {
            let directory = entries.iter().find_map(|entry| entry.strip_prefix("PLUGIN_UNIX_SOCKET_DIR="));
            return Some((pid, directory.unwrap_or_default().into()));
        }
    }
    None
}

/// Gives the process of a start a mark of its own.
pub(crate) fn marked(mut launch: Launch) -> (Launch, String) {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let mark = format!("{}-{number}", std::process::id());
    launch.environment.push(("MARK".to_owned(), mark.clone()));
    (launch, mark)
}

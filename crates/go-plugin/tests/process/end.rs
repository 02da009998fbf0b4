//! Every way in which a plugin ends: nothing of it is left.

use std::time::{Duration, Instant};

use go_plugin::Exit;
use go_plugin::host::{Plugin, Started};
use rustix::process::Signal;

use crate::support::{
    ask, directory, find_marked, is_gone, launch, lines, marked, misbehaving, refused, signal, wait_until,
};

async fn grandchild(started: &Started) -> u32 {
    lines(started, "grandchild").await.concat().parse().unwrap()
}

#[tokio::test]
async fn the_directory_and_the_whole_group_are_gone_after_the_end() {
    let started = Plugin::start(launch()).await.unwrap();
    let (pid, directory) = (started.plugin.pid(), directory(&started).await);
    let grandchild = grandchild(&started).await;
    let ended = started.plugin.end(Duration::from_secs(5)).await;
    assert_eq!(ended.exit, Exit::Status(0));
    assert!(is_gone(pid));
    assert!(!directory.exists());
    wait_until(Duration::from_secs(1), "the grandchild is gone", || is_gone(grandchild));
}

#[tokio::test]
async fn the_directory_and_the_whole_group_are_gone_after_a_drop() {
    let started = Plugin::start(launch()).await.unwrap();
    let (pid, directory) = (started.plugin.pid(), directory(&started).await);
    let grandchild = grandchild(&started).await;
    drop(started);
    assert!(is_gone(pid));
    assert!(!directory.exists());
    wait_until(Duration::from_secs(1), "the grandchild is gone", || is_gone(grandchild));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_is_given_up_leaves_nothing() {
    for mode in ["idle", "deaf"] {
        let (mut launch, mark) = marked(misbehaving(mode));
        launch.start_timeout = Duration::from_mins(1);
        let start = tokio::spawn(Plugin::start(launch));
        wait_until(Duration::from_secs(10), "the plugin runs", || find_marked(&mark).is_some());
        let (pid, directory) = find_marked(&mark).unwrap();
        assert!(directory.exists());
        start.abort();
        assert!(start.await.unwrap_err().is_cancelled());
        wait_until(Duration::from_secs(2), "the plugin is gone", || is_gone(pid));
        wait_until(Duration::from_secs(2), "the directory is gone", || !directory.exists());
    }
}

#[tokio::test]
async fn a_refused_start_leaves_nothing() {
    for mode in ["three-fields", "other-certificate", "no-newline"] {
        let (launch, mark) = marked(misbehaving(mode));
        refused(launch).await;
        assert_eq!(find_marked(&mark), None, "{mode}");
    }
}

#[tokio::test]
async fn what_a_killed_plugin_had_started_is_gone_too() {
    let started = Plugin::start(launch()).await.unwrap();
    let grandchild = grandchild(&started).await;
    assert!(!is_gone(grandchild));
    signal(started.plugin.pid(), Signal::KILL);
    started.plugin.exited().await;
    wait_until(Duration::from_secs(1), "the grandchild is gone", || is_gone(grandchild));
}

/// A limit, and not a promise: what leaves the group is not known to the host. It can hold up nothing.
#[tokio::test]
async fn what_leaves_the_group_outlives_the_plugin_and_holds_up_nothing() {
    let started = Plugin::start(launch()).await.unwrap();
    let directory = directory(&started).await;
    let stray: u32 = lines(&started, "stray").await.concat().parse().unwrap();
    let began = Instant::now();
    let ended = started.plugin.end(Duration::from_secs(5)).await;
    assert_eq!((ended.exit, ended.killed), (Exit::Status(0), false));
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(ended.directory_removed && !directory.exists());
    assert!(!is_gone(stray), "it is not found");
    signal(stray, Signal::KILL);
    wait_until(Duration::from_secs(1), "it is gone", || is_gone(stray));
}

#[tokio::test]
async fn a_plugin_that_does_not_end_by_itself_is_killed_after_the_grace() {
    let started = Plugin::start(launch()).await.unwrap();
    let pid = started.plugin.pid();
    signal(pid, Signal::STOP);
    let grace = Duration::from_millis(300);
    let began = Instant::now();
    let ended = started.plugin.end(grace).await;
    assert!(began.elapsed() >= grace && began.elapsed() < grace + Duration::from_secs(2));
    assert_eq!((ended.exit, ended.killed), (Exit::Signal(9), true));
    assert!(ended.directory_removed && is_gone(pid));
}

#[tokio::test]
async fn a_call_that_still_runs_does_not_hold_up_the_end() {
    let started = Plugin::start(launch()).await.unwrap();
    let channel = started.channel.clone();
    let hanging = tokio::spawn(async move { ask(&channel, "hang").await });
    assert_eq!(ask(&started.channel, "echo").await.unwrap().payload, b"payload");
    let ended = started.plugin.end(Duration::from_secs(2)).await;
    assert_eq!((ended.exit, ended.killed), (Exit::Status(0), false));
    assert!(hanging.await.unwrap().is_err());
}

#[tokio::test]
async fn a_killed_plugin_fails_the_call_and_tells_its_signal_and_is_never_dialled_again() {
    let started = Plugin::start(launch()).await.unwrap();
    let (pid, directory) = (started.plugin.pid(), directory(&started).await);
    let channel = started.channel.clone();
    let hanging = tokio::spawn(async move { ask(&channel, "hang").await });
    assert_eq!(ask(&started.channel, "echo").await.unwrap().payload, b"payload");
    signal(pid, Signal::KILL);
    assert_eq!(started.plugin.exited().await, Exit::Signal(9));
    assert!(hanging.await.unwrap().is_err());
    for _ in 0..2 {
        assert!(ask(&started.channel, "echo").await.is_err());
    }
    drop(started);
    assert!(!directory.exists());
}

#[tokio::test]
async fn an_abort_is_told_as_its_signal() {
    let started = Plugin::start(launch()).await.unwrap();
    assert!(ask(&started.channel, "abort").await.is_err());
    assert_eq!(started.plugin.exited().await, Exit::Signal(6));
}

#[tokio::test]
async fn the_product_can_begin_the_end_itself() {
    let started = Plugin::start(launch()).await.unwrap();
    let _answer = ask(&started.channel, "end").await;
    assert_eq!(started.plugin.exited().await, Exit::Status(0));
}

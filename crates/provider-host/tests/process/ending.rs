//! The end of a provider: sessions first, then the process, and nothing left.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use go_plugin::Exit;
use ptah_provider_api::execute::Outcome;
use ptah_provider_host::start::start;

use crate::stage::{Stage, hurried, open, scope, units};

fn alive(pid: u32) -> bool {
    PathBuf::from(format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn the_end_closes_every_session_and_then_the_process() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    let pid = provider.pid();
    // Dropped without being closed.
    drop(open(&provider).await);
    let report = provider.end().await;
    assert_eq!((report.sessions, report.closed), (1, 1));
    assert_eq!((report.process.exit, report.process.killed), (Exit::Status(0), false));
    assert_eq!(stage.count("Close"), 1);
    assert!(!alive(pid));
}

#[tokio::test]
async fn a_session_that_was_closed_is_not_closed_again() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    open(&provider).await.close().await.unwrap();
    assert_eq!(provider.end().await.sessions, 0);
    assert_eq!(stage.count("Close"), 1);
}

#[tokio::test]
async fn a_close_that_hangs_holds_the_end_up_for_its_limit_only() {
    let stage = Stage::new();
    let provider = start(&stage.entry("hang-Close"), &hurried(Duration::from_millis(500))).await.unwrap();
    let pid = provider.pid();
    let session = open(&provider).await;
    let began = Instant::now();
    let report = provider.end().await;
    assert_eq!((report.sessions, report.closed), (1, 0));
    // The limit, the grace of the process, and room for a busy machine.
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert!(!alive(pid));
    drop(session);
}

#[tokio::test]
async fn after_the_end_a_session_sends_nothing() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    let session = open(&provider).await;
    provider.end().await;
    let executed = session.execute(&scope(), units(1), None, None).await;
    assert_eq!(executed.reply.outcome, Outcome::NotStarted);
    assert_eq!(executed.cause.unwrap().code(), "provider_ended");
    assert_eq!(stage.count("Execute"), 0);
}

#[tokio::test]
async fn a_dropped_provider_leaves_no_process() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    let pid = provider.pid();
    drop(provider);
    assert!(!alive(pid));
}

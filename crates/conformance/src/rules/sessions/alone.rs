//! What happens while a session is at work: others go on, its own calls wait, and Close interrupts.

use std::time::{Duration, Instant};

use super::start_slow;
use crate::lab::Lab;
use crate::rule::{Check, broken, ensure};

pub(super) async fn calls_on_different_sessions_run_in_parallel(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Inspect on one session while a slow unit runs on another";
    let peer = lab.start().await?;
    let (busy, idle) = (lab.open(&peer).await?, lab.open_to_read(&peer).await?);
    let running = start_slow(lab, &busy).await?;
    idle.read().await?;
    ensure(!running.0.is_finished(), SENT, "it was answered only when the slow unit was over")?;
    busy.close().await.map(drop)
}

pub(super) async fn calls_on_one_session_are_served_one_after_another(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute on a session while a slow unit runs on it";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let running = start_slow(lab, &session).await?;
    session.apply(&[&lab.create("a")], None).await?;
    let second = Instant::now();
    let first = running.0.await.ok().flatten();
    ensure(first.is_some_and(|first| first <= second), SENT, "it was answered before the slow unit was")
}

pub(super) async fn closing_interrupts_what_runs(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Close while a slow unit runs";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let running = start_slow(lab, &session).await?;
    let began = Instant::now();
    session.close().await?;
    let took = began.elapsed();
    // The sessions of a command have ten seconds to close, all together.
    ensure(took < Duration::from_secs(10), SENT, format!("an answer after {took:?}"))?;
    let ended = tokio::time::timeout(Duration::from_secs(1), running.0).await;
    ensure(ended.is_ok(), SENT, "the call that ran is not answered")
}

pub(super) async fn a_call_that_is_dropped_leaves_the_session_usable(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute of a slow unit that the host gives up, then Inspect and Close";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    start_slow(lab, &session).await?.0.abort();
    let read = tokio::time::timeout(Duration::from_mins(1), session.read()).await;
    read.unwrap_or_else(|_| Err(broken(SENT, "Inspect is not answered within a minute")))?;
    session.close().await.map(drop)
}

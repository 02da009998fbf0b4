//! What is lost: a lock that somebody takes away, and a process that dies in the middle.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use ptah_provider_api::feature::{SESSIONS_CLAIMS, SESSIONS_LOCKS, SESSIONS_TRANSACTIONS};
use ptah_provider_wire::pb;
use rustix::process::Signal;

use super::table;
use crate::lab::Lab;
use crate::message::fresh;
use crate::peer::{Peer, Session, outcome};
use crate::rule::{Check, Stop, broken, ensure, pointless, reply};

table! { "loss":
    a_lock_that_was_taken_away_is_lost [SESSIONS_LOCKS] on database =>
        "CheckLock proves ownership now, including the freshness of any lease.",
    nothing_is_executed_without_the_lock_that_was_held [SESSIONS_LOCKS] on database =>
        "Before execution, history writes and commits, the provider checks every lock that guards the session.",
    nothing_is_committed_without_the_lock_that_was_held [SESSIONS_LOCKS, SESSIONS_TRANSACTIONS] on database =>
        "Before execution, history writes and commits, the provider checks every lock that guards the session.",
    nothing_is_claimed_without_the_lock_that_was_held [SESSIONS_LOCKS, SESSIONS_CLAIMS] on database =>
        "Before execution, history writes and commits, the provider checks every lock that guards the session.",
    a_lost_lock_fences_the_session_for_good [SESSIONS_LOCKS] on database =>
        "A lost lock fences the session for good; release, rollback and close stay available.",
    a_killed_transaction_leaves_nothing [SESSIONS_TRANSACTIONS] on database =>
        "What was not committed when the process died is not in the database.",
    a_committed_transaction_outlives_the_process [SESSIONS_TRANSACTIONS] on database => "COMMITTED: it is committed.",
    a_lock_of_a_killed_process_is_free_again [SESSIONS_LOCKS] on database =>
        "Session handles, and the locks of a session, do not survive the process.",
}

/// Runs the command that takes the run lock away from its holder. It reads the address from its standard input.
fn steal(lab: &Lab<'_>) -> Check {
    const SENT: &str = "the command that takes the lock away (--steal)";
    let command = lab.target.steal.as_deref().ok_or_else(|| pointless("no command was given (--steal)"))?;
    let ours = |error: std::io::Error| broken(SENT, error.to_string());
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = shell.spawn().map_err(ours)?;
    if let Some(mut input) = child.stdin.take() {
        writeln!(input, "{}", lab.address()?).map_err(ours)?;
    }
    let status = child.wait().map_err(ours)?;
    ensure(status.success(), SENT, format!("{status}"))
}

/// A session whose lock was taken away after it was acquired; its ID.
async fn robbed<'p>(lab: &Lab<'_>, peer: &'p Peer) -> Result<(Session<'p>, String), Stop> {
    let (session, lock) = (lab.open(peer).await?, fresh());
    let receipt = session.try_lock(&lab.scope(), &lock).await?;
    let held = receipt.state() == pb::LockState::Acquired;
    ensure(held, "TryLock of a free lock", format!("{:?}", receipt.state()))?;
    Ok((session, lock))
}

async fn a_lock_that_was_taken_away_is_lost(lab: &Lab<'_>) -> Check {
    const SENT: &str = "CheckLock after the lock was taken away";
    let peer = lab.start().await?;
    let (session, lock) = robbed(lab, &peer).await?;
    steal(lab)?;
    for _ in 0..2 {
        let receipt = session.check_lock(&lab.scope(), &lock).await?;
        ensure(receipt.state() == pb::LockState::Lost, SENT, format!("{:?}", receipt.state()))?;
    }
    Ok(())
}

async fn not_started(session: &Session<'_>, texts: &[&str], transaction: Option<&str>, sent: &str) -> Check {
    let done = session.execute(texts, transaction).await?;
    ensure(done.outcome() == pb::Outcome::NotStarted && done.applied_count == 0, sent, outcome(&done))
}

async fn nothing_is_executed_without_the_lock_that_was_held(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (session, _) = robbed(lab, &peer).await?;
    steal(lab)?;
    not_started(&session, &[&lab.create("a")], None, "Execute after the lock was taken away").await
}

async fn nothing_is_committed_without_the_lock_that_was_held(lab: &Lab<'_>) -> Check {
    const SENT: &str = "CommitTransaction after the lock was taken away";
    let peer = lab.start().await?;
    let (session, _) = robbed(lab, &peer).await?;
    let transaction = session.begin().await?;
    session.apply(&[&lab.create("a")], Some(&transaction)).await?;
    steal(lab)?;
    let Ok(answer) = session.client().commit_transaction(session.ending(&transaction)).await else { return Ok(()) };
    let state = answer.into_inner().state();
    ensure(state != pb::TransactionState::Committed, SENT, format!("state {state:?}"))
}

async fn nothing_is_claimed_without_the_lock_that_was_held(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Claim after the lock was taken away";
    let peer = lab.start().await?;
    let (session, _) = robbed(lab, &peer).await?;
    steal(lab)?;
    let claim = super::claims::settlement(Some(session.key("conformance")), &fresh());
    let Ok(answer) = session.client().claim(claim).await else { return Ok(()) };
    let state = answer.into_inner().state();
    ensure(state == pb::ClaimState::NotWritten, SENT, format!("state {state:?}"))
}

async fn a_lost_lock_fences_the_session_for_good(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (session, lock) = robbed(lab, &peer).await?;
    let scope = lab.scope();
    steal(lab)?;
    not_started(&session, &[&lab.create("a")], None, "Execute after the lock was taken away").await?;
    let again = session.client().try_lock(session.lock(&scope, &fresh())).await;
    let acquired = again.is_ok_and(|receipt| receipt.into_inner().state() == pb::LockState::Acquired);
    ensure(!acquired, "TryLock with a new ID on a session that lost a lock", "ACQUIRED")?;
    not_started(&session, &[&lab.create("b")], None, "Execute on a session that lost a lock and tried again").await?;
    let released = session.release_lock(&scope, &lock).await?.state();
    let known = matches!(released, pb::LockState::Released | pb::LockState::Lost);
    ensure(known, "ReleaseLock on a session that lost it", format!("{released:?}"))?;
    not_started(&session, &[&lab.create("c")], None, "Execute after the lost lock was released").await?;
    session.close().await.map(drop)
}

/// Kills the process and waits for its end.
async fn kill(mut peer: Peer) {
    peer.process.signal(Signal::KILL);
    peer.process.ended(Duration::from_secs(2)).await;
}

async fn a_killed_transaction_leaves_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute in a transaction, SIGKILL, Inspect of a new process";
    let peer = lab.start().await?;
    let before = {
        let session = lab.open(&peer).await?;
        if !session.states("transactional_ddl") && !session.states("ddl_inside_transaction") {
            return Err(pointless("the session does not state transactional_ddl"));
        }
        let before = session.fingerprint().await?;
        let transaction = session.begin().await?;
        session.apply(&[&lab.create("a")], Some(&transaction)).await?;
        before
    };
    kill(peer).await;
    let peer = lab.start().await?;
    let after = lab.open(&peer).await?.fingerprint().await?;
    ensure(after == before, SENT, "the schema changed")
}

async fn a_committed_transaction_outlives_the_process(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute in a transaction, CommitTransaction, SIGKILL, Inspect of a new process";
    let peer = lab.start().await?;
    let before = {
        let session = lab.open(&peer).await?;
        let before = session.fingerprint().await?;
        let transaction = session.begin().await?;
        session.apply(&[&lab.create("a")], Some(&transaction)).await?;
        let receipt = reply(SENT, session.client().commit_transaction(session.ending(&transaction)).await)?;
        ensure(receipt.state() == pb::TransactionState::Committed, SENT, format!("{:?}", receipt.state()))?;
        before
    };
    kill(peer).await;
    let peer = lab.start().await?;
    let after = lab.open(&peer).await?.fingerprint().await?;
    ensure(after != before, SENT, "the schema is as before")
}

async fn a_lock_of_a_killed_process_is_free_again(lab: &Lab<'_>) -> Check {
    const SENT: &str = "TryLock of a new process, for 30 seconds after the holder was killed";
    let peer = lab.start().await?;
    robbed(lab, &peer).await?;
    kill(peer).await;
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    // A lease may have to run out.
    for _ in 0..300 {
        let receipt = session.try_lock(&lab.scope(), &fresh()).await?;
        if receipt.state() == pb::LockState::Acquired {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(broken(SENT, "it is never acquired"))
}

//! Locks: one attempt at a time, proven now or not at all; the table of lock IDs; what a lost lock means.

use std::time::{Duration, Instant};

use ptah_provider_api::feature::SESSIONS_LOCKS;
use ptah_provider_wire::pb;

use super::table;
use crate::lab::Lab;
use crate::message::fresh;
use crate::peer::Session;
use crate::rule::{Check, Stop, ensure};

table! { "locks":
    a_free_lock_is_acquired [SESSIONS_LOCKS] on database => "TryLock makes one attempt and answers ACQUIRED, BUSY or LOST.",
    a_lock_that_another_session_holds_is_busy_at_once [SESSIONS_LOCKS] on database =>
        "TryLock makes one attempt and never waits; BUSY is a confirmed refusal.",
    a_lock_receipt_echoes_scope_and_request [SESSIONS_LOCKS] on database =>
        "Every receipt echoes the scope and the request ID of its request.",
    a_lock_id_that_comes_again_gets_its_first_answer [SESSIONS_LOCKS] on database =>
        "A lock ID is used once: a second request with the same ID gets the first answer.",
    a_busy_lock_id_stays_busy [SESSIONS_LOCKS] on database =>
        "A second request with the same ID gets the first answer, and a BUSY answer lets Ptah try again with a new ID.",
    a_held_lock_is_proven [SESSIONS_LOCKS] on database => "CheckLock proves ownership now.",
    an_unknown_lock_is_lost [SESSIONS_LOCKS] on database => "CheckLock of an ID that holds nothing answers LOST.",
    release_of_an_unknown_lock_fences_it [SESSIONS_LOCKS] on database =>
        "ReleaseLock of an ID that never took the lock fences it, so a late TryLock acquires nothing.",
    release_of_a_busy_lock_fences_it [SESSIONS_LOCKS] on database =>
        "ReleaseLock of an ID that never took the lock fences it, so a late TryLock acquires nothing.",
    a_release_that_races_its_attempt_leaves_nothing_held [SESSIONS_LOCKS] on database =>
        "ReleaseLock fences the ID, and an attempt that is won late is undone.",
    a_released_lock_is_free_and_is_held_no_more [SESSIONS_LOCKS] on database =>
        "A released lock is given back; its ID answers CheckLock with LOST and ReleaseLock with RELEASED again.",
    closing_a_session_releases_its_locks [SESSIONS_LOCKS] on database => "Closing a session releases its locks.",
    a_lock_id_of_another_scope_acquires_nothing [SESSIONS_LOCKS] on database =>
        "A lock ID is used for one attempt; checking and releasing name the same.",
    a_session_that_only_reads_takes_no_lock [SESSIONS_LOCKS] on database =>
        "A provider refuses everything that the purpose does not allow.",
}

const AT_ONCE: Duration = Duration::from_secs(1);

fn state(receipt: &pb::LockReceipt) -> String {
    format!("{:?}", receipt.state())
}

/// Proves that a receipt has a state.
fn is(receipt: &pb::LockReceipt, wanted: pb::LockState, sent: &str) -> Check {
    ensure(receipt.state() == wanted, sent, format!("{}, where {wanted:?} has to come", state(receipt)))
}

/// Takes a lock that is free; its ID.
async fn take(session: &Session<'_>, scope: &str) -> Result<String, Stop> {
    let lock = fresh();
    let receipt = session.try_lock(scope, &lock).await?;
    is(&receipt, pb::LockState::Acquired, "TryLock of a free lock").map(|()| lock)
}

/// Takes a lock that is free, perhaps only a moment from now.
async fn take_soon(session: &Session<'_>, scope: &str, after: &str) -> Check {
    let by = Instant::now() + Duration::from_secs(5);
    loop {
        let receipt = session.try_lock(scope, &fresh()).await?;
        if receipt.state() == pb::LockState::Acquired {
            return Ok(());
        }
        let sent = format!("TryLock by another session after {after}");
        ensure(receipt.state() == pb::LockState::Busy && Instant::now() < by, sent, state(&receipt))?;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn a_free_lock_is_acquired(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    take(&lab.open(&peer).await?, &lab.scope()).await.map(drop)
}

async fn a_lock_that_another_session_holds_is_busy_at_once(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (one, other, scope) = (lab.open(&peer).await?, lab.open(&peer).await?, lab.scope());
    take(&one, &scope).await?;
    let began = Instant::now();
    let receipt = other.try_lock(&scope, &fresh()).await?;
    let took = began.elapsed();
    is(&receipt, pb::LockState::Busy, "TryLock of a lock that another session holds")?;
    ensure(took < AT_ONCE, "TryLock of a lock that another session holds", format!("an answer after {took:?}"))
}

async fn a_lock_receipt_echoes_scope_and_request(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (session, scope, lock) = (lab.open(&peer).await?, lab.scope(), fresh());
    let key = session.lock(&scope, &lock).key;
    let receipts = [
        ("TryLock", session.try_lock(&scope, &lock).await?),
        ("CheckLock", session.check_lock(&scope, &lock).await?),
        ("ReleaseLock", session.release_lock(&scope, &lock).await?),
    ];
    for (sent, receipt) in receipts {
        ensure(receipt.key == key, sent, "a receipt with another key")?;
        ensure(receipt.diagnostic.is_none(), sent, "a diagnostic, although it succeeded")?;
    }
    Ok(())
}

async fn a_lock_id_that_comes_again_gets_its_first_answer(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (session, scope, lock) = (lab.open(&peer).await?, lab.scope(), fresh());
    let (one, other) = tokio::join!(session.try_lock(&scope, &lock), session.try_lock(&scope, &lock));
    is(&one?, pb::LockState::Acquired, "TryLock twice at the same time with one ID")?;
    is(&other?, pb::LockState::Acquired, "TryLock twice at the same time with one ID")?;
    let again = session.try_lock(&scope, &lock).await?;
    is(&again, pb::LockState::Acquired, "TryLock again with the ID that holds the lock")?;
    session.release_lock(&scope, &lock).await?;
    let after = session.try_lock(&scope, &lock).await?;
    is(&after, pb::LockState::Acquired, "TryLock with an ID that was acquired and released")?;
    let held = session.check_lock(&scope, &lock).await?;
    is(&held, pb::LockState::Lost, "CheckLock after that")
}

async fn a_busy_lock_id_stays_busy(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (one, other, scope) = (lab.open(&peer).await?, lab.open(&peer).await?, lab.scope());
    let held = take(&one, &scope).await?;
    let busy = fresh();
    is(&other.try_lock(&scope, &busy).await?, pb::LockState::Busy, "TryLock of a held lock")?;
    one.release_lock(&scope, &held).await?;
    let again = other.try_lock(&scope, &busy).await?;
    is(&again, pb::LockState::Busy, "TryLock with the ID that was busy, after the lock became free")?;
    is(&other.check_lock(&scope, &busy).await?, pb::LockState::Lost, "CheckLock of an ID that was busy")?;
    take_soon(&other, &scope, "its release, with a new ID").await
}

async fn a_held_lock_is_proven(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (session, scope) = (lab.open(&peer).await?, lab.scope());
    let lock = take(&session, &scope).await?;
    for _ in 0..3 {
        is(&session.check_lock(&scope, &lock).await?, pb::LockState::Acquired, "CheckLock of a held lock")?;
    }
    Ok(())
}

async fn an_unknown_lock_is_lost(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (session, scope) = (lab.open(&peer).await?, lab.scope());
    is(&session.check_lock(&scope, &fresh()).await?, pb::LockState::Lost, "CheckLock of an ID that never came")?;
    // That is no loss: the session goes on.
    take(&session, &scope).await.map(drop)
}

async fn release_of_an_unknown_lock_fences_it(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (session, scope, lock) = (lab.open(&peer).await?, lab.scope(), fresh());
    let released = session.release_lock(&scope, &lock).await?;
    is(&released, pb::LockState::Released, "ReleaseLock of an ID that never came")?;
    let late = session.try_lock(&scope, &lock).await?;
    is(&late, pb::LockState::Lost, "TryLock with an ID that was released before")?;
    take_soon(&lab.open(&peer).await?, &scope, "a TryLock that was fenced").await
}

async fn release_of_a_busy_lock_fences_it(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (one, other, scope) = (lab.open(&peer).await?, lab.open(&peer).await?, lab.scope());
    let held = take(&one, &scope).await?;
    let busy = fresh();
    is(&other.try_lock(&scope, &busy).await?, pb::LockState::Busy, "TryLock of a held lock")?;
    is(&other.release_lock(&scope, &busy).await?, pb::LockState::Released, "ReleaseLock of an ID that was busy")?;
    one.release_lock(&scope, &held).await?;
    let late = other.try_lock(&scope, &busy).await?;
    is(&late, pb::LockState::Lost, "TryLock with an ID that was busy and released")?;
    is(&one.check_lock(&scope, &held).await?, pb::LockState::Lost, "CheckLock of a lock that was given back")
}

async fn a_release_that_races_its_attempt_leaves_nothing_held(lab: &Lab<'_>) -> Check {
    const SENT: &str = "TryLock and ReleaseLock at the same time with one ID";
    let peer = lab.start().await?;
    let (session, other, scope) = (lab.open(&peer).await?, lab.open(&peer).await?, lab.scope());
    for _ in 0..100 {
        let lock = fresh();
        let (tried, released) = tokio::join!(session.try_lock(&scope, &lock), session.release_lock(&scope, &lock));
        let (tried, released) = (tried?, released?);
        is(&released, pb::LockState::Released, SENT)?;
        let told = matches!(tried.state(), pb::LockState::Acquired | pb::LockState::Lost);
        ensure(told, SENT, format!("TryLock answers {}", state(&tried)))?;
        is(&session.check_lock(&scope, &lock).await?, pb::LockState::Lost, SENT)?;
    }
    take_soon(&other, &scope, "a hundred attempts that were released while they ran").await
}

async fn a_released_lock_is_free_and_is_held_no_more(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (one, other, scope) = (lab.open(&peer).await?, lab.open(&peer).await?, lab.scope());
    let lock = take(&one, &scope).await?;
    is(&one.release_lock(&scope, &lock).await?, pb::LockState::Released, "ReleaseLock of a held lock")?;
    is(&one.release_lock(&scope, &lock).await?, pb::LockState::Released, "ReleaseLock again")?;
    is(&one.check_lock(&scope, &lock).await?, pb::LockState::Lost, "CheckLock of a released lock")?;
    take_soon(&other, &scope, "ReleaseLock").await
}

async fn closing_a_session_releases_its_locks(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (one, other, scope) = (lab.open(&peer).await?, lab.open(&peer).await?, lab.scope());
    take(&one, &scope).await?;
    one.close().await?;
    let receipt = other.try_lock(&scope, &fresh()).await?;
    is(&receipt, pb::LockState::Acquired, "TryLock after the holder's Close was answered")
}

async fn a_lock_id_of_another_scope_acquires_nothing(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (session, scope) = (lab.open(&peer).await?, lab.scope());
    let lock = take(&session, &scope).await?;
    let answer = session.client().try_lock(session.lock("another scope", &lock)).await;
    let acquired = answer.is_ok_and(|receipt| receipt.into_inner().state() == pb::LockState::Acquired);
    ensure(!acquired, "TryLock with the ID of another scope's lock", "ACQUIRED")
}

async fn a_session_that_only_reads_takes_no_lock(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    lab.open(&peer).await?.close().await?;
    let session = lab.open_to_read(&peer).await?;
    let answer = session.client().try_lock(session.lock(&lab.scope(), &fresh())).await;
    let acquired = answer.is_ok_and(|receipt| receipt.into_inner().state() == pb::LockState::Acquired);
    ensure(!acquired, "TryLock on a session that was opened to read", "ACQUIRED")
}

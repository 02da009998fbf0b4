//! Locks: proven now or not at all, and lost for good.

use std::sync::Arc;

use ptah_provider_api::claim::ClaimState;
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::key::SessionId;
use ptah_provider_api::lock::LockState;
use ptah_provider_api::transaction::TransactionState;
use tonic::Code;

use crate::host::{Host, said};

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_keeps_a_second_session_out_until_it_is_released() {
    let host = Host::start().await;
    let (first, second) = (host.open().await, host.open().await);
    let (held, busy, later) =
        (Host::lock(&first, "a", "ptah"), Host::lock(&second, "b", "ptah"), Host::lock(&second, "c", "ptah"));
    assert_eq!(host.try_lock(&held).await.unwrap().state, LockState::Acquired);
    let receipt = host.try_lock(&busy).await.unwrap();
    assert_eq!(receipt.state, LockState::Busy);
    assert_eq!(receipt.diagnostic.as_deref(), Some("another zorp holds it"));
    assert_eq!(host.release_lock(&held).await.unwrap().state, LockState::Released);
    assert_eq!(host.try_lock(&busy).await.unwrap().state, LockState::Busy, "the first answer, from no new attempt");
    assert_eq!(host.world.times("try b"), 1);
    assert_eq!(host.try_lock(&later).await.unwrap().state, LockState::Acquired);
}

#[tokio::test(flavor = "multi_thread")]
async fn release_of_an_unknown_lock_fences_it() {
    let host = Host::start().await;
    let session = host.open().await;
    let lock = Host::lock(&session, "a", "ptah");
    assert_eq!(host.release_lock(&lock).await.unwrap().state, LockState::Released);
    assert_eq!(host.try_lock(&lock).await.unwrap().state, LockState::Lost);
    assert_eq!(host.world.times("try a"), 0);
    assert_eq!(host.world.holder("ptah"), None);
}

/// A release while the attempt runs; answers what the attempt said. Whichever came first, nothing is held in the end.
async fn release_against_attempt(host: &Arc<Host>, session: &SessionId, round: usize) -> LockState {
    let lock = Host::lock(session, &format!("a{round}"), &format!("wait:win{round}"));
    let attempt = tokio::spawn({
        let (host, lock) = (Arc::clone(host), lock.clone());
        async move { host.try_lock(&lock).await.unwrap() }
    });
    host.world.until(&format!("waiting win{round}"));
    let release = tokio::spawn({
        let (host, lock) = (Arc::clone(host), lock.clone());
        async move { host.release_lock(&lock).await.unwrap() }
    });
    host.analyze("x").await.unwrap();
    host.world.go(&format!("win{round}"));
    assert_eq!(release.await.unwrap().state, LockState::Released);
    let said = attempt.await.unwrap().state;
    assert_eq!(host.try_lock(&lock).await.unwrap().state, said, "the first answer again");
    assert_eq!(host.world.holder(&format!("wait:win{round}")), None);
    assert_eq!(host.world.times(&format!("release a{round}")), 1);
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn release_of_a_pending_lock_undoes_a_late_win() {
    let host = Arc::new(Host::start().await);
    let session = host.open().await;
    // The release comes first almost always; the transport may turn the two around.
    for round in 0..50 {
        if release_against_attempt(&host, &session, round).await == LockState::Lost {
            return;
        }
    }
    panic!("a late win was never undone");
}

#[tokio::test(flavor = "multi_thread")]
async fn release_is_answered_while_another_call_runs() {
    let host = Arc::new(Host::start().await);
    let session = host.open().await;
    let running = tokio::spawn({
        let (host, session) = (Arc::clone(&host), session.clone());
        async move { host.execute(&session, &["wait:a"]).await }
    });
    host.world.until("waiting a");
    let lock = Host::lock(&session, "a", "ptah");
    assert_eq!(host.release_lock(&lock).await.unwrap().state, LockState::Released);
    host.world.go("a");
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_whose_effect_is_unclear_is_lost_and_undone() {
    let host = Host::start().await;
    let session = host.open().await;
    let lock = Host::lock(&session, "a", "unclear");
    let receipt = host.try_lock(&lock).await.unwrap();
    assert_eq!(receipt.state, LockState::Lost);
    assert_eq!(host.world.holder("unclear"), None);
    assert_eq!(host.execute(&session, &["x"]).await.unwrap().outcome, Outcome::Applied, "nothing guarded it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_asks_the_server_and_believes_no_earlier_receipt() {
    let host = Host::start().await;
    let session = host.open().await;
    let lock = Host::lock(&session, "a", "ptah");
    assert_eq!(host.check_lock(&lock).await.unwrap().state, LockState::Lost, "it was never taken");
    host.try_lock(&lock).await.unwrap();
    assert_eq!(host.check_lock(&lock).await.unwrap().state, LockState::Acquired);
    host.world.steal("ptah");
    assert_eq!(host.check_lock(&lock).await.unwrap().state, LockState::Lost);
    assert_eq!(host.try_lock(&lock).await.unwrap().state, LockState::Lost);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_guard_is_checked_before_each_effect() {
    let host = Host::start().await;
    let session = host.open().await;
    for (id, scope) in [("a", "one"), ("b", "two")] {
        host.try_lock(&Host::lock(&session, id, scope)).await.unwrap();
    }
    let check = |times: usize| {
        assert_eq!((host.world.times("check a"), host.world.times("check b")), (times, times));
    };
    host.execute(&session, &["x"]).await.unwrap();
    check(1);
    host.intend(&session).await.unwrap();
    check(2);
    let begun = host.begin(&session).await.unwrap();
    check(3);
    host.commit(&session, &begun.transaction).await.unwrap();
    check(4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_lock_fences_the_session_for_good() {
    let host = Host::start().await;
    let session = host.open().await;
    let (kept, lost) = (Host::lock(&session, "a", "one"), Host::lock(&session, "b", "two"));
    host.try_lock(&kept).await.unwrap();
    host.try_lock(&lost).await.unwrap();
    let open = host.begin(&session).await.unwrap().transaction;
    host.world.steal("two");

    let executed = host.execute(&session, &["x"]).await.unwrap();
    assert_eq!((executed.outcome, executed.applied_count), (Outcome::NotStarted, 0));
    assert_eq!(executed.diagnostic.as_deref(), Some("a lock that guards the session was lost"));
    assert_eq!(host.begin(&session).await.unwrap().state, TransactionState::NotStarted);
    assert_eq!(host.intend(&session).await.unwrap().state, ClaimState::NotWritten);
    let committed = host.commit(&session, &open).await.unwrap();
    assert_eq!(committed.state, TransactionState::RolledBack);
    assert_eq!(committed.diagnostic.as_deref(), Some("a lock that guards the session was lost"));
    assert_eq!(host.inspect(&session, false).await.unwrap_err().code(), Code::FailedPrecondition);
    let again = Host::lock(&session, "c", "three");
    assert_eq!(host.try_lock(&again).await.unwrap().state, LockState::Lost);

    for entry in ["execute x", "claim", "commit", "inspect", "try c"] {
        assert_eq!(host.world.times(entry), 0, "{entry}");
    }
    assert_eq!(host.world.times("rollback"), 1);
    assert_eq!(host.release_lock(&kept).await.unwrap().state, LockState::Released);
    assert_eq!(host.release_lock(&lost).await.unwrap().state, LockState::Released);
    assert_eq!(host.rollback(&session, &open).await.unwrap().state, TransactionState::RolledBack);
    host.close(&session).await.unwrap();
    assert_eq!(host.world.times("close"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn losing_either_of_two_locks_fences_the_session() {
    for stolen in ["one", "two"] {
        let host = Host::start().await;
        let session = host.open().await;
        for (id, scope) in [("a", "one"), ("b", "two")] {
            host.try_lock(&Host::lock(&session, id, scope)).await.unwrap();
        }
        host.execute(&session, &["before"]).await.unwrap();
        host.world.steal(stolen);
        let executed = host.execute(&session, &["after"]).await.unwrap();
        assert_eq!(executed.outcome, Outcome::NotStarted, "{stolen}");
        assert_eq!((host.world.times("execute before"), host.world.times("execute after")), (1, 0), "{stolen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_is_gone_at_its_release_fences_the_session() {
    let host = Host::start().await;
    let session = host.open().await;
    let lock = Host::lock(&session, "a", "ptah");
    host.try_lock(&lock).await.unwrap();
    host.world.steal("ptah");
    assert_eq!(host.release_lock(&lock).await.unwrap().state, LockState::Lost);
    assert_eq!(host.execute(&session, &["x"]).await.unwrap().outcome, Outcome::NotStarted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_id_of_another_scope_is_refused() {
    let host = Host::start().await;
    let session = host.open().await;
    host.try_lock(&Host::lock(&session, "a", "one")).await.unwrap();
    let other = host.try_lock(&Host::lock(&session, "a", "two")).await.unwrap_err();
    assert_eq!(said(&other).0, Code::InvalidArgument);
}

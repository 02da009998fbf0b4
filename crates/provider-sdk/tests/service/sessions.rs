//! Sessions: opened, told apart, closed.

use std::collections::BTreeSet;
use std::sync::Arc;

use ptah_provider_api::lock::LockState;
use ptah_provider_api::reason::MALFORMED_REASON;
use ptah_provider_api::session::Purpose;
use ptah_provider_wire::OnWire;
use tonic::Code;

use crate::host::{Host, said};

#[tokio::test(flavor = "multi_thread")]
async fn session_handles_are_random_and_never_the_same() {
    let host = Host::start().await;
    let mut seen = BTreeSet::new();
    for _ in 0..8 {
        let request = host.open_request(Purpose::Read, &[]);
        let session = host.try_open(request.clone()).await.unwrap();
        session.validate_for(&request).unwrap();
        assert_eq!(session.session.as_str().len(), 64);
        assert!(seen.insert(session.session));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_note_is_replaced() {
    let host = Host::start().await;
    let session = host.try_open(host.open_request(Purpose::Read, &[])).await.unwrap();
    assert_eq!(session.notes, [MALFORMED_REASON]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_that_fails_or_panics_leaves_no_session() {
    let host = Host::start().await;
    let refused = host.try_open(host.open_request(Purpose::Read, &["refuse"])).await.unwrap_err();
    assert_eq!(said(&refused), (Code::Unavailable, "the server is not there".to_owned()));
    let panicked = host.try_open(host.open_request(Purpose::Read, &["panic"])).await.unwrap_err();
    assert_eq!(said(&panicked).0, Code::Internal);
    assert_eq!(host.world.times("close"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_that_nobody_waits_for_is_closed_again() {
    let host = Host::start().await;
    let mut client = host.client();
    let request = host.open_request(Purpose::Read, &["wait"]).to_wire();
    let call = tokio::spawn(async move { client.open(request).await });
    host.world.until("waiting open");
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    // The call is dropped on the other side once a request that came after it is answered; only then may it go on.
    for _ in 0..3 {
        host.analyze("x").await.unwrap();
    }
    host.world.go("open");
    host.world.until("close");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_created_only_for_an_apply() {
    let host = Host::start().await;
    let mut request = host.open_request(Purpose::Read, &[]);
    request.create = true;
    assert_eq!(host.try_open(request).await.unwrap_err().code(), Code::InvalidArgument);
    assert!(host.world.journal().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_above_twenty_seconds_is_refused() {
    let host = Host::start().await;
    let mut request = host.open_request(Purpose::Read, &[]);
    request.lock_timeout_ms = 20_001;
    let (code, reason) = said(&host.try_open(request.clone()).await.unwrap_err());
    assert_eq!(code, Code::InvalidArgument);
    assert!(reason.contains("20001"), "{reason}");
    request.lock_timeout_ms = 20_000;
    assert!(host.try_open(request).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_session_is_not_found_and_closing_again_is_fine() {
    let host = Host::start().await;
    let session = host.open().await;
    host.close(&session).await.unwrap();
    host.close(&session).await.unwrap();
    assert_eq!(host.world.times("close"), 1);
    assert_eq!(said(&host.execute(&session, &["a"]).await.unwrap_err()).0, Code::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn close_releases_the_locks_of_the_session() {
    let host = Host::start().await;
    let (first, second) = (host.open().await, host.open().await);
    host.try_lock(&Host::lock(&first, "a", "ptah")).await.unwrap();
    host.close(&first).await.unwrap();
    let taken = host.try_lock(&Host::lock(&second, "b", "ptah")).await.unwrap();
    assert_eq!(taken.state, LockState::Acquired);
}

#[tokio::test(flavor = "multi_thread")]
async fn close_interrupts_a_running_call_and_what_waits_is_not_started() {
    let host = Arc::new(Host::start().await);
    let session = host.open().await;
    let call = |text: &'static str| {
        let (host, session) = (Arc::clone(&host), session.clone());
        tokio::spawn(async move { host.execute(&session, &[text]).await })
    };
    let running = call("wait:never");
    host.world.until("waiting never");
    let waiting = call("b");
    host.close(&session).await.unwrap();
    let journal = host.world.journal();
    let at = |entry: &str| journal.iter().position(|e| e == entry).expect(entry);
    assert!(at("interrupt") < at("close"), "{journal:?}");
    assert!(running.await.unwrap().is_ok());
    drop(waiting.await.unwrap());
    assert_eq!(host.world.times("execute b"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_close_closes_all_the_same() {
    let host = Host::start().await;
    let session = host.open().await;
    let running = host.execute_request(&session, &["wait:never"]).to_wire();
    let mut client = host.client();
    let execute = tokio::spawn(async move { client.execute(running).await });
    host.world.until("waiting never");
    let mut client = host.client();
    let request = ptah_provider_api::session::CloseRequest { session: session.clone(), request: host.id() }.to_wire();
    let close = tokio::spawn(async move { client.close(request).await });
    // The close has arrived when the session is no longer there. A release of a new lock waits for nothing.
    loop {
        let lock = Host::lock(&session, host.id().as_str(), "ptah");
        match host.release_lock(&lock).await {
            Ok(_) => tokio::task::yield_now().await,
            Err(status) => break assert_eq!(status.code(), Code::NotFound),
        }
    }
    assert_eq!(host.world.times("close"), 0);
    close.abort();
    host.world.until("close");
    drop(execute.await);
}

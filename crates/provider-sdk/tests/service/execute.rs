//! Execute: at most once, and what is known is said.

use std::sync::Arc;

use ptah_provider_api::execute::Outcome;
use ptah_provider_api::session::Purpose;
use ptah_provider_wire::OnWire;
use tonic::Code;

use crate::host::{Host, said};

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_id_is_not_executed_again() {
    let host = Host::start().await;
    let session = host.open().await;
    let request = host.execute_request(&session, &["a"]);
    assert_eq!(host.send(request.clone()).await.unwrap().outcome, Outcome::Applied);
    let again = host.send(request).await.unwrap_err();
    assert_eq!(said(&again).0, Code::AlreadyExists);
    assert_eq!(host.world.times("execute a"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_id_is_refused_while_the_first_still_runs() {
    let host = Arc::new(Host::start().await);
    let session = host.open().await;
    let request = host.execute_request(&session, &["wait:a"]);
    let first = tokio::spawn({
        let (host, request) = (Arc::clone(&host), request.clone());
        async move { host.send(request).await }
    });
    host.world.until("waiting a");
    assert_eq!(host.send(request).await.unwrap_err().code(), Code::AlreadyExists);
    host.world.go("a");
    assert_eq!(first.await.unwrap().unwrap().outcome, Outcome::Applied);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_id_of_another_call_is_spent_too() {
    let host = Host::start().await;
    let session = host.open().await;
    let request = host.execute_request(&session, &["a"]);
    host.send(request.clone()).await.unwrap();
    let lock = Host::lock(&session, request.key.request.as_str(), "ptah");
    assert_eq!(host.try_lock(&lock).await.unwrap_err().code(), Code::AlreadyExists);
    host.try_lock(&Host::lock(&session, "l", "ptah")).await.unwrap();
    let mut with_lock_id = host.execute_request(&session, &["b"]);
    with_lock_id.key = Host::lock(&session, "l", "ptah").key;
    assert_eq!(host.send(with_lock_id).await.unwrap_err().code(), Code::AlreadyExists);
    assert_eq!(host.world.times("execute b"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_call_does_not_drop_its_work() {
    let host = Host::start().await;
    let session = host.open().await;
    let mut client = host.client();
    let request = host.execute_request(&session, &["wait:a", "b"]).to_wire();
    let call = tokio::spawn(async move { client.execute(request).await });
    host.world.until("waiting a");
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    host.world.go("a");
    host.world.until("executed b");
    assert_eq!(host.execute(&session, &["c"]).await.unwrap().outcome, Outcome::Applied);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_call_on_one_session_does_not_delay_another() {
    let host = Arc::new(Host::start().await);
    let (slow, fast) = (host.open().await, host.open().await);
    let running = tokio::spawn({
        let (host, slow) = (Arc::clone(&host), slow.clone());
        async move { host.execute(&slow, &["wait:a"]).await }
    });
    host.world.until("waiting a");
    assert_eq!(host.execute(&fast, &["b"]).await.unwrap().outcome, Outcome::Applied);
    host.analyze("x").await.unwrap();
    assert_eq!(host.world.times("executed wait:a"), 0);
    host.world.go("a");
    assert_eq!(running.await.unwrap().unwrap().outcome, Outcome::Applied);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_on_one_session_are_served_one_after_another() {
    let host = Arc::new(Host::start().await);
    let session = host.open().await;
    let call = |text: &'static str| {
        let (host, session) = (Arc::clone(&host), session.clone());
        tokio::spawn(async move { host.execute(&session, &[text]).await.unwrap() })
    };
    let first = call("wait:a");
    host.world.until("waiting a");
    let second = call("b");
    host.world.go("a");
    first.await.unwrap();
    second.await.unwrap();
    let journal = host.world.journal();
    let at = |entry: &str| journal.iter().position(|e| e == entry).unwrap();
    assert!(at("executed wait:a") < at("execute b"), "{journal:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_unit_reports_the_confirmed_prefix() {
    let host = Host::start().await;
    let session = host.open().await;
    let reply = host.execute(&session, &["a", "b", "fail", "c"]).await.unwrap();
    assert_eq!((reply.outcome, reply.applied_count), (Outcome::Partial, 2));
    assert_eq!(reply.engine_code.as_deref(), Some("ZORP_1"));
    assert_eq!(reply.diagnostic.as_deref(), Some("the zorp is not zorpable"));
    assert_eq!(host.world.times("execute c"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_contradicts_itself_is_internal_and_fences_the_session() {
    let host = Host::start().await;
    let session = host.open().await;
    let (code, reason) = said(&host.execute(&session, &["lie"]).await.unwrap_err());
    assert_eq!(code, Code::Internal);
    assert!(reason.contains("ExecuteReply.applied_count"), "{reason}");
    assert_eq!(host.execute(&session, &["a"]).await.unwrap().outcome, Outcome::NotStarted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_internal_and_the_process_goes_on() {
    let host = Host::start().await;
    let (broken, sound) = (host.open().await, host.open().await);
    let status = host.execute(&broken, &["panic"]).await.unwrap_err();
    assert_eq!(said(&status).0, Code::Internal);
    let fenced = host.execute(&broken, &["a"]).await.unwrap();
    assert_eq!((fenced.outcome, fenced.applied_count), (Outcome::NotStarted, 0));
    assert_eq!(host.execute(&sound, &["b"]).await.unwrap().outcome, Outcome::Applied);
    assert_eq!(said(&host.analyze("panic").await.unwrap_err()).0, Code::Internal);
    assert!(host.analyze("x").await.is_ok());
    host.close(&broken).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_units_are_an_invalid_request_and_nothing_is_executed() {
    let host = Host::start().await;
    let session = host.open().await;
    let status = host.execute(&session, &[]).await.unwrap_err();
    assert_eq!(said(&status).0, Code::InvalidArgument);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_opened_to_read_changes_nothing() {
    let host = Host::start().await;
    let session = host.try_open(host.open_request(Purpose::Read, &[])).await.unwrap().session;
    assert_eq!(host.execute(&session, &["a"]).await.unwrap().outcome, Outcome::NotStarted);
    let begin = host.begin(&session).await.unwrap();
    assert_eq!(begin.state, ptah_provider_api::transaction::TransactionState::NotStarted);
    assert_eq!(host.intend(&session).await.unwrap().state, ptah_provider_api::claim::ClaimState::NotWritten);
    let lock = host.try_lock(&Host::lock(&session, "l", "ptah")).await.unwrap_err();
    assert_eq!(lock.code(), Code::FailedPrecondition);
    assert!(host.inspect(&session, false).await.is_ok());
    assert_eq!(host.world.journal(), ["open", "inspect"]);
}

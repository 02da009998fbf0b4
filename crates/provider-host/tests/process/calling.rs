//! Calls that change nothing: gates, sizes, deadlines, statuses, and what is believed of a reply.

use std::time::{Duration, Instant};

use ptah_model::SnapshotId;
use ptah_provider_api::contract::{LARGE_MESSAGE_LIMIT, MESSAGE_LIMIT};
use ptah_provider_api::feature::SESSIONS_LOCKS;
use ptah_provider_api::key::SessionId;
use ptah_provider_api::plan::SnapshotRef;
use ptah_provider_api::render::RenderRequest;
use ptah_provider_host::start::start;
use ptah_provider_host::{Answer, Call, HostError, Provider, Session};

use crate::stage::{Stage, assert_free_of_secrets, engine, hurried, open, opening, scope};

async fn render(provider: &Provider) -> HostError {
    let session = SessionId::new("s").unwrap();
    let snapshot = SnapshotRef { session, snapshot: SnapshotId::new("x").unwrap() };
    let error = provider.render(RenderRequest { engine: engine(), snapshot }).await.unwrap_err();
    assert_free_of_secrets(&error);
    assert_eq!(error.code(), "provider_call_failed");
    error
}

#[tokio::test]
async fn a_reason_is_shown_exactly_when_both_sides_listed_it() {
    let told = async |modes: &str| render(&Stage::new().start(modes).await).await.to_string();
    assert_eq!(
        told("reason").await,
        "provider render failed (InvalidArgument): the tutorial engine stores the column types INTEGER, TEXT, REAL \
         and BLOB only"
    );
    assert_eq!(told("").await, "provider render failed (InvalidArgument)");
    assert_eq!(told("reason,without-errors.reasons").await, "provider render failed (InvalidArgument)");
}

#[tokio::test]
async fn the_message_of_a_status_is_never_shown() {
    let provider = Stage::new().start("secret-Open").await;
    let error = provider.open(opening()).await.unwrap_err();
    assert_free_of_secrets(&error);
    assert_eq!(error.to_string(), "provider open failed (InvalidArgument)");
}

#[tokio::test]
async fn a_call_that_is_not_offered_is_refused_and_not_sent() {
    for mode in ["without-sessions.locks", "engine-without-locks", "session-without-locks"] {
        let stage = Stage::new();
        let provider = stage.start(mode).await;
        let session = open(&provider).await;
        assert!(!session.offers(SESSIONS_LOCKS), "{mode}");
        let answer = session.try_lock(&session.lock(&scope())).await;
        let Answer::NotSent(error) = answer else { panic!("{mode}: {answer:?}") };
        assert_eq!(error.code(), "provider_feature_missing");
        assert_eq!(stage.count("TryLock"), 0, "{mode}");
    }
}

#[tokio::test]
async fn what_work_needs_is_asked_before_it_begins_and_the_first_that_is_missing_is_named() {
    let stage = Stage::new();
    let provider = stage.start("without-sessions.claims,without-dev.provision").await;
    let session = open(&provider).await;
    assert!(session.require(&[Call::TryLock, Call::Execute]).is_ok());
    let error = session.require(&[Call::TryLock, Call::Claim, Call::ProvisionDev]).unwrap_err();
    assert_eq!(error.to_string(), "provider claim is not available: engine `zorp` does not offer sessions.claims");
    assert_eq!(stage.count("Claim"), 0);
}

/// What a query is answered that asks for a reply of `size` bytes.
async fn rows(session: &Session, size: usize) -> Result<usize, HostError> {
    let reply = session.query_rows(size.to_string(), None, 10).await?;
    Ok(reply.rows.len())
}

#[tokio::test]
async fn a_reply_of_exactly_the_limit_passes_and_one_byte_more_is_refused() {
    let check = async |modes: &str, limit: usize| {
        let provider = Stage::new().start(modes).await;
        let session = open(&provider).await;
        assert_eq!(rows(&session, limit).await.unwrap(), 1, "{modes}");
        let error = rows(&session, limit + 1).await.unwrap_err();
        let expected = format!("the reply of provider query has {} bytes, and the limit is {limit}", limit + 1);
        assert_eq!(error.to_string(), expected, "{modes}");
        assert_eq!(rows(&session, 100).await.unwrap(), 1, "the connection survives");
    };
    check("", MESSAGE_LIMIT).await;
    check("large", LARGE_MESSAGE_LIMIT).await;
}

#[tokio::test]
async fn a_request_of_exactly_the_limit_passes_and_one_byte_more_is_not_sent() {
    let provider = Stage::new().start("").await;
    let session = open(&provider).await;
    // Session, limit and the query's own key and length take the rest of the message.
    let around = session.facts().session.as_str().len() + 2 + 2 + 5;
    let query = |size: usize| " ".repeat(size - around);
    session.query_rows(query(MESSAGE_LIMIT), None, 10).await.unwrap();
    let error = session.query_rows(query(MESSAGE_LIMIT + 1), None, 10).await.unwrap_err();
    assert_eq!(error.to_string(), "the request of provider query has 4194305 bytes, and the limit is 4194304");
    session.query_rows("1", None, 1).await.unwrap_err();
    rows(&session, 100).await.unwrap();
}

#[tokio::test]
async fn a_call_that_hangs_ends_at_its_deadline_and_one_that_grows_with_the_schema_does_not() {
    let stage = Stage::new();
    let options = hurried(Duration::from_millis(600));
    let provider = start(&stage.entry("hang-CheckLock,hang-Plan"), &options).await.unwrap();
    let session = open(&provider).await;
    let began = Instant::now();
    let answer = session.check_lock(&session.lock(&scope())).await;
    let Answer::Lost(error) = answer else { panic!("{answer:?}") };
    assert_eq!(error.code(), "provider_call_timeout");
    assert_eq!(error.to_string(), "provider lock check did not answer within 600ms");
    assert!(began.elapsed() >= Duration::from_millis(600));
    let snapshot = || SnapshotRef { session: session.facts().session.clone(), snapshot: SnapshotId::new("x").unwrap() };
    let (current, desired) = (snapshot(), snapshot());
    let plan = ptah_provider_api::plan::PlanRequest { engine: engine(), current, desired, changes: Vec::new() };
    let waited = tokio::time::timeout(Duration::from_millis(1200), provider.plan(plan)).await;
    assert!(waited.is_err(), "it runs until the caller stops waiting: {waited:?}");
}

#[tokio::test]
async fn a_stream_without_an_end_is_no_reading() {
    let provider = Stage::new().start("cut-inspect").await;
    let error = open(&provider).await.inspect(Duration::ZERO, false).await.unwrap_err();
    assert_eq!(error.code(), "provider_reply_invalid");
}

#[tokio::test]
async fn a_session_of_another_engine_without_rules_for_names_or_with_more_than_its_engine_is_refused() {
    let refuse = async |mode: &str, code: &str| {
        let provider = Stage::new().start(mode).await;
        assert_eq!(provider.open(opening()).await.unwrap_err().code(), code);
    };
    refuse("other-session", "provider_reply_invalid").await;
    refuse("session-without-rules", "provider_identifier_rule").await;
    refuse("session-with-more", "provider_reply_invalid").await;
}

#[tokio::test]
async fn a_malformed_note_is_replaced() {
    let provider = Stage::new().start("").await;
    let session = open(&provider).await;
    assert_eq!(session.facts().notes, ["the provider's reason is malformed and not shown", "a note"]);
}

#[tokio::test]
async fn a_reply_that_would_fill_the_memory_is_not_decoded() {
    let stage = Stage::new();
    let provider = stage.start("bomb").await;
    let session = open(&provider).await;
    let error = session.read_claims(10).await.unwrap_err();
    assert_eq!(error.code(), "provider_reply_invalid");
    assert_eq!(rows(&session, 100).await.unwrap(), 1, "the connection survives");
}

#[tokio::test]
async fn the_calls_of_a_session_are_answered_while_another_one_hangs() {
    let provider = Stage::new().start("hang-Inspect").await;
    let (slow, quick) = (open(&provider).await, open(&provider).await);
    let hanging = slow.inspect(Duration::ZERO, true);
    tokio::select! {
        reading = hanging => panic!("{reading:?}"),
        rows = rows(&quick, 100) => assert_eq!(rows.unwrap(), 1),
    }
}

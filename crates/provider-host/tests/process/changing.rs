//! Calls that change something: once, with an answer that tells *not sent* from *lost*.

use std::time::Duration;

use ptah_model::{Digest, Fingerprint, OperationId, SchemaModel};
use ptah_provider_api::claim::{Adoption, ClaimPhase, ClaimState};
use ptah_provider_api::execute::{Outcome, TransactionId};
use ptah_provider_api::lock::LockState;
use ptah_provider_api::reason::MALFORMED_REASON;
use ptah_provider_api::step::Unit;
use ptah_provider_api::transaction::TransactionState;
use ptah_provider_host::start::start;
use ptah_provider_host::{Answer, Begin, Claim, Executed, HostError};

use crate::stage::{Stage, assert_free_of_secrets, hurried, open, scope, units};

fn begin() -> Begin {
    Begin { settings: Vec::new(), expect_state: None, expect_claim: None, lock_timeout: Duration::ZERO }
}

fn intent() -> Claim {
    let state = Fingerprint::of(&SchemaModel::default());
    let phase = ClaimPhase::Intend { segment: 0, segments: 1, transactional: true, before: state, after: state };
    let operation = OperationId::new("op").unwrap();
    Claim { operation, plan: Digest::of(b"plan"), phase, transaction: None, at_us: 0 }
}

fn reply<T: std::fmt::Debug>(answer: Answer<T>) -> T {
    match answer {
        Answer::Reply(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn lost<T: std::fmt::Debug>(answer: Answer<T>) -> HostError {
    match answer {
        Answer::Lost(error) => {
            assert_free_of_secrets(&error);
            error
        }
        other => panic!("{other:?}"),
    }
}

async fn execute(stage: &Stage, modes: &str) -> Executed {
    let provider = stage.start(modes).await;
    let executed = open(&provider).await.execute(&scope(), units(2), None, None).await;
    if let Some(cause) = &executed.cause {
        assert_free_of_secrets(cause);
    }
    executed
}

#[tokio::test]
async fn every_changing_call_is_answered_by_its_own_receipt() {
    let provider = Stage::new().start("").await;
    let session = open(&provider).await;
    let lock = session.lock(&scope());
    assert_eq!(reply(session.try_lock(&lock).await).state, LockState::Acquired);
    assert_eq!(reply(session.check_lock(&lock).await).state, LockState::Acquired);
    assert_eq!(reply(session.claim(&scope(), intent()).await).state, ClaimState::Intended);
    let begun = reply(session.begin(&scope(), begin()).await);
    let executed = session.execute(&scope(), units(3), Some(&begun.transaction), None).await;
    assert_eq!((executed.reply.outcome, executed.reply.applied_count), (Outcome::Applied, 3));
    assert!(executed.cause.is_none());
    let committed = reply(session.commit(&scope(), &begun.transaction, Duration::ZERO).await);
    assert_eq!(committed.state, TransactionState::Committed);
    let undone = reply(session.rollback(&scope(), &begun.transaction).await);
    assert_eq!(undone.state, TransactionState::RolledBack);
    assert_eq!(reply(session.adopt(&scope(), Adoption::Moved, 0).await).uuid.as_deref(), Some("u"));
    reply(session.forget(&scope()).await);
    assert_eq!(reply(session.release_lock(&lock).await).state, LockState::Released);
}

#[tokio::test]
async fn a_receipt_with_another_key_is_not_believed() {
    for mode in ["key-session", "key-scope", "key-request"] {
        let provider = Stage::new().start(mode).await;
        let session = open(&provider).await;
        let lock = session.lock(&scope());
        let transaction = TransactionId("t1".to_owned());
        let errors = [
            lost(session.try_lock(&lock).await),
            lost(session.check_lock(&lock).await),
            lost(session.release_lock(&lock).await),
            lost(session.claim(&scope(), intent()).await),
            lost(session.begin(&scope(), begin()).await),
            lost(session.commit(&scope(), &transaction, Duration::ZERO).await),
            lost(session.rollback(&scope(), &transaction).await),
            lost(session.adopt(&scope(), Adoption::Copy, 0).await),
            lost(session.forget(&scope()).await),
        ];
        for error in errors {
            assert_eq!(error.code(), "provider_receipt_mismatch", "{mode}: {error}");
        }
        let executed = session.execute(&scope(), units(1), None, None).await;
        assert_eq!(executed.reply.outcome, Outcome::Unknown, "{mode}");
        assert_eq!(executed.cause.unwrap().code(), "provider_receipt_mismatch", "{mode}");
    }
}

#[tokio::test]
async fn an_execution_whose_reply_is_lost_is_unknown_and_is_not_sent_again() {
    let unknown = async |modes: &str, code: &str, text: &str| {
        let stage = Stage::new();
        let executed = execute(&stage, modes).await;
        assert_eq!((executed.reply.outcome, executed.reply.applied_count), (Outcome::Unknown, 0), "{modes}");
        let cause = executed.cause.unwrap();
        assert_eq!(cause.code(), code, "{modes}");
        assert!(cause.to_string().contains(text), "{modes}: {cause}");
        assert_eq!(stage.count("Execute"), 1, "{modes}");
    };
    unknown("exit-Execute", "provider_exited", "the provider ended during execute (exit status 3)").await;
    unknown("abort-Execute", "provider_exited", "the provider ended during execute (signal 6)").await;
    unknown("wrong-count", "provider_reply_invalid", "the reply of provider execute is invalid").await;
    unknown("secret-Execute", "provider_call_failed", "provider execute failed (InvalidArgument)").await;
}

#[tokio::test]
async fn an_execution_with_a_timeout_ends_at_its_deadline_as_unknown() {
    let stage = Stage::new();
    let provider = start(&stage.entry("hang-Execute"), &hurried(Duration::from_millis(400))).await.unwrap();
    let session = open(&provider).await;
    let executed = session.execute(&scope(), units(2), None, Some(Duration::from_millis(100))).await;
    assert_eq!(executed.reply.outcome, Outcome::Unknown);
    assert_eq!(executed.cause.unwrap().to_string(), "provider execute did not answer within 600ms");
    assert_eq!(stage.count("Execute"), 1);
}

#[tokio::test]
async fn an_execution_that_is_refused_here_is_not_started_and_never_arrives() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    let session = open(&provider).await;
    let large = vec![Unit::Sql { text: "x".repeat(5 * 1024 * 1024) }];
    for (units, code) in [
        (large, "provider_message_too_large"),
        (Vec::new(), "provider_request_invalid"),
        (units(1001), "provider_request_invalid"),
    ] {
        let executed = session.execute(&scope(), units, None, None).await;
        assert_eq!(executed.reply.outcome, Outcome::NotStarted);
        assert_eq!(executed.cause.unwrap().code(), code);
    }
    assert_eq!(stage.count("Execute"), 0);
}

#[tokio::test]
async fn after_the_process_has_ended_nothing_is_sent() {
    let stage = Stage::new();
    let provider = stage.start("exit-Execute").await;
    let session = open(&provider).await;
    assert_eq!(session.execute(&scope(), units(1), None, None).await.reply.outcome, Outcome::Unknown);
    let second = session.execute(&scope(), units(1), None, None).await;
    assert_eq!(second.reply.outcome, Outcome::NotStarted);
    assert_eq!(second.cause.unwrap().code(), "provider_exited");
    let Answer::NotSent(error) = session.begin(&scope(), begin()).await else { panic!("it was sent") };
    assert_eq!(error.code(), "provider_exited");
}

#[tokio::test]
async fn a_connection_that_breaks_is_not_dialled_again() {
    let stage = Stage::new();
    let provider = stage.start("cut-Execute").await;
    let session = open(&provider).await;
    for _ in 0..2 {
        let executed = session.execute(&scope(), units(1), None, None).await;
        assert_eq!(executed.reply.outcome, Outcome::Unknown);
        assert_eq!(executed.cause.unwrap().code(), "provider_answer_lost");
    }
    assert_eq!(stage.count("Execute"), 1);
    let report = provider.end().await;
    assert!(report.process.killed, "nobody could ask it to end: {report:?}");
}

#[tokio::test]
async fn a_reply_that_comes_with_the_end_of_the_process_is_kept() {
    let executed = execute(&Stage::new(), "end-Execute").await;
    assert_eq!((executed.reply.outcome, executed.reply.applied_count), (Outcome::Applied, 2), "{executed:?}");
}

#[tokio::test]
async fn a_commit_that_ends_the_process_is_lost_and_not_rolled_back() {
    let provider = Stage::new().start("exit-Commit").await;
    let session = open(&provider).await;
    let begun = reply(session.begin(&scope(), begin()).await);
    let error = lost(session.commit(&scope(), &begun.transaction, Duration::ZERO).await);
    assert_eq!(error.to_string(), "the provider ended during commit (exit status 3)");
}

#[tokio::test]
async fn a_malformed_diagnostic_is_replaced_and_the_outcome_is_believed() {
    let executed = execute(&Stage::new(), "malformed-diagnostic").await;
    assert_eq!(executed.reply.outcome, Outcome::NotApplied);
    assert_eq!(executed.reply.diagnostic.as_deref(), Some(MALFORMED_REASON));
}

#[tokio::test]
async fn a_diagnostic_is_shown_only_when_it_was_negotiated() {
    let busy = async |modes: &str| {
        let provider = Stage::new().start(modes).await;
        let session = open(&provider).await;
        let receipt = reply(session.try_lock(&session.lock(&scope())).await);
        (receipt.state, receipt.diagnostic)
    };
    let shown = Some("another session holds it".to_owned());
    assert_eq!(busy("busy,diagnostic").await, (LockState::Busy, shown));
    assert_eq!(busy("busy,diagnostic,without-errors.reasons").await, (LockState::Busy, None));
}

#[tokio::test]
async fn each_attempt_has_an_id_of_its_own() {
    let provider = Stage::new().start("busy").await;
    let session = open(&provider).await;
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..4 {
        let lock = session.lock(&scope());
        assert_eq!(reply(session.try_lock(&lock).await).state, LockState::Busy);
        ids.insert(lock.id().clone());
    }
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn a_wait_above_the_contracts_is_refused_here() {
    let stage = Stage::new();
    let provider = stage.start("").await;
    let session = open(&provider).await;
    let patient = Begin { lock_timeout: Duration::from_millis(20_001), ..begin() };
    let Answer::NotSent(error) = session.begin(&scope(), patient).await else { panic!("it was sent") };
    assert_eq!(error.code(), "provider_request_invalid");
    assert_eq!(stage.count("Begin"), 0);
}

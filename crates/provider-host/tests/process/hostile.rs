//! Providers that mean no good: floods, changes of their own file, answers that always come late, children that stay.

use std::path::Path;
use std::time::Duration;

use ptah_model::{Comparison, Name};
use ptah_provider_api::claim::Adoption;
use ptah_provider_api::contract::LARGE_MESSAGE_LIMIT;
use ptah_provider_api::execute::{Outcome, TransactionId};
use ptah_provider_host::start::{StartOptions, start};
use ptah_provider_host::{Answer, HostError, Provider};
use sha2::{Digest as _, Sha256};

use crate::stage::{Stage, assert_free_of_secrets, hurried, open, scope, units};

/// The host drains what it throws away, so nothing that a provider prints can hold up a reply.
#[tokio::test]
async fn a_flood_of_output_holds_up_no_large_reply() {
    let provider = Stage::new().start("large,flood").await;
    let session = open(&provider).await;
    for _ in 0..2 {
        let asked = session.query_rows(LARGE_MESSAGE_LIMIT.to_string(), None, 10);
        let reply = tokio::time::timeout(Duration::from_mins(1), asked).await.unwrap().unwrap();
        assert_eq!(reply.rows.len(), 1);
    }
    let report = provider.end().await;
    assert_eq!((report.sessions, report.closed), (1, 1), "{report:?}");
}

/// What runs are the bytes that were hashed; what the file has become is found before it is started again.
#[tokio::test]
async fn a_provider_that_changes_its_own_file_is_not_started_again() {
    let stage = Stage::new();
    let copy = stage.copy();
    let before = std::fs::read(&copy).unwrap();
    let entry = stage.entry_of(&copy, "changes-itself", &hex::encode(Sha256::digest(&before)));
    let provider = start(&entry, &StartOptions::new("test 1")).await.unwrap();
    let executed = open(&provider).await.execute(&scope(), units(1), None, None).await;
    assert_eq!(executed.reply.outcome, Outcome::Applied, "the bytes that were checked go on");
    provider.end().await;
    assert_eq!(std::fs::read(&copy).unwrap().len(), before.len() + 1, "it did change its file");
    let error = start(&entry, &StartOptions::new("test 1")).await.err().unwrap();
    assert_eq!(error.code(), "provider_digest_mismatch");
    assert!(!hint(&error).is_empty());
}

fn hint(error: &HostError) -> String {
    assert_free_of_secrets(error);
    error.hint().to_string()
}

/// Each is told as late, and its answer, which arrives in the end, is taken for no other.
#[tokio::test]
async fn answers_that_come_after_their_deadlines_are_believed_by_nobody() {
    let stage = Stage::new();
    let options = hurried(Duration::from_millis(150));
    let provider = start(&stage.entry("late-in-all"), &options).await.unwrap();
    let session = open(&provider).await;
    let lock = session.lock(&scope());
    let transaction = TransactionId("t1".to_owned());
    let wait = Duration::ZERO;
    for _ in 0..2 {
        let late = [
            lost(session.try_lock(&lock).await),
            lost(session.check_lock(&lock).await),
            lost(session.commit(&scope(), &transaction, wait).await),
            lost(session.rollback(&scope(), &transaction).await),
            lost(session.adopt(&scope(), Adoption::Moved, 0).await),
            lost(session.forget(&scope()).await),
            session.read_claims(1).await.unwrap_err(),
        ];
        for error in late {
            assert_eq!(error.code(), "provider_call_timeout", "{error}");
            assert!(!hint(&error).is_empty());
        }
        let executed = session.execute(&scope(), units(1), None, Some(Duration::from_millis(10))).await;
        assert_eq!(executed.reply.outcome, Outcome::Unknown);
        assert_eq!(executed.cause.unwrap().code(), "provider_call_timeout");
    }
    assert_eq!(stage.count("Execute"), 2, "nothing was sent again");
    let pid = provider.pid();
    provider.end().await;
    assert!(!Path::new(&format!("/proc/{pid}")).exists());
}

fn lost<T: std::fmt::Debug>(answer: Answer<T>) -> HostError {
    let Answer::Lost(error) = answer else { panic!("{answer:?}") };
    error
}

async fn tables(provider: &Provider) -> Result<Vec<Name>, HostError> {
    let reading = open(provider).await.inspect(Duration::ZERO, false).await?;
    Ok(reading.schema.objects().map(|object| object.id.name.clone()).collect())
}

/// The rules are exact, and the provider folds all the same: it may, unless it promised that tables are the same exactly
/// when the rules say so.
#[tokio::test]
async fn a_promise_of_table_identity_is_held_against_every_reading() {
    let free = Stage::new().start("folds-names").await;
    assert_eq!(tables(&free).await.unwrap(), [Name::new("t", Comparison::Exact)], "the provider's own form counts");
    let bound = Stage::new().start("folds-names,promises-table-identity").await;
    let error = tables(&bound).await.unwrap_err();
    assert_eq!(error.code(), "provider_reply_invalid");
    let kept = Stage::new().start("promises-table-identity").await;
    assert_eq!(tables(&kept).await.unwrap(), []);
}

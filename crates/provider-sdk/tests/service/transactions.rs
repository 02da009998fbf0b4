//! Transactions: begun and ended by calls of their own, and outliving each of them.

use ptah_provider_api::execute::{Outcome, TransactionId};
use ptah_provider_api::transaction::TransactionState;
use tonic::Code;

use crate::host::Host;

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_outlives_the_call_that_began_it() {
    let host = Host::start().await;
    let session = host.open().await;
    let id = host.begin(&session).await.unwrap().transaction;
    let mut request = host.execute_request(&session, &["a"]);
    request.transaction = Some(id.clone());
    assert_eq!(host.send(request).await.unwrap().outcome, Outcome::Applied);
    assert_eq!(host.commit(&session, &id).await.unwrap().state, TransactionState::Committed);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_transaction_answers_how_it_ended_and_is_not_ended_again() {
    let host = Host::start().await;
    let session = host.open().await;
    let committed = host.begin(&session).await.unwrap().transaction;
    host.commit(&session, &committed).await.unwrap();
    assert_eq!(host.rollback(&session, &committed).await.unwrap().state, TransactionState::Committed);
    let rolled_back = host.begin(&session).await.unwrap().transaction;
    host.rollback(&session, &rolled_back).await.unwrap();
    assert_eq!(host.commit(&session, &rolled_back).await.unwrap().state, TransactionState::RolledBack);
    assert_eq!((host.world.times("commit"), host.world.times("rollback")), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_never_was_is_not_found() {
    let host = Host::start().await;
    let session = host.open().await;
    let id = TransactionId("t9".to_owned());
    assert_eq!(host.commit(&session, &id).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(host.rollback(&session, &id).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn units_for_a_transaction_that_is_not_open_are_not_started() {
    let host = Host::start().await;
    let session = host.open().await;
    let id = host.begin(&session).await.unwrap().transaction;
    host.commit(&session, &id).await.unwrap();
    let mut request = host.execute_request(&session, &["a"]);
    request.transaction = Some(id);
    assert_eq!(host.send(request).await.unwrap().outcome, Outcome::NotStarted);
    assert_eq!(host.world.times("execute a"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_transaction_is_not_started_while_one_is_open() {
    let host = Host::start().await;
    let session = host.open().await;
    let first = host.begin(&session).await.unwrap().transaction;
    let second = host.begin(&session).await.unwrap();
    assert_eq!(second.state, TransactionState::NotStarted);
    assert_eq!(host.world.times("begin"), 1);
    host.rollback(&session, &first).await.unwrap();
    assert_eq!(host.begin(&session).await.unwrap().state, TransactionState::Begun);
}

//! Transactions: begun, ended and asserted by requests of their own, outliving each of them.

use std::time::{Duration, Instant};

use ptah_model::Digest;
use ptah_provider_api::feature::{SESSIONS_CLAIMS, SESSIONS_TRANSACTIONS};
use ptah_provider_wire::pb;
use tonic::{Code, Request};

use super::table;
use crate::lab::Lab;
use crate::message::fresh;
use crate::rule::{Check, ensure, pointless, refused_with, reply};

table! { "transactions":
    a_committed_transaction_stays [SESSIONS_TRANSACTIONS] on database => "COMMITTED: it is committed.",
    a_rolled_back_transaction_leaves_nothing [SESSIONS_TRANSACTIONS] on database =>
        "ROLLED_BACK: nothing of it is in the database.",
    a_transaction_outlives_the_call_that_began_it [SESSIONS_TRANSACTIONS] on database =>
        "A transaction outlives the call that began it, so its lifetime must not follow that call's context.",
    a_transaction_receipt_echoes_its_key [SESSIONS_TRANSACTIONS] on database =>
        "Every receipt echoes the scope and the request ID of its request.",
    a_second_transaction_does_not_begin [SESSIONS_TRANSACTIONS] on database =>
        "One transaction is open on a session at a time.",
    a_transaction_that_never_was_is_not_committed [SESSIONS_TRANSACTIONS] on database =>
        "COMMITTED is said of a transaction that was open.",
    an_ended_transaction_answers_how_it_ended [SESSIONS_TRANSACTIONS] on database =>
        "A transaction that had ended before answers how it ended.",
    an_expected_state_that_is_another_stops_the_begin [SESSIONS_TRANSACTIONS] on database =>
        "STATE_CHANGED: it never began, because the schema is not what was expected, and what was found is told.",
    an_expected_state_that_holds_lets_it_begin [SESSIONS_TRANSACTIONS] on database =>
        "BEGUN: it is open, and what was asserted holds.",
    an_expected_claim_that_is_another_stops_the_begin [SESSIONS_TRANSACTIONS, SESSIONS_CLAIMS] on database =>
        "CLAIM_CHANGED: it never began, because another claim is the latest.",
    closing_a_session_rolls_back_what_is_open [SESSIONS_TRANSACTIONS] on database =>
        "Close rolls back what is open.",
    a_unit_that_fails_leaves_the_rest_of_its_transaction_consistent [SESSIONS_TRANSACTIONS] on database =>
        "Inside a transaction a count says what applied in it, and a rollback takes all of it away.",
    a_busy_begin_waits_no_longer_than_it_may [SESSIONS_TRANSACTIONS] on database =>
        "A begin waits for other writers as long as it was told, and answers BUSY.",
    a_wait_above_twenty_seconds_is_refused [SESSIONS_TRANSACTIONS] on database =>
        "A call waits at most 20,000 ms; longer waits are the host's.",
    a_transaction_request_id_is_used_once [SESSIONS_TRANSACTIONS] on database =>
        "A request ID that came before is refused.",
    a_setting_that_nobody_knows_begins_nothing [SESSIONS_TRANSACTIONS] on database =>
        "What a step needs holds when its transaction begins; what a provider does not know it cannot promise.",
    a_session_that_only_reads_begins_nothing [SESSIONS_TRANSACTIONS] on database =>
        "A provider refuses everything that the purpose does not allow.",
}

fn state(receipt: &pb::TransactionReceipt) -> String {
    format!("state {:?}", receipt.state())
}

fn is(receipt: &pb::TransactionReceipt, wanted: pb::TransactionState, sent: &str) -> Check {
    ensure(receipt.state() == wanted, sent, format!("{}, where {wanted:?} has to come", state(receipt)))
}

async fn a_committed_transaction_stays(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let before = session.fingerprint().await?;
    let transaction = session.begin().await?;
    session.apply(&[&lab.create("a")], Some(&transaction)).await?;
    let receipt = session.commit(&transaction).await?;
    is(&receipt, pb::TransactionState::Committed, "CommitTransaction")?;
    session.close().await?;
    let after = lab.open(&peer).await?.fingerprint().await?;
    ensure(after != before, "CommitTransaction, then Inspect on a new session", "the schema is as before")
}

/// Refuses to say anything of an engine that does not roll definitions back.
fn transactional(session: &crate::peer::Session<'_>) -> Check {
    let holds = session.states("transactional_ddl") || session.states("ddl_inside_transaction");
    if holds { Ok(()) } else { Err(pointless("the session does not state transactional_ddl")) }
}

async fn a_rolled_back_transaction_leaves_nothing(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    transactional(&session)?;
    let before = session.fingerprint().await?;
    let transaction = session.begin().await?;
    session.apply(&[&lab.create("a")], Some(&transaction)).await?;
    is(&session.roll_back(&transaction).await?, pb::TransactionState::RolledBack, "RollbackTransaction")?;
    ensure(session.fingerprint().await? == before, "RollbackTransaction, then Inspect", "the schema changed")
}

async fn a_transaction_outlives_the_call_that_began_it(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction with a deadline, and after it Execute and CommitTransaction";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let before = session.fingerprint().await?;
    let mut request = Request::new(session.beginning());
    request.set_timeout(Duration::from_secs(1));
    let receipt = reply(SENT, session.client().begin_transaction(request).await)?;
    is(&receipt, pb::TransactionState::Begun, SENT)?;
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    session.apply(&[&lab.create("a")], Some(&receipt.transaction_id)).await?;
    is(&session.commit(&receipt.transaction_id).await?, pb::TransactionState::Committed, SENT)?;
    ensure(session.fingerprint().await? != before, SENT, "nothing was committed")
}

async fn a_transaction_receipt_echoes_its_key(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let begin = session.beginning();
    let begun = reply("BeginTransaction", session.client().begin_transaction(begin.clone()).await)?;
    ensure(begun.key == begin.key, "BeginTransaction", "a receipt with another key")?;
    ensure(begun.diagnostic.is_none(), "BeginTransaction", "a diagnostic, although it succeeded")?;
    for (sent, rolls) in [("RollbackTransaction", true), ("CommitTransaction", false)] {
        let transaction = if rolls { begun.transaction_id.clone() } else { session.begin().await? };
        let end = session.ending(&transaction);
        let mut client = session.client();
        let answer = if rolls {
            client.rollback_transaction(end.clone()).await
        } else {
            client.commit_transaction(end.clone()).await
        };
        let ended = reply(sent, answer)?;
        ensure(ended.key == end.key && ended.transaction_id == transaction, sent, "a receipt of another request")?;
    }
    Ok(())
}

async fn a_second_transaction_does_not_begin(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction while another is open on the session";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let first = session.begin().await?;
    let second = reply(SENT, session.client().begin_transaction(session.beginning()).await)?;
    is(&second, pb::TransactionState::NotStarted, SENT)?;
    ensure(second.transaction_id.is_empty(), SENT, "a transaction ID, although it never began")?;
    is(&session.commit(&first).await?, pb::TransactionState::Committed, "CommitTransaction of the first")
}

async fn a_transaction_that_never_was_is_not_committed(lab: &Lab<'_>) -> Check {
    const SENT: &str = "CommitTransaction of a transaction that never was";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let Ok(answer) = session.client().commit_transaction(session.ending("nowhere")).await else { return Ok(()) };
    let receipt = answer.into_inner();
    ensure(receipt.state() != pb::TransactionState::Committed, SENT, state(&receipt))
}

async fn an_ended_transaction_answers_how_it_ended(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let transaction = session.begin().await?;
    session.commit(&transaction).await?;
    for (sent, receipt) in [
        ("CommitTransaction of a committed one", session.commit(&transaction).await?),
        ("RollbackTransaction of a committed one", session.roll_back(&transaction).await?),
    ] {
        is(&receipt, pb::TransactionState::Committed, sent)?;
    }
    let transaction = session.begin().await?;
    session.roll_back(&transaction).await?;
    let receipt = session.commit(&transaction).await?;
    is(&receipt, pb::TransactionState::RolledBack, "CommitTransaction of one that was rolled back")
}

async fn an_expected_state_that_is_another_stops_the_begin(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction that expects another state";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let found = session.fingerprint().await?.to_string();
    let other = Digest::of(b"another state").to_string();
    let request = pb::BeginRequest { expect_state: Some(other), ..session.beginning() };
    let receipt = reply(SENT, session.client().begin_transaction(request).await)?;
    is(&receipt, pb::TransactionState::StateChanged, SENT)?;
    ensure(receipt.transaction_id.is_empty(), SENT, "a transaction ID, although it never began")?;
    ensure(receipt.found_state.as_ref() == Some(&found), SENT, "a found_state that is not what Inspect reads")
}

async fn an_expected_state_that_holds_lets_it_begin(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction that expects the state that Inspect read";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    session.apply(&[&lab.create("a")], None).await?;
    let found = session.fingerprint().await?.to_string();
    let request = pb::BeginRequest { expect_state: Some(found), ..session.beginning() };
    let receipt = reply(SENT, session.client().begin_transaction(request).await)?;
    is(&receipt, pb::TransactionState::Begun, SENT)
}

async fn an_expected_claim_that_is_another_stops_the_begin(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction that expects another claim";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let request = pb::BeginRequest { expect_claim: Some(987_654), ..session.beginning() };
    let receipt = reply(SENT, session.client().begin_transaction(request).await)?;
    is(&receipt, pb::TransactionState::ClaimChanged, SENT)?;
    ensure(receipt.transaction_id.is_empty(), SENT, "a transaction ID, although it never began")
}

async fn closing_a_session_rolls_back_what_is_open(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    transactional(&session)?;
    let before = session.fingerprint().await?;
    let transaction = session.begin().await?;
    session.apply(&[&lab.create("a")], Some(&transaction)).await?;
    session.close().await?;
    let after = lab.open(&peer).await?.fingerprint().await?;
    ensure(after == before, "Close with an open transaction, then Inspect on a new session", "the schema changed")
}

async fn a_unit_that_fails_leaves_the_rest_of_its_transaction_consistent(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute in a transaction of a unit that applies and one that fails, then RollbackTransaction";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    transactional(&session)?;
    let before = session.fingerprint().await?;
    let transaction = session.begin().await?;
    let request = session.execution(&[&lab.create("a"), &lab.target.fail], Some(&transaction));
    let done = super::execution::executed(&session, request, SENT).await?;
    ensure(done.outcome() != pb::Outcome::Applied, SENT, crate::peer::outcome(&done))?;
    is(&session.roll_back(&transaction).await?, pb::TransactionState::RolledBack, SENT)?;
    ensure(session.fingerprint().await? == before, SENT, "the schema changed")
}

async fn a_busy_begin_waits_no_longer_than_it_may(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction with a wait of 300 ms while another session has one open";
    let peer = lab.start().await?;
    let (one, other) = (lab.open(&peer).await?, lab.open(&peer).await?);
    let transaction = one.begin().await?;
    one.apply(&[&lab.create("a")], Some(&transaction)).await?;
    let began = Instant::now();
    let request = pb::BeginRequest { lock_timeout_ms: 300, ..other.beginning() };
    let receipt = reply(SENT, other.client().begin_transaction(request).await)?;
    let (took, told) = (began.elapsed(), receipt.state());
    // An engine where writers do not exclude each other begins at once.
    let known = matches!(told, pb::TransactionState::Busy | pb::TransactionState::Begun);
    ensure(known, SENT, state(&receipt))?;
    ensure(took < Duration::from_secs(3), SENT, format!("an answer after {took:?}"))?;
    is(&one.commit(&transaction).await?, pb::TransactionState::Committed, "CommitTransaction of the first")
}

async fn a_wait_above_twenty_seconds_is_refused(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let request = pb::BeginRequest { lock_timeout_ms: 20_001, ..session.beginning() };
    let answer = session.client().begin_transaction(request).await;
    refused_with("BeginTransaction with a wait of 20,001 ms", answer, &[Code::InvalidArgument]).map(drop)
}

async fn a_transaction_request_id_is_used_once(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction with a request ID that came before";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let request = session.beginning();
    let begun = reply("BeginTransaction", session.client().begin_transaction(request.clone()).await)?;
    session.roll_back(&begun.transaction_id).await?;
    refused_with(SENT, session.client().begin_transaction(request).await, &[Code::AlreadyExists]).map(drop)
}

async fn a_setting_that_nobody_knows_begins_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction with a setting that nobody knows";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let request = pb::BeginRequest { settings: vec![format!("conformance.{}", fresh())], ..session.beginning() };
    let Ok(answer) = session.client().begin_transaction(request).await else { return Ok(()) };
    let receipt = answer.into_inner();
    ensure(receipt.state() != pb::TransactionState::Begun, SENT, state(&receipt))
}

async fn a_session_that_only_reads_begins_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "BeginTransaction on a session that was opened to read";
    let peer = lab.start().await?;
    lab.open(&peer).await?.close().await?;
    let session = lab.open_to_read(&peer).await?;
    let Ok(answer) = session.client().begin_transaction(session.beginning()).await else { return Ok(()) };
    let receipt = answer.into_inner();
    ensure(receipt.state() == pb::TransactionState::NotStarted, SENT, state(&receipt))
}

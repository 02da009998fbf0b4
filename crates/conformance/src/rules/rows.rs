//! Questions about rows, and limits of execution that need an engine that takes its time.

use std::time::{Duration, Instant};

use ptah_provider_api::feature::{SESSIONS_QUERY, SESSIONS_TRANSACTIONS};
use ptah_provider_wire::pb;
use tonic::Code;

use super::table;
use crate::lab::Lab;
use crate::peer::outcome;
use crate::rule::{Check, ensure, refusal, refused_with, reply};

table! { "rows":
    a_question_about_no_rows_is_refused [SESSIONS_QUERY] on database => "QueryRows returns 1 to 1,000 rows.",
    a_question_that_would_change_something_changes_nothing [SESSIONS_QUERY] on database => "QueryRows runs a read-only query.",
    a_question_that_the_engine_refuses_fails [SESSIONS_QUERY] on database => "A call that cannot be served fails with its code.",
    a_question_in_no_transaction_is_refused [SESSIONS_QUERY, SESSIONS_TRANSACTIONS] on database =>
        "A question is asked in the transaction that it names.",
    a_statement_timeout_is_kept on database => "A unit takes no longer than the statement timeout.",
}

async fn ask(
    lab: &Lab<'_>,
    change: impl FnOnce(&mut pb::QueryRowsRequest),
) -> Result<Result<pb::QueryRowsReply, tonic::Status>, crate::rule::Stop> {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let mut request =
        pb::QueryRowsRequest { session_id: session.id(), query: "SELECT 1".to_owned(), transaction_id: None, limit: 1 };
    change(&mut request);
    Ok(session.client().query_rows(request).await.map(tonic::Response::into_inner))
}

async fn a_question_about_no_rows_is_refused(lab: &Lab<'_>) -> Check {
    for limit in [0, 1_001] {
        let answer = ask(lab, |request| request.limit = limit).await?;
        refused_with(
            &format!("QueryRows with the limit {limit}"),
            answer.map(tonic::Response::new),
            &[Code::InvalidArgument],
        )?;
    }
    Ok(())
}

async fn a_question_that_would_change_something_changes_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "QueryRows of a unit that creates an object";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let before = session.fingerprint().await?;
    let request =
        pb::QueryRowsRequest { session_id: session.id(), query: lab.create("a"), transaction_id: None, limit: 1 };
    refusal(SENT, session.client().query_rows(request).await)?;
    ensure(session.fingerprint().await? == before, SENT, "the schema changed")
}

async fn a_question_that_the_engine_refuses_fails(lab: &Lab<'_>) -> Check {
    let text = lab.target.fail.clone();
    let answer = ask(lab, |request| request.query = text).await?;
    refusal("QueryRows of what the engine refuses", answer.map(tonic::Response::new)).map(drop)
}

async fn a_question_in_no_transaction_is_refused(lab: &Lab<'_>) -> Check {
    let answer = ask(lab, |request| request.transaction_id = Some("nowhere".to_owned())).await?;
    refusal("QueryRows in a transaction that never began", answer.map(tonic::Response::new)).map(drop)
}

async fn a_statement_timeout_is_kept(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute of a slow unit with a statement timeout of 200 ms";
    let slow = lab.slow()?.to_owned();
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let request = pb::ExecuteRequest { statement_timeout_ms: Some(200), ..session.execution(&[&slow], None) };
    let began = Instant::now();
    let done = reply(SENT, session.client().execute(request).await)?;
    let took = began.elapsed();
    ensure(done.outcome() != pb::Outcome::Applied, SENT, outcome(&done))?;
    ensure(took < Duration::from_secs(2), SENT, format!("an answer after {took:?}"))
}

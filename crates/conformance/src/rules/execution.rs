//! Execute: units in, an outcome out, and never a second time.

use ptah_provider_api::execute::ExecuteReply;
use ptah_provider_api::execute::ExecuteRequest;
use ptah_provider_wire::{OnWire as _, pb};
use tonic::Code;

use super::table;
use crate::lab::Lab;
use crate::message::units;
use crate::peer::{Session, outcome};
use crate::rule::{Check, Stop, broken, ensure, refused_with, reply};

table! { "execution":
    an_applied_unit_is_in_the_database on database => "APPLIED confirms that every unit applied.",
    an_execution_echoes_its_key on database => "Every receipt echoes the scope and the request ID of its request.",
    a_unit_that_fails_stops_the_rest on database =>
        "PARTIAL: a proper prefix applied, and applied_count says how long it is.",
    a_first_unit_that_fails_applies_nothing on database => "NOT_STARTED, NOT_APPLIED: no unit applied.",
    a_request_id_never_runs_twice on database =>
        "A request ID that came before is refused: a provider never runs a request again because it carries an ID.",
    an_execution_of_nothing_is_refused on database => "An execution has 1 to 1,000 units.",
    an_execution_of_too_many_units_is_refused on database => "An execution has 1 to 1,000 units.",
    a_native_operation_of_no_planner_is_refused on database =>
        "A native operation is one that the provider's own planner produced; one whose digest differs is refused.",
    a_transaction_that_is_not_open_runs_nothing on database => "Units run in the transaction that they name.",
    a_session_that_only_reads_executes_nothing on database =>
        "A provider refuses everything that the purpose does not allow.",
}

/// Executes a request, and proves the reply against the contract.
pub(super) async fn executed(
    session: &Session<'_>,
    request: pb::ExecuteRequest,
    sent: &str,
) -> Result<pb::ExecuteReply, Stop> {
    let asked =
        ExecuteRequest::from_wire(request.clone()).map_err(|rule| broken(sent, format!("our own request: {rule}")))?;
    let message = reply(sent, session.client().execute(request).await)?;
    let proven = ExecuteReply::from_wire(message.clone()).and_then(|value| value.validate_for(&asked));
    proven.map(|()| message).map_err(|rule| broken(sent, rule.to_string()))
}

/// How many of these objects are in the database.
async fn there(lab: &Lab<'_>, session: &Session<'_>, names: &[&str]) -> Result<Vec<String>, Stop> {
    let reading = session.read().await?;
    let found = |name: &&&str| {
        let name = lab.name(name).to_lowercase();
        reading.schema.objects().any(|object| object.id.name.source.to_lowercase() == name)
    };
    Ok(names.iter().filter(found).map(|name| (*name).to_owned()).collect())
}

async fn an_applied_unit_is_in_the_database(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let before = session.fingerprint().await?;
    let (a, b) = (lab.create("a"), lab.create("b"));
    let done = executed(&session, session.execution(&[&a, &b], None), "Execute of two units").await?;
    ensure(done.outcome() == pb::Outcome::Applied, "Execute of two units", outcome(&done))?;
    let found = there(lab, &session, &["a", "b"]).await?;
    ensure(found == ["a", "b"], "Execute of two units, then Inspect", format!("of a and b only {found:?} are there"))?;
    let after = session.fingerprint().await?;
    ensure(after != before, "Execute of two units, then Inspect", "the fingerprint is the same as before")
}

async fn an_execution_echoes_its_key(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let mut request = session.execution(&[&lab.create("a")], None);
    request.key = Some(session.key("a scope with spaces, and Zeichen wie ä"));
    executed(&session, request, "Execute").await.map(drop)
}

async fn a_unit_that_fails_stops_the_rest(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute of a unit that applies, one that fails, and one that would apply";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let (a, b) = (lab.create("a"), lab.create("b"));
    let done = executed(&session, session.execution(&[&a, &lab.target.fail, &b], None), SENT).await?;
    let found = there(lab, &session, &["a", "b"]).await?;
    let expected: &[&str] = match (done.outcome(), done.applied_count) {
        (pb::Outcome::Partial, 1) => &["a"],
        (pb::Outcome::NotApplied | pb::Outcome::NotStarted, 0) => &[],
        _ => return Err(broken(SENT, outcome(&done))),
    };
    ensure(found == expected, SENT, format!("{}, and {found:?} are there", outcome(&done)))
}

async fn a_first_unit_that_fails_applies_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute of a unit that fails, and one that would apply";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let before = session.fingerprint().await?;
    let b = lab.create("b");
    let done = executed(&session, session.execution(&[&lab.target.fail, &b], None), SENT).await?;
    let nothing = matches!(done.outcome(), pb::Outcome::NotApplied | pb::Outcome::NotStarted);
    ensure(nothing, SENT, outcome(&done))?;
    ensure(session.fingerprint().await? == before, SENT, "the schema changed")
}

async fn a_request_id_never_runs_twice(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute with a request ID that came before";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let (a, b) = (lab.create("a"), lab.create("b"));
    let first = session.execution(&[&a], None);
    executed(&session, first.clone(), "Execute").await?;
    for texts in [[a.as_str()], [b.as_str()]] {
        let again = pb::ExecuteRequest { units: units(&texts), ..first.clone() };
        refused_with(SENT, session.client().execute(again).await, &[Code::AlreadyExists])?;
    }
    let found = there(lab, &session, &["a", "b"]).await?;
    ensure(found == ["a"], SENT, "its unit ran")
}

async fn an_execution_of_nothing_is_refused(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let answer = session.client().execute(session.execution(&[], None)).await;
    refused_with("Execute of no unit", answer, &[Code::InvalidArgument]).map(drop)
}

async fn an_execution_of_too_many_units_is_refused(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute of 1,001 units";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let before = session.fingerprint().await?;
    let names: Vec<String> = (0..1_001).map(|at| lab.create(&format!("n{at}"))).collect();
    let texts: Vec<&str> = names.iter().map(String::as_str).collect();
    refused_with(SENT, session.client().execute(session.execution(&texts, None)).await, &[Code::InvalidArgument])?;
    ensure(session.fingerprint().await? == before, SENT, "the schema changed")
}

async fn a_native_operation_of_no_planner_is_refused(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute of a native operation that nobody planned";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let before = session.fingerprint().await?;
    let operation = pb::NativeOperation {
        kind: "conformance.none".to_owned(),
        version: 1,
        payload: b"{}".to_vec(),
        statements: vec![lab.create("a")],
        digest: ptah_model::Digest::of(b"another operation").to_string(),
    };
    let mut request = session.execution(&[], None);
    request.units = vec![pb::Unit { unit: Some(pb::unit::Unit::Native(operation)) }];
    if let Ok(answer) = session.client().execute(request).await {
        let done = answer.into_inner();
        let nothing = matches!(done.outcome(), pb::Outcome::NotStarted | pb::Outcome::NotApplied);
        ensure(nothing, SENT, outcome(&done))?;
    }
    ensure(session.fingerprint().await? == before, SENT, "the schema changed")
}

async fn a_transaction_that_is_not_open_runs_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute in a transaction that never began";
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let before = session.fingerprint().await?;
    let request = session.execution(&[&lab.create("a")], Some("nowhere"));
    if let Ok(answer) = session.client().execute(request).await {
        let done = answer.into_inner();
        ensure(done.outcome() == pb::Outcome::NotStarted, SENT, outcome(&done))?;
    }
    ensure(session.fingerprint().await? == before, SENT, "the schema changed")
}

async fn a_session_that_only_reads_executes_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute on a session that was opened to read";
    let peer = lab.start().await?;
    lab.open(&peer).await?.close().await?;
    let session = lab.open_to_read(&peer).await?;
    let before = session.fingerprint().await?;
    if let Ok(answer) = session.client().execute(session.execution(&[&lab.create("a")], None)).await {
        let done = answer.into_inner();
        ensure(done.outcome() == pb::Outcome::NotStarted, SENT, outcome(&done))?;
    }
    ensure(session.fingerprint().await? == before, SENT, "the schema changed")
}

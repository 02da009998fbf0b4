//! Reasons: the one text of a provider that Ptah shows.

use prost::Message as _;
use ptah_provider_api::feature::{ERRORS_REASONS, two_way_features};
use ptah_provider_api::reason::validate_diagnostic;
use ptah_provider_wire::pb;
use tonic::Status;

use super::table;
use crate::lab::Lab;
use crate::message::fresh;
use crate::peer::{Peer, whole};
use crate::rule::{Check, Stop, broken, ensure, refusal};

table! { "reasons":
    a_failed_call_has_an_empty_status_message =>
        "A failed call is its gRPC code; the status message is never shown and is sent empty.",
    a_failed_call_has_no_reason_that_was_not_negotiated =>
        "A reason comes only under errors.reasons: the server removes every reason the host did not negotiate.",
    a_reason_is_one_clean_line [ERRORS_REASONS] =>
        "A reason is one line of at most 512 bytes of valid UTF-8, with no control character and no white space around it.",
    a_failed_execution_has_a_diagnostic_only_when_it_was_negotiated on database =>
        "The same rules apply to the diagnostic of an execution that did not succeed.",
    a_failed_open_quotes_nothing_of_its_address =>
        "A reason never quotes statement text, a value, an address or a credential.",
    a_failed_unit_quotes_nothing_of_its_text on database =>
        "A reason never quotes statement text, a value, an address or a credential.",
    a_source_that_is_broken_quotes_no_secret =>
        "Some replies carry text of their own; each follows the same content rule.",
}

/// A word that must never come back.
const CANARY: &str = "hunter2canary";

/// Calls that have to fail, and their statuses.
async fn failures(lab: &Lab<'_>, peer: &Peer) -> Result<Vec<(&'static str, Status)>, Stop> {
    let mut failures = Vec::new();
    let session_id = "0123456789012345678901-nowhere".to_owned();
    let inspect = pb::InspectRequest { session_id: session_id.clone(), ..Default::default() };
    failures.push(("Inspect", refusal("Inspect of no session", whole(peer.client().inspect(inspect).await).await)?));
    let key = Some(pb::Key { session_id, scope: "x".to_owned(), request_id: fresh() });
    let execute = pb::ExecuteRequest { key, units: crate::message::units(&["x"]), ..Default::default() };
    failures.push(("Execute", refusal("Execute on no session", peer.client().execute(execute).await)?));
    let open = pb::OpenRequest { request_id: fresh(), engine: lab.engine(), ..Default::default() };
    failures.push(("Open", refusal("Open without a target", peer.client().open(open).await)?));
    let snapshot =
        Some(pb::SnapshotRef { session_id: "0123456789012345678901-nowhere".to_owned(), snapshot_id: "x".to_owned() });
    let render = pb::RenderRequest { engine: lab.engine(), snapshot };
    failures.push(("Render", refusal("Render of no reading", whole(peer.client().render(render).await).await)?));
    Ok(failures)
}

async fn a_failed_call_has_an_empty_status_message(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    for (sent, status) in failures(lab, &peer).await? {
        let length = status.message().len();
        ensure(length == 0, format!("{sent} that has to fail"), format!("a status message of {length} bytes"))?;
    }
    Ok(())
}

async fn a_failed_call_has_no_reason_that_was_not_negotiated(lab: &Lab<'_>) -> Check {
    let others: Vec<&str> = two_way_features().iter().copied().filter(|feature| *feature != ERRORS_REASONS).collect();
    let peer = lab.start_for(&others).await?;
    for (sent, status) in failures(lab, &peer).await? {
        let bare = status.details().is_empty();
        ensure(bare, format!("{sent} that has to fail, from a host without errors.reasons"), "details in the status")?;
    }
    Ok(())
}

/// The texts of the reasons in a status, as they came.
fn reasons(status: &Status) -> Result<Vec<String>, &'static str> {
    if status.details().is_empty() {
        return Ok(Vec::new());
    }
    let details = RpcStatus::decode(status.details()).map_err(|_| "details that are no google.rpc.Status")?;
    let ours = details.details.iter().filter(|any| any.type_url.ends_with("/ptah.provider.v1.Reason"));
    let text = |any: &RpcAny| pb::Reason::decode(any.value.as_slice()).map(|reason| reason.text);
    ours.map(text).collect::<Result<_, _>>().map_err(|_| "a Reason that cannot be decoded")
}

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, prost::Message)]
struct RpcStatus {
    #[prost(message, repeated, tag = "3")]
    details: Vec<RpcAny>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
struct RpcAny {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

async fn a_reason_is_one_clean_line(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    for (sent, status) in failures(lab, &peer).await? {
        for reason in reasons(&status).map_err(|why| broken(sent, why))? {
            let rule = validate_diagnostic(&reason);
            rule.map_err(|rule| {
                broken(format!("{sent} that has to fail"), format!("a reason that breaks its rule: {rule}"))
            })?;
        }
    }
    Ok(())
}

async fn a_failed_execution_has_a_diagnostic_only_when_it_was_negotiated(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Execute of a unit that fails";
    for (features, negotiated) in [(&[][..], false), (two_way_features(), lab.offer.has(ERRORS_REASONS))] {
        let peer = lab.start_for(features).await?;
        let session = lab.open(&peer).await?;
        let done = session.execute(&[&lab.target.fail], None).await?;
        ensure(done.outcome() != pb::Outcome::Applied, SENT, "APPLIED: give a unit that is refused (--fail)")?;
        let shown = done.diagnostic.as_deref();
        ensure(negotiated || shown.is_none(), SENT, "a diagnostic that was not negotiated")?;
        let clean = shown.is_none_or(|text| validate_diagnostic(text).is_ok());
        ensure(clean, SENT, "a diagnostic that breaks the rules of a reason")?;
    }
    Ok(())
}

/// Whether a status says a word anywhere.
fn says(status: &Status, word: &str) -> bool {
    let details = String::from_utf8_lossy(status.details()).into_owned();
    let metadata = format!("{:?}", status.metadata());
    [status.message(), &details, &metadata].iter().any(|text| text.contains(word))
}

async fn a_failed_open_quotes_nothing_of_its_address(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let scheme = lab.offer.engine.url_schemes.first().cloned().unwrap_or_else(|| lab.engine());
    for address in [
        format!("{scheme}://user:{CANARY}@127.0.0.1:1/{CANARY}/none?password={CANARY}"),
        format!("{CANARY}://{CANARY}"),
        format!("/{CANARY}/{CANARY}"),
    ] {
        let target = Some(pb::open_request::Target::Address(address));
        let (request_id, engine, purpose) = (fresh(), lab.engine(), pb::Purpose::Apply.into());
        let request = pb::OpenRequest { request_id, engine, purpose, target, ..Default::default() };
        if let Err(status) = peer.client().open(request).await {
            ensure(!says(&status, CANARY), "Open of an address with a password", "the failed call quotes the address")?;
        }
    }
    Ok(())
}

async fn a_failed_unit_quotes_nothing_of_its_text(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    for text in [format!("{} {CANARY}", lab.target.fail), format!("INSERT INTO {CANARY} VALUES ('{CANARY}')")] {
        let sent = "Execute of a unit that fails, with a secret in it";
        match session.client().execute(session.execution(&[&text], None)).await {
            Err(status) => ensure(!says(&status, CANARY), sent, "the failed call quotes the unit")?,
            Ok(answer) => {
                let done = answer.into_inner();
                let quoted = [done.diagnostic, done.engine_code].iter().flatten().any(|text| text.contains(CANARY));
                ensure(!quoted, sent, "the diagnostic or the code quotes the unit")?;
            }
        }
    }
    Ok(())
}

async fn a_source_that_is_broken_quotes_no_secret(lab: &Lab<'_>) -> Check {
    const SENT: &str = "AnalyzeSql of a broken source with a secret in it";
    let peer = lab.start().await?;
    let text = format!("{} '{CANARY}' ;", lab.target.fail);
    let request = pb::AnalyzeSqlRequest { engine: lab.engine(), source: "a.sql".to_owned(), text };
    match whole(peer.client().analyze_sql(request).await).await {
        Err(status) => ensure(!says(&status, CANARY), SENT, "the failed call quotes the source"),
        Ok(parts) => {
            let quoted = parts.into_inner().into_iter().any(|part| match part.part {
                Some(pb::analyze_sql_part::Part::Diagnostics(chunk)) => {
                    chunk.diagnostics.iter().any(|found| found.summary.contains(CANARY))
                }
                _ => false,
            });
            ensure(!quoted, SENT, "a diagnostic quotes the source")
        }
    }
}

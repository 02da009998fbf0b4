//! Open and Close: what a session states, how long it lives, and that sessions do not disturb each other.

use std::time::{Duration, Instant};

use ptah_provider_api::reason::validate_diagnostic;
use ptah_provider_api::session::{OpenRequest, Session as Facts};
use ptah_provider_wire::{OnWire as _, pb};
use tonic::Code;

use super::table;
use crate::lab::Lab;
use crate::message::fresh;
use crate::peer::{Peer, Session, whole};
use crate::rule::{Check, Stop, broken, ensure, failed, refusal, refused_with, reply};

mod alone;

use alone::{
    a_call_that_is_dropped_leaves_the_session_usable, calls_on_different_sessions_run_in_parallel,
    calls_on_one_session_are_served_one_after_another, closing_interrupts_what_runs,
};

table! { "sessions":
    a_session_states_what_the_contract_asks on database =>
        "An Open reply is a session: an ID, the engine, the database, the server version, the identifier rules, features and capabilities.",
    a_session_offers_no_more_than_its_engine on database => "A session's features are within what its engine offers.",
    session_handles_are_long_and_never_the_same on database => "A handle has at least 128 random bits.",
    the_notes_of_a_session_are_clean_lines on database => "A note keeps the rules of a reason.",
    an_engine_that_is_not_there_opens_nothing => "A session is of the engine that was asked for.",
    an_unknown_session_is_not_found => "A call on a session that is not there fails with NOT_FOUND.",
    a_session_of_another_process_is_not_found on database => "Session handles do not survive the process.",
    a_closed_session_serves_nothing on database => "Close ends a session.",
    closing_twice_is_as_good_as_once on database => "Close is idempotent, and echoes its request ID.",
    creating_is_for_an_apply_only on database => "`create` comes only with the purpose to apply.",
    a_purpose_that_nobody_knows_opens_nothing on database =>
        "An absent or unknown value is refused where a decision hangs on it.",
    an_open_that_would_wait_too_long_is_refused on database => "A call waits at most 20,000 ms.",
    an_open_without_a_target_is_refused => "What to connect to is required.",
    a_dev_database_that_is_not_there_opens_nothing => "A dev database is one of this process.",
    reading_creates_nothing on database => "A database that does not exist reads as empty, and is not made by reading.",
    many_sessions_are_open_at_once on database => "Calls on different sessions may arrive at the same time.",
    calls_on_different_sessions_run_in_parallel on database => "Calls on different sessions may arrive at the same time.",
    calls_on_one_session_are_served_one_after_another on database =>
        "A provider serializes what one session must not do twice at once.",
    closing_interrupts_what_runs on database => "Close interrupts what runs.",
    a_call_that_is_dropped_leaves_the_session_usable on database =>
        "A dropped call drops the reply; the session goes on, and closes.",
}

async fn a_session_states_what_the_contract_asks(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    for purpose in [pb::Purpose::Apply, pb::Purpose::Read] {
        let request = lab.opening(purpose)?;
        let asked = OpenRequest::from_wire(request.clone())
            .map_err(|rule| broken("Open", format!("our own request: {rule}")))?;
        let session = reply("Open", peer.client().open(request).await)?;
        let facts = Facts::from_wire(session).and_then(|facts| facts.validate_for(&asked));
        facts.map_err(|rule| broken("Open", rule.to_string()))?;
    }
    Ok(())
}

async fn a_session_offers_no_more_than_its_engine(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let extra: Vec<_> = session.facts.features.iter().filter(|f| !lab.offer.engine.features.contains(f)).collect();
    ensure(extra.is_empty(), "Open", format!("features that the engine does not list: {extra:?}"))
}

async fn session_handles_are_long_and_never_the_same(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (one, other) = (lab.open(&peer).await?, lab.open(&peer).await?);
    ensure(one.id() != other.id(), "Open twice", "one handle for two sessions")?;
    let long = one.id().len() >= 22 && other.id().len() >= 22;
    ensure(long, "Open", "a handle of fewer than 22 characters")?;
    let alike = one.id().bytes().zip(other.id().bytes()).filter(|(a, b)| a == b).count();
    ensure(alike + 8 < one.id().len(), "Open twice", "two handles that differ in a few characters only")
}

async fn the_notes_of_a_session_are_clean_lines(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let broken_note = session.facts.notes.iter().any(|note| validate_diagnostic(note).is_err());
    ensure(!broken_note, "Open", "a note that breaks the rules of a reason")
}

async fn an_engine_that_is_not_there_opens_nothing(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let request = pb::OpenRequest {
        request_id: fresh(),
        engine: "no-such-engine".to_owned(),
        purpose: pb::Purpose::Read.into(),
        target: Some(pb::open_request::Target::Address("x".to_owned())),
        ..Default::default()
    };
    refusal("Open of an engine that is not there", peer.client().open(request).await).map(drop)
}

fn nowhere() -> pb::InspectRequest {
    pb::InspectRequest { session_id: "0123456789012345678901-nowhere".to_owned(), ..Default::default() }
}

async fn an_unknown_session_is_not_found(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let answer = whole(peer.client().inspect(nowhere()).await).await;
    refused_with("Inspect of a session that is not there", answer, &[Code::NotFound]).map(drop)
}

/// Proves that a session is not served by a process.
async fn is_unknown(peer: &Peer, session: &Session<'_>, sent: &str) -> Check {
    let answer = whole(peer.client().inspect(session.inspection(false)).await).await;
    refused_with(sent, answer, &[Code::NotFound])?;
    let answer = peer.client().execute(session.execution(&["x"], None)).await;
    refused_with(sent, answer, &[Code::NotFound]).map(drop)
}

async fn a_session_of_another_process_is_not_found(lab: &Lab<'_>) -> Check {
    let (one, other) = (lab.start().await?, lab.start().await?);
    let session = lab.open(&one).await?;
    is_unknown(&other, &session, "a call with the session of another process").await
}

async fn a_closed_session_serves_nothing(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    session.close().await?;
    is_unknown(&peer, &session, "a call on a closed session").await
}

async fn closing_twice_is_as_good_as_once(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    for sent in ["Close", "Close again"] {
        let request = session.closing();
        let closed = reply(sent, session.client().close(request.clone()).await)?;
        ensure(closed.request_id == request.request_id, sent, "another request ID")?;
    }
    Ok(())
}

async fn refused(lab: &Lab<'_>, sent: &str, change: impl FnOnce(&mut pb::OpenRequest)) -> Check {
    let peer = lab.start().await?;
    let mut request = lab.opening(pb::Purpose::Read)?;
    change(&mut request);
    refused_with(sent, peer.client().open(request).await, &[Code::InvalidArgument]).map(drop)
}

async fn creating_is_for_an_apply_only(lab: &Lab<'_>) -> Check {
    refused(lab, "Open with create and the purpose to read", |request| request.create = true).await
}

async fn a_purpose_that_nobody_knows_opens_nothing(lab: &Lab<'_>) -> Check {
    for purpose in [0, 99] {
        refused(lab, &format!("Open with the purpose {purpose}"), |request| request.purpose = purpose).await?;
    }
    Ok(())
}

async fn an_open_that_would_wait_too_long_is_refused(lab: &Lab<'_>) -> Check {
    refused(lab, "Open with a wait of 20,001 ms", |request| request.lock_timeout_ms = 20_001).await
}

async fn an_open_without_a_target_is_refused(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let (request_id, engine, purpose) = (fresh(), lab.engine(), pb::Purpose::Read.into());
    let request = pb::OpenRequest { request_id, engine, purpose, ..Default::default() };
    refused_with("Open without a target", peer.client().open(request).await, &[Code::InvalidArgument]).map(drop)
}

async fn a_dev_database_that_is_not_there_opens_nothing(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let target = Some(pb::open_request::Target::DevId("nowhere".to_owned()));
    let (request_id, engine, purpose) = (fresh(), lab.engine(), pb::Purpose::Dev.into());
    let request = pb::OpenRequest { request_id, engine, purpose, target, ..Default::default() };
    refusal("Open of a dev database that is not there", peer.client().open(request).await).map(drop)
}

async fn reading_creates_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Open to read and Inspect of a database that does not exist";
    let peer = lab.start().await?;
    let session = match peer.client().open(lab.opening(pb::Purpose::Read)?).await {
        Ok(session) => Session { peer: &peer, facts: session.into_inner() },
        Err(status) => {
            return Err(crate::rule::pointless(format!("there is no database to read yet: {}", failed(&status))));
        }
    };
    ensure(!(session.facts.exists && lab.is_fresh()), SENT, "a database that nobody made exists")?;
    if session.facts.exists {
        return Err(crate::rule::pointless("the database at the address exists already"));
    }
    let reading = session.read().await?;
    ensure(reading.count == 0, SENT, format!("{} objects", reading.count))?;
    session.close().await?;
    let again = lab.open_to_read(&peer).await?;
    ensure(!again.facts.exists, SENT, "it exists afterwards")
}

async fn many_sessions_are_open_at_once(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Open of 16 sessions at once, then Inspect on each of them at once";
    let peer = lab.start().await?;
    lab.open(&peer).await?.apply(&[&lab.create("a")], None).await?;
    let opened = futures::future::join_all((0..16).map(|_| lab.open_to_read(&peer))).await;
    let sessions = opened.into_iter().collect::<Result<Vec<_>, _>>()?;
    let read = futures::future::join_all(sessions.iter().map(Session::fingerprint)).await;
    let read = read.into_iter().collect::<Result<std::collections::BTreeSet<_>, _>>()?;
    ensure(read.len() == 1, SENT, format!("{} different fingerprints", read.len()))
}

/// A call that takes some seconds, on its way.
pub(super) struct Running(tokio::task::JoinHandle<Option<Instant>>);

/// Starts the slow unit on a session, and waits until it is surely under way.
pub(super) async fn start_slow(lab: &Lab<'_>, session: &Session<'_>) -> Result<Running, Stop> {
    let slow = lab.slow()?.to_owned();
    let (mut client, request) = (session.client(), session.execution(&[&slow], None));
    let call = tokio::spawn(async move { client.execute(request).await.ok().map(|_| Instant::now()) });
    tokio::time::sleep(Duration::from_millis(300)).await;
    ensure(!call.is_finished(), "Execute of the slow unit", "it was over after 300 ms: give a slower one")?;
    Ok(Running(call))
}

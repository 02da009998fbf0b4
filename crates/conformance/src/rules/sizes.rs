//! Sizes: how large a message may be, to the byte, and that a larger one costs nothing but its call.

use prost::Message as _;
use ptah_provider_api::contract::{CALL_TIMEOUT, LARGE_MESSAGE_LIMIT, MESSAGE_LIMIT};
use ptah_provider_api::feature::LARGE_MESSAGES;
use ptah_provider_wire::pb;
use tonic::Code;

use super::sources::request_of;
use super::table;
use crate::lab::Lab;
use crate::message::describe;
use crate::peer::{Peer, whole};
use crate::rule::{Check, ensure, failed, is_transport, pointless};

table! { "sizes":
    a_message_of_four_mebibytes_passes => "One message is at most 4 MiB in each direction.",
    a_message_above_four_mebibytes_is_refused => "One message is at most 4 MiB in each direction.",
    a_large_message_passes_when_both_list_it [LARGE_MESSAGES] =>
        "One message is at most 64 MiB when both sides list transport.large-messages.",
    a_message_above_sixty_four_mebibytes_is_refused [LARGE_MESSAGES] =>
        "One message is at most 64 MiB when both sides list transport.large-messages.",
    a_large_message_is_refused_when_the_host_does_not_list_it [LARGE_MESSAGES] =>
        "A two-way feature is used only when both sides list it.",
    the_parts_of_a_large_reply_keep_the_limit =>
        "What can grow with a schema is a stream of parts, and each part keeps the limit.",
    describe_itself_keeps_the_limit => "Describe comes before anything is negotiated, so its limit is 4 MiB.",
}

/// Sends a request of exactly `size` bytes, and says whether its size was refused.
async fn refused(lab: &Lab<'_>, peer: &Peer, size: usize) -> Result<bool, crate::rule::Stop> {
    let sent = format!("AnalyzeSql with a request of {size} bytes");
    let request = request_of(lab.engine(), size);
    ensure(request.encoded_len() == size, &sent, "our own request has another size")?;
    match whole(peer.client().analyze_sql(request).await).await {
        Ok(_) => Ok(false),
        Err(status) => {
            ensure(!is_transport(&status), &sent, failed(&status))?;
            Ok(matches!(status.code(), Code::ResourceExhausted | Code::OutOfRange))
        }
    }
}

/// Proves where the limit is for a host that lists these features.
async fn limit(lab: &Lab<'_>, features: &[&str], size: usize, passes: bool) -> Check {
    let peer = lab.start_for(features).await?;
    let sent = format!("AnalyzeSql with a request of {size} bytes from a host that lists {features:?}");
    let refused = refused(lab, &peer, size).await?;
    let came = if refused { "its size was refused" } else { "it passed" };
    ensure(refused != passes, &sent, came)?;
    // The refusal costs its call and nothing else.
    let again = self::refused(lab, &peer, 64).await?;
    ensure(!again, "a small call after it", "it was refused")
}

async fn a_message_of_four_mebibytes_passes(lab: &Lab<'_>) -> Check {
    limit(lab, &[], MESSAGE_LIMIT, true).await
}

async fn a_message_above_four_mebibytes_is_refused(lab: &Lab<'_>) -> Check {
    limit(lab, &[], MESSAGE_LIMIT + 1, false).await
}

async fn a_large_message_passes_when_both_list_it(lab: &Lab<'_>) -> Check {
    limit(lab, &[LARGE_MESSAGES], LARGE_MESSAGE_LIMIT, true).await
}

async fn a_message_above_sixty_four_mebibytes_is_refused(lab: &Lab<'_>) -> Check {
    limit(lab, &[LARGE_MESSAGES], LARGE_MESSAGE_LIMIT + 1, false).await
}

async fn a_large_message_is_refused_when_the_host_does_not_list_it(lab: &Lab<'_>) -> Check {
    limit(lab, &[], LARGE_MESSAGE_LIMIT, false).await
}

/// A source whose analysis is larger than one message may be, in bytes.
const LARGE_SOURCE: usize = 2 * 1024 * 1024;

async fn the_parts_of_a_large_reply_keep_the_limit(lab: &Lab<'_>) -> Check {
    let peer = lab.start_for(&[]).await?;
    let one = lab.create("n").len() + 8;
    let text: String = (0..LARGE_SOURCE / one).map(|at| lab.create(&format!("n{at}")) + ";\n").collect();
    let sent = format!("AnalyzeSql of a source of {} bytes, with a limit of {MESSAGE_LIMIT} bytes", text.len());
    let request = pb::AnalyzeSqlRequest { engine: lab.engine(), source: "a.sql".to_owned(), text };
    let mut client = peer.client();
    let analysis = async { whole(client.analyze_sql(request).await).await };
    let answer = tokio::time::timeout(CALL_TIMEOUT, analysis).await;
    let answer = answer.map_err(|_| pointless("a source of 2 MiB is not analysed within the 30 seconds of a call"))?;
    // An engine may refuse a source of that size; it may not send a part that no host would take.
    let Ok(parts) = answer else { return Ok(()) };
    let largest = parts.into_inner().iter().map(prost::Message::encoded_len).max().unwrap_or_default();
    ensure(largest <= MESSAGE_LIMIT, sent, format!("a part of {largest} bytes"))
}

async fn describe_itself_keeps_the_limit(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Describe with a request above 4 MiB that lists transport.large-messages";
    let peer = lab.silent().await?;
    let mut request = describe(&[LARGE_MESSAGES]);
    request.host = "x".repeat(MESSAGE_LIMIT);
    let answer = peer.client().describe(request).await;
    ensure(answer.is_err(), SENT, "it was answered")?;
    peer.describe(describe(&[])).await.map(drop)
}

//! Sizes: 4 MiB, or 64 MiB when both sides list it; exactly that many bytes pass.

use prost::Message;
use ptah_provider_api::contract::{LARGE_MESSAGE_LIMIT, MESSAGE_LIMIT};
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::feature::LARGE_MESSAGES;
use ptah_provider_api::query::QueryRowsReply;
use ptah_provider_wire::{OnWire, pb};
use tonic::Code;

use crate::host::{Host, said};
use crate::zorp::{all_features, description};

/// A host that lists everything, with or without large messages.
async fn host(large: bool) -> Host {
    let host = Host::connect(description()).await;
    let mut features = all_features();
    if !large {
        features.remove(LARGE_MESSAGES);
    }
    host.describe(features).await.unwrap();
    host
}

/// Sends a request of exactly `size` bytes.
async fn send(host: &Host, size: usize) -> Result<Outcome, tonic::Status> {
    let session = host.open().await;
    let mut request = host.execute_request(&session, &["x"]);
    let around = |length: usize| {
        let mut with = request.clone();
        with.units = vec![ptah_provider_api::step::Unit::Sql { text: "x".repeat(length) }];
        with
    };
    let mut length = size - 200;
    while around(length).to_wire().encoded_len() < size {
        length += size - around(length).to_wire().encoded_len();
    }
    request = around(length);
    assert_eq!(request.clone().to_wire().encoded_len(), size);
    host.send(request).await.map(|reply| reply.outcome)
}

/// Asks for a reply of exactly `size` bytes.
async fn receive(host: &Host, size: usize) -> Result<usize, tonic::Status> {
    let session = host.open().await;
    let reply = |length: usize| QueryRowsReply {
        columns: vec!["a".to_owned()],
        rows: vec![vec![Some("x".repeat(length))]],
        more: false,
    };
    let mut length = size - 200;
    while reply(length).to_wire().encoded_len() < size {
        length += size - reply(length).to_wire().encoded_len();
    }
    let reply = host.query(&session, &length.to_string()).await?;
    Ok(reply.to_wire().encoded_len())
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_the_limit_passes_and_one_byte_more_is_refused_in_both_directions() {
    for (large, limit) in [(false, MESSAGE_LIMIT), (true, LARGE_MESSAGE_LIMIT)] {
        let host = host(large).await;
        assert_eq!(send(&host, limit).await.unwrap(), Outcome::Applied);
        let (code, reason) = said(&send(&host, limit + 1).await.unwrap_err());
        assert_eq!(code, Code::ResourceExhausted);
        assert_eq!(reason, format!("a request of {} bytes is larger than the limit of {limit} bytes", limit + 1));
        assert_eq!(receive(&host, limit).await.unwrap(), limit);
        let (code, reason) = said(&receive(&host, limit + 1).await.unwrap_err());
        assert_eq!(code, Code::ResourceExhausted);
        assert_eq!(reason, format!("a reply of {} bytes is larger than the limit of {limit} bytes", limit + 1));
        assert!(host.analyze("x").await.is_ok(), "the connection goes on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn describe_itself_keeps_the_small_limit() {
    let host = Host::connect(description()).await;
    let request = pb::DescribeRequest { host: "x".repeat(MESSAGE_LIMIT + 1), ..pb::DescribeRequest::default() };
    let status = host.client().describe(request).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(host.describe(all_features()).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_above_the_limit_arrives_in_parts_and_an_object_above_it_is_refused() {
    let host = host(false).await;
    let session = host.open().await;
    host.world.set_tables(&[900_000; 8]);
    assert_eq!(host.inspect(&session, false).await.unwrap().count, 8);
    host.world.set_tables(&[10, MESSAGE_LIMIT]);
    let (code, reason) = said(&host.inspect(&session, false).await.unwrap_err());
    assert_eq!(code, Code::ResourceExhausted);
    assert!(reason.ends_with(&format!("larger than the limit of {MESSAGE_LIMIT} bytes")), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bomb_is_refused_before_it_is_decoded() {
    let host = host(true).await;
    let session = host.open().await;
    let mut request = host.execute_request(&session, &["x"]).to_wire();
    request.units = vec![pb::Unit { unit: None }; MESSAGE_LIMIT];
    let status = host.client().execute(request).await.unwrap_err();
    assert_eq!(said(&status).0, Code::ResourceExhausted);
    assert_eq!(host.world.journal(), ["open"]);
}

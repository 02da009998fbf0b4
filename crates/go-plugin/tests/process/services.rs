//! The services beside the product's: what a foreign host finds on the connection.

use std::time::Duration;

use go_plugin::Exit;
use go_plugin::host::Plugin;
use tonic::Code;

use crate::support::{ask, launch};

mod plugin {
    #![expect(clippy::allow_attributes_without_reason, clippy::pedantic, unreachable_pub, reason = "generated code")]
    tonic::include_proto!("plugin");
}

mod health {
    #![expect(clippy::allow_attributes_without_reason, clippy::pedantic, unreachable_pub, reason = "generated code")]
    tonic::include_proto!("grpc.health.v1");
}

use health::health_check_response::ServingStatus;
use health::health_client::HealthClient;
use plugin::grpc_broker_client::GrpcBrokerClient;
use plugin::grpc_controller_client::GrpcControllerClient;
use plugin::grpc_stdio_client::GrpcStdioClient;

fn about(service: &str) -> health::HealthCheckRequest {
    health::HealthCheckRequest { service: service.to_owned() }
}

#[tokio::test]
async fn health_of_the_service_named_plugin_is_serving() {
    let started = Plugin::start(launch()).await.unwrap();
    let mut client = HealthClient::new(started.channel.clone());
    for service in ["plugin", ""] {
        let status = client.check(about(service)).await.unwrap().into_inner().status();
        assert_eq!(status, ServingStatus::Serving);
    }
    assert_eq!(client.check(about("other")).await.unwrap_err().code(), Code::NotFound);
    let mut watched = client.watch(about("plugin")).await.unwrap().into_inner();
    let first = watched.message().await.unwrap().unwrap();
    assert_eq!(first.status(), ServingStatus::Serving);
}

#[tokio::test]
async fn output_and_broker_stay_open_and_silent_and_end_with_the_plugin() {
    let started = Plugin::start(launch()).await.unwrap();
    let mut output = GrpcStdioClient::new(started.channel.clone()).stream_stdio(()).await.unwrap().into_inner();
    let announcements = tokio_stream::iter([plugin::ConnInfo::default()]);
    let open = futures::StreamExt::chain(announcements, futures::stream::pending());
    let mut broker = GrpcBrokerClient::new(started.channel.clone()).start_stream(open).await.unwrap().into_inner();
    let quiet = Duration::from_millis(100);
    assert!(tokio::time::timeout(quiet, output.message()).await.is_err());
    assert!(tokio::time::timeout(quiet, broker.message()).await.is_err());
    assert_eq!(ask(&started.channel, "echo").await.unwrap().payload, b"payload");
    GrpcControllerClient::new(started.channel.clone()).shutdown(plugin::Empty {}).await.unwrap();
    assert_eq!(started.plugin.exited().await, Exit::Status(0));
    assert!(!matches!(output.message().await, Ok(Some(_))));
    assert!(!matches!(broker.message().await, Ok(Some(_))));
}

#[tokio::test]
async fn a_novel_in_the_status_message_fails_its_call_only() {
    let started = Plugin::start(launch()).await.unwrap();
    let fits = ask(&started.channel, &"x".repeat(10_000)).await.unwrap_err();
    assert_eq!(fits.message().len(), 10_000);
    assert_eq!(fits.code(), Code::Internal);
    let too_long = ask(&started.channel, &"x".repeat(100_000)).await.unwrap_err();
    assert!(too_long.message().len() < 1_000, "{}", too_long.message().len());
    assert_eq!(ask(&started.channel, "echo").await.unwrap().payload, b"payload");
}

#[tokio::test]
async fn an_unknown_service_is_unimplemented() {
    let started = Plugin::start(launch()).await.unwrap();
    let mut grpc = tonic::client::Grpc::new(started.channel.clone());
    grpc.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<plugin::Empty, plugin::Empty>::default();
    let path = "/no.Such/Method".parse().unwrap();
    let status = grpc.unary(tonic::Request::new(plugin::Empty {}), path, codec).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}

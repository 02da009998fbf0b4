//! The services that every go-plugin process has beside the product's own: control, output, broker and health. Output and broker
//! are held open and stay silent, as Go hosts open them at once and complain when they are missing.

use std::pin::Pin;

use futures::{Stream, StreamExt as _};
use tokio::sync::watch;
use tonic::service::Routes;
use tonic::{Request, Response, Status, Streaming};

use crate::wire::health::health_check_response::ServingStatus;
use crate::wire::health::health_server::{Health, HealthServer};
use crate::wire::health::{HealthCheckRequest, HealthCheckResponse};
use crate::wire::plugin::grpc_broker_server::{GrpcBroker, GrpcBrokerServer};
use crate::wire::plugin::grpc_controller_server::{GrpcController, GrpcControllerServer};
use crate::wire::plugin::grpc_stdio_server::{GrpcStdio, GrpcStdioServer};
use crate::wire::plugin::{ConnInfo, Empty, StdioData};

/// The name under which a go-plugin host asks for health.
const HEALTH_NAME: &str = "plugin";

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Whether the plugin is to end: asked for by the host, by SIGTERM, or by the product itself.
#[derive(Debug, Clone)]
pub struct Ending(watch::Sender<bool>);

impl Ending {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Asks the plugin to end as the host's `Shutdown` does.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Resolves when the plugin is to end. Calls that still run have one more second.
    pub fn begun(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut receiver = self.0.subscribe();
        async move {
            let _ = receiver.wait_for(|begun| *begun).await;
        }
    }

    /// A stream that yields nothing and ends with the plugin: an open one would hold up the server's graceful end.
    fn silence<T: Send + 'static>(&self) -> Replies<T> {
        Box::pin(futures::stream::once(self.begun()).filter_map(|()| async { None }))
    }
}

/// Adds the four services to the product's.
pub(super) fn add(routes: Routes, ending: &Ending) -> Routes {
    routes
        .add_service(GrpcControllerServer::new(Controller(ending.clone())))
        .add_service(GrpcStdioServer::new(Output(ending.clone())))
        .add_service(GrpcBrokerServer::new(Broker(ending.clone())))
        .add_service(HealthServer::new(Healthy(ending.clone())))
}

struct Controller(Ending);

#[tonic::async_trait]
impl GrpcController for Controller {
    async fn shutdown(&self, _request: Request<Empty>) -> Result<Response<Empty>, Status> {
        self.0.begin();
        Ok(Response::new(Empty {}))
    }
}

struct Output(Ending);

#[tonic::async_trait]
impl GrpcStdio for Output {
    type StreamStdioStream = Replies<StdioData>;

    async fn stream_stdio(&self, _request: Request<()>) -> Result<Response<Self::StreamStdioStream>, Status> {
        Ok(Response::new(self.0.silence()))
    }
}

struct Broker(Ending);

#[tonic::async_trait]
impl GrpcBroker for Broker {
    type StartStreamStream = Replies<ConnInfo>;

    async fn start_stream(
        &self,
        request: Request<Streaming<ConnInfo>>,
    ) -> Result<Response<Self::StartStreamStream>, Status> {
        // Announcements are read, so that the host never blocks on them, and nothing is dialled.
        let announcements = request.into_inner().filter_map(|_| async { None });
        let replies = announcements.take_until(self.0.begun());
        Ok(Response::new(Box::pin(replies)))
    }
}

struct Healthy(Ending);

impl Healthy {
    fn serving(request: &HealthCheckRequest) -> Result<HealthCheckResponse, Status> {
        match request.service.as_str() {
            "" | HEALTH_NAME => Ok(HealthCheckResponse { status: ServingStatus::Serving.into() }),
            _ => Err(Status::not_found("")),
        }
    }
}

#[tonic::async_trait]
impl Health for Healthy {
    type WatchStream = Replies<HealthCheckResponse>;

    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        Self::serving(request.get_ref()).map(Response::new)
    }

    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let first = Self::serving(request.get_ref());
        let stream = futures::stream::once(async { first }).chain(self.0.silence());
        Ok(Response::new(Box::pin(stream)))
    }
}

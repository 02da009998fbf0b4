//! A plugin that streams its output, as those in Go do, is read to the end.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{Stream, StreamExt as _};
use hyper_util::rt::TokioIo;
use tonic::transport::{Endpoint, Server};
use tonic::{Request, Response, Status};

use super::discard_output;
use crate::wire::plugin::StdioData;
use crate::wire::plugin::grpc_stdio_server::{GrpcStdio, GrpcStdioServer};

/// 16 MiB in pieces of 1 KiB, counted as they are taken: a plugin whose pieces nobody takes blocks.
const PIECES: usize = 16 * 1024;

struct Chatty(Arc<AtomicUsize>);

#[tonic::async_trait]
impl GrpcStdio for Chatty {
    type StreamStdioStream = Pin<Box<dyn Stream<Item = Result<StdioData, Status>> + Send>>;

    async fn stream_stdio(&self, _: Request<()>) -> Result<Response<Self::StreamStdioStream>, Status> {
        let taken = Arc::clone(&self.0);
        let pieces = futures::stream::iter(0..PIECES).map(move |_| {
            taken.fetch_add(1, Ordering::Relaxed);
            Ok(StdioData { channel: 1, data: vec![b'x'; 1024] })
        });
        Ok(Response::new(Box::pin(pieces)))
    }
}

#[tokio::test]
async fn a_plugin_that_streams_its_output_never_blocks() {
    let taken = Arc::new(AtomicUsize::new(0));
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let server = Server::builder().add_service(GrpcStdioServer::new(Chatty(Arc::clone(&taken))));
    let serving = server.serve_with_incoming(futures::stream::iter([Ok::<_, std::io::Error>(theirs)]));
    let serving = tokio::spawn(serving);
    let mut once = Some(TokioIo::new(ours));
    let connector = tower::service_fn(move |_| {
        let io = once.take();
        async move { io.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotConnected)) }
    });
    let channel = Endpoint::from_static("http://localhost").connect_with_connector(connector).await.unwrap();
    discard_output(channel).await;
    assert_eq!(taken.load(Ordering::Relaxed), PIECES);
    serving.abort();
}

//! The one connection of a start: Unix socket, mutual TLS, HTTP/2. It is dialled once. A lost connection means a lost plugin, so a
//! second dial (which the transport would make on its own) is refused.

use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::transport::{Channel, Endpoint};

use crate::bootstrap::{CONNECTION_WINDOW, HEADER_LIST_LIMIT, STREAM_WINDOW};
use crate::identity::SERVER_NAME;

use super::error::StartError;

/// Connects to the plugin, and returns when the plugin has accepted the connection too.
///
/// In TLS 1.3 a client's handshake is over before the server has looked at the client's certificate. A server that refuses it
/// answers the first data with an alert, so the connection counts only when the server's first data has come: every HTTP/2 server
/// sends its settings at once.
pub(super) async fn connect(socket: &Path, config: ClientConfig) -> Result<Channel, StartError> {
    let tls = handshake(socket, config).await?;
    let (io, first_data) = FirstData::watch(tls);
    let mut once = Some(TokioIo::new(io));
    let connector = tower::service_fn(move |_| {
        let io = once.take();
        async move { io.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)) }
    });
    let endpoint = Endpoint::from_static("http://localhost")
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_max_header_list_size(HEADER_LIST_LIMIT);
    let channel = endpoint.connect_with_connector(connector).await.map_err(StartError::Transport)?;
    match first_data.await {
        Ok(Ok(())) => Ok(channel),
        Ok(Err(error)) => Err(StartError::Tls(error)),
        // The transport let go of the connection without reading from it.
        Err(_) => Err(StartError::Tls(io::ErrorKind::ConnectionAborted.into())),
    }
}

async fn handshake(socket: &Path, config: ClientConfig) -> Result<TlsStream<UnixStream>, StartError> {
    // A symbolic link could lead out of the private directory.
    let kind = std::fs::symlink_metadata(socket).map_err(StartError::Connect)?.file_type();
    if !kind.is_socket() {
        return Err(StartError::Connect(io::ErrorKind::InvalidInput.into()));
    }
    let stream = UnixStream::connect(socket).await.map_err(StartError::Connect)?;
    let name = ServerName::try_from(SERVER_NAME).map_err(|error| StartError::Tls(io::Error::other(error)))?;
    let tls = TlsConnector::from(Arc::new(config)).connect(name, stream).await.map_err(StartError::Tls)?;
    if tls.get_ref().1.alpn_protocol() != Some(b"h2") {
        return Err(StartError::Tls(io::Error::other("the plugin did not negotiate HTTP/2")));
    }
    Ok(tls)
}

/// A stream that tells once whether data came from the far side.
struct FirstData<S> {
    stream: S,
    tell: Option<oneshot::Sender<io::Result<()>>>,
}

impl<S> FirstData<S> {
    fn watch(stream: S) -> (Self, oneshot::Receiver<io::Result<()>>) {
        let (tell, told) = oneshot::channel();
        (Self { stream, tell: Some(tell) }, told)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FirstData<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let result = ready!(Pin::new(&mut self.stream).poll_read(cx, buf));
        if let Some(tell) = self.tell.take() {
            let seen = match &result {
                Ok(()) if buf.filled().len() > before => Ok(()),
                Ok(()) => Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
            };
            let _ = tell.send(seen);
        }
        Poll::Ready(result)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FirstData<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

//! The plugin's socket: bound in the host's directory, and every connection passes mutual TLS before the server sees it. Handshakes
//! run beside each other, so that a silent client holds up nobody.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::ServerConfig;
use tempfile::{NamedTempFile, TempDir};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Connected;

use crate::bootstrap::SOCKET_PATH_LIMIT;

use super::error::ServeError;

/// A client that has not finished its handshake by then is dropped.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// After a failed accept (too many open files): a pause instead of a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The bound socket. Its drop unlinks the socket and, where the plugin made it, the directory.
#[derive(Debug)]
pub(super) struct Socket {
    listener: NamedTempFile<StdListener>,
    /// Dropped after the socket in it.
    directory: Option<TempDir>,
}

impl Socket {
    /// Binds in `directory`, else in a new directory that only this user can enter.
    pub(super) fn bind(directory: Option<PathBuf>) -> Result<Self, ServeError> {
        let own = directory.is_none().then(own_directory).transpose().map_err(ServeError::Socket)?;
        let place = directory.or_else(|| own.as_ref().map(|own| own.path().to_path_buf())).unwrap_or_default();
        let mut too_long = false;
        let bound = tempfile::Builder::new().prefix("plugin").make_in(&place, |path| {
            too_long = path.as_os_str().len() > SOCKET_PATH_LIMIT || path.to_str().is_none();
            if too_long {
                return Err(io::ErrorKind::InvalidFilename.into());
            }
            let listener = StdListener::bind(path)?;
            std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        match bound {
            Ok(listener) => Ok(Self { listener, directory: own }),
            Err(_) if too_long => Err(ServeError::SocketPath),
            Err(error) => Err(ServeError::Socket(error)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.listener.path()
    }

    /// The directory, if the plugin made it.
    pub(super) fn own_directory(&self) -> Option<&Path> {
        self.directory.as_ref().map(TempDir::path)
    }

    /// Accepts connections until the returned stream is dropped. Must be called inside a tokio runtime.
    pub(super) fn accept(&self, config: ServerConfig) -> Result<ReceiverStream<io::Result<Secured>>, ServeError> {
        let listener = self.listener.as_file().try_clone().map_err(ServeError::Socket)?;
        let listener = UnixListener::from_std(listener).map_err(ServeError::Socket)?;
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(accept(listener, TlsAcceptor::from(Arc::new(config)), sender));
        Ok(ReceiverStream::new(receiver))
    }
}

fn own_directory() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("plugin-").permissions(Permissions::from_mode(0o700)).tempdir()
}

async fn accept(listener: UnixListener, acceptor: TlsAcceptor, sender: mpsc::Sender<io::Result<Secured>>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = sender.closed() => return,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let (acceptor, sender) = (acceptor.clone(), sender.clone());
        tokio::spawn(async move {
            let secured = tokio::time::timeout(HANDSHAKE_LIMIT, acceptor.accept(stream)).await;
            // A refused client has got its TLS alert; there is nobody to tell.
            if let Ok(Ok(stream)) = secured {
                let _ = sender.send(Ok(Secured(stream))).await;
            }
        });
    }
}

/// A connection with the host, which has proven who it is.
#[derive(Debug)]
pub(super) struct Secured(TlsStream<UnixStream>);

impl Connected for Secured {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Secured {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Secured {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }
}

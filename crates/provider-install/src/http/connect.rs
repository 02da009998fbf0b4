//! A connection to a server: plain to this machine alone, else with TLS and a name that the server has proven.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::{HttpFault, TlsFault, Url};

/// A connection.
#[derive(Debug)]
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// Connects.
pub(super) async fn connect(url: &Url) -> Result<Stream, HttpFault> {
    let connected = TcpStream::connect((url.bare_host(), url.port())).await;
    let stream = connected.map_err(HttpFault::Unreachable)?;
    if !url.is_tls() {
        return Ok(Stream::Plain(stream));
    }
    let name = ServerName::try_from(url.bare_host().to_owned()).map_err(|_| HttpFault::Tls(TlsFault::Name))?;
    let connector = TlsConnector::from(Arc::new(config()?));
    let stream = connector.connect(name, stream).await.map_err(|error| HttpFault::Tls(TlsFault::of(&error)))?;
    Ok(Stream::Tls(Box::new(stream)))
}

impl TlsFault {
    /// In our words: the library's can quote names from the server's certificate.
    fn of(error: &io::Error) -> Self {
        use rustls::CertificateError as Bad;
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match inner {
            Some(rustls::Error::InvalidCertificate(bad)) => match bad {
                Bad::Expired | Bad::ExpiredContext { .. } | Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
                    Self::Time
                }
                Bad::NotValidForName | Bad::NotValidForNameContext { .. } => Self::Name,
                Bad::UnknownIssuer => Self::Issuer,
                _ => Self::Certificate,
            },
            _ => Self::Protocol,
        }
    }
}

/// Trusts whom this machine trusts.
fn config() -> Result<ClientConfig, HttpFault> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(HttpFault::NoRoots);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|_| HttpFault::Tls(TlsFault::Protocol))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

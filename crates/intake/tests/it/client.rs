//! A client that sends anything.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::TokioIo;
use ptah_intake::authority::Generation;
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::server::Server;

static TLS_13: [&SupportedProtocolVersion; 1] = [&rustls::version::TLS13];
static TLS_12: [&SupportedProtocolVersion; 1] = [&rustls::version::TLS12];

/// There is no such server, or it does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreachable;

/// Asks a server under one name.
#[derive(Clone)]
pub(crate) struct Asks {
    port: u16,
    generation: Generation,
    name: String,
    versions: &'static [&'static SupportedProtocolVersion],
}

impl Asks {
    /// Under the newest generation.
    pub(crate) fn new(server: &Server) -> Self {
        let generation = server.authority.newest().clone();
        let name = generation.server_name().to_string();
        Self { port: server.port, generation, name, versions: &TLS_13 }
    }

    pub(crate) fn named(&self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self.clone() }
    }

    pub(crate) fn by_tls_12(&self) -> Self {
        Self { versions: &TLS_12, ..self.clone() }
    }

    async fn connect(&self) -> Result<TlsStream<TcpStream>, Unreachable> {
        let mut roots = RootCertStore::empty();
        let authority = self.generation.authority().as_str().as_bytes();
        roots.add(CertificateDer::from_pem_slice(authority).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(self.versions)
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connection = TcpStream::connect(("127.0.0.1", self.port)).await.map_err(|_| Unreachable)?;
        let name = ServerName::try_from(self.name.clone()).unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, connection).await.map_err(|_| Unreachable)
    }

    /// Sends one request, with what stands in its `Authorization`.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        authorization: &str,
        body: &[u8],
    ) -> Result<(u16, Bytes), Unreachable> {
        let connection = TokioIo::new(self.connect().await?);
        let (mut sender, driver) = hyper::client::conn::http1::handshake(connection).await.map_err(|_| Unreachable)?;
        let driving = tokio::spawn(driver);
        let request = Request::builder().method(method).uri(path).header("host", &self.name);
        let request = request.header("authorization", authorization).body(Full::new(Bytes::copy_from_slice(body)));
        let answer = sender.send_request(request.unwrap()).await.map_err(|_| Unreachable)?;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.map_err(|_| Unreachable)?.to_bytes();
        driving.abort();
        Ok((status, body))
    }

    /// Sends exactly these bytes, and reads what comes until the end.
    pub(crate) fn raw(&self, bytes: &[u8], then_ends: bool) -> String {
        block_on(async {
            let mut connection = self.connect().await.unwrap();
            connection.write_all(bytes).await.unwrap();
            if then_ends {
                connection.shutdown().await.unwrap();
            }
            let mut answer = Vec::new();
            // An end without the last words of TLS is an end.
            let _ = connection.read_to_end(&mut answer).await;
            String::from_utf8_lossy(&answer).into_owned()
        })
    }

    /// A part of a result, put by whom the header says; the status.
    pub(crate) fn put(&self, path: &str, authorization: &str, body: &[u8]) -> u16 {
        block_on(self.send(Method::PUT, path, authorization, body)).unwrap().0
    }

    /// The status of what is not there, if there is a server at all.
    pub(crate) fn unknown_path(&self) -> Result<u16, Unreachable> {
        block_on(self.send(Method::GET, "/", "", b"")).map(|(status, _)| status)
    }
}

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

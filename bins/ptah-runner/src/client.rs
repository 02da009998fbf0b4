//! One request to the manager: TLS to the one name and the one authority that the operation gives, nothing else believed.
//!
//! A connection for each request, no retry, no redirect, and of an answer at most [`MESSAGE`] bytes. Who decides what an
//! answer means is the caller.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use ptah_records::operator::latest::Delivery;
use ptah_records::operator::limits::MESSAGE;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use zeroize::Zeroizing;

use crate::disk;

/// How long one request may take, its connection included.
const PATIENCE: Duration = Duration::from_secs(20);
/// The largest token that is read, in bytes.
const TOKEN: usize = 16 * 1024;

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) enum Credential {
    /// The Pod, by the token in this file. The kubelet renews it, so it is read anew each time.
    Token(PathBuf),
    /// Whoever was let in, by the key that the permit names.
    Key(Key),
}

/// A key that only this process has. It is made once, and what the manager keeps is its digest.
#[derive(Clone)]
pub(crate) struct Key(Zeroizing<[u8; 32]>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// A new one.
    pub(crate) fn random() -> std::io::Result<Self> {
        let mut bytes = Zeroizing::new([0; 32]);
        let got = rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty())?;
        if got == bytes.len() { Ok(Self(bytes)) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Its bytes, to be hashed.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0[..]
    }
}

/// Why there is no answer. Nothing is known of what the manager did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswer {
    /// The token cannot be read.
    #[error("the Pod's token cannot be read")]
    Token,
    /// The authority or the name in the operation is none.
    #[error("the manager's address in the operation is not one")]
    Address,
    /// There was no connection, or not with whom it should be.
    #[error("the manager cannot be reached, or is not the one that the operation names")]
    Connection,
    /// It took too long.
    #[error("the manager did not answer in time")]
    Late,
    /// The answer was cut or too long.
    #[error("the manager's answer was cut or too long")]
    Answer,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// How it went.
    pub(crate) status: StatusCode,
    /// What it says, at most [`MESSAGE`] bytes.
    pub(crate) body: Bytes,
}

/// The manager, as the operation names it.
#[derive(Debug)]
pub(crate) struct Client {
    delivery: Delivery,
    connector: Result<(Arc<ClientConfig>, ServerName<'static>), NoAnswer>,
}

impl Client {
    /// A client for this manager.
    pub(crate) fn new(delivery: &Delivery) -> Self {
        Self { connector: connector(delivery), delivery: delivery.clone() }
    }

    /// Sends one request.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        credential: &Credential,
        body: Bytes,
    ) -> Result<Answer, NoAnswer> {
        let exchange = self.exchange(method, path, credential, body);
        tokio::time::timeout(PATIENCE, exchange).await.unwrap_or(Err(NoAnswer::Late))
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        credential: &Credential,
        body: Bytes,
    ) -> Result<Answer, NoAnswer> {
        let mut authorization = header::HeaderValue::from_str(&credential.header()?).map_err(|_| NoAnswer::Token)?;
        authorization.set_sensitive(true);
        let (config, name) = self.connector.clone()?;
        let port = u16::try_from(self.delivery.port.get()).map_err(|_| NoAnswer::Address)?;
        let connection = TcpStream::connect((self.delivery.host.as_str(), port)).await;
        let connection = connection.map_err(|_| NoAnswer::Connection)?;
        let connection = TlsConnector::from(config).connect(name, connection).await;
        let connection = TokioIo::new(connection.map_err(|_| NoAnswer::Connection)?);
        let handshake = hyper::client::conn::http1::handshake(connection).await;
        let (mut sender, driver) = handshake.map_err(|_| NoAnswer::Connection)?;
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.delivery.server_name.as_str())
            .header(header::AUTHORIZATION, authorization)
            .body(Full::new(body))
            .map_err(|_| NoAnswer::Address)?;
        // Ends with the connection, which ends with the sender.
        tokio::spawn(driver);
        let answer = sender.send_request(request).await.map_err(|_| NoAnswer::Answer)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MESSAGE).collect().await.map_err(|_| NoAnswer::Answer)?;
        Ok(Answer { status, body: body.to_bytes() })
    }
}

impl Credential {
    fn header(&self) -> Result<Zeroizing<String>, NoAnswer> {
        match self {
            Self::Token(file) => token(file).map(|token| Zeroizing::new(format!("Bearer {}", *token))),
            Self::Key(key) => Ok(Zeroizing::new(format!("Ptah-Key {}", *Zeroizing::new(hex::encode(key.bytes()))))),
        }
    }
}

fn token(file: &Path) -> Result<Zeroizing<String>, NoAnswer> {
    let bytes = disk::read(file, TOKEN).map_err(|_| NoAnswer::Token)?;
    let text = Zeroizing::new(String::from_utf8(bytes).map_err(|_| NoAnswer::Token)?);
    let token = Zeroizing::new(text.trim().to_owned());
    if token.is_empty() { Err(NoAnswer::Token) } else { Ok(token) }
}

fn connector(delivery: &Delivery) -> Result<(Arc<ClientConfig>, ServerName<'static>), NoAnswer> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(delivery.authority.as_str().as_bytes()) {
        let certificate = certificate.map_err(|_| NoAnswer::Address)?;
        roots.add(certificate).map_err(|_| NoAnswer::Address)?;
    }
    let name = ServerName::try_from(delivery.server_name.as_str().to_owned()).map_err(|_| NoAnswer::Address)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|_| NoAnswer::Address)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok((Arc::new(config), name))
}

//! A manager for tests: real TLS, real HTTP, and answers as a test scripts them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use ptah_records::operator::latest::{PermitAnswer, PermitRequest};
use ptah_records::operator::seal;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// The name in its certificate.
pub(crate) const NAME: &str = "g1.results.test";

/// One request, as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) authorization: String,
    pub(crate) body: Bytes,
}

/// What the server does.
#[derive(Debug)]
pub(crate) struct Script {
    /// One answer for each request for a permit; the last one for all that follow. `None` is a dropped connection.
    pub(crate) permits: Vec<Option<(StatusCode, PermitAnswer)>>,
    /// One status for each delivery; the last one for all that follow. `None` stores it and drops the connection.
    pub(crate) deliveries: Vec<Option<StatusCode>>,
}

#[derive(Debug, Default)]
struct Seen {
    asked: Vec<Asked>,
    stored: BTreeMap<String, Bytes>,
}

/// A running server; it ends with the test's process.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) authority: String,
    seen: Arc<Mutex<Seen>>,
}

impl Server {
    pub(crate) fn start(script: Script) -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = rcgen::CertificateParams::new([NAME.to_owned()]).unwrap().self_signed(&key).unwrap();
        let key = rustls_pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (acceptor, at_work) = (TlsAcceptor::from(Arc::new(config)), seen.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(serve(listener, acceptor, Arc::new(Mutex::new(script)), at_work));
        });
        Self { port, authority: certificate.pem(), seen }
    }

    /// Every request so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.seen.lock().unwrap().asked.clone()
    }

    /// The requests for a permit.
    pub(crate) fn permits(&self) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| asked.path == "/v1/permit").collect()
    }

    /// What is stored, by its path.
    pub(crate) fn stored(&self) -> BTreeMap<String, Bytes> {
        self.seen.lock().unwrap().stored.clone()
    }
}

async fn serve(
    listener: std::net::TcpListener,
    acceptor: TlsAcceptor,
    script: Arc<Mutex<Script>>,
    seen: Arc<Mutex<Seen>>,
) {
    let listener = TcpListener::from_std(listener).unwrap();
    loop {
        let Ok((connection, _)) = listener.accept().await else { continue };
        let (acceptor, script, seen) = (acceptor.clone(), script.clone(), seen.clone());
        tokio::spawn(async move {
            let Ok(connection) = acceptor.accept(connection).await else { return };
            let answer = hyper::service::service_fn(move |request| {
                let (script, seen) = (script.clone(), seen.clone());
                async move { answer(request, &script, &seen).await }
            });
            // A dropped connection is what some tests ask for.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(connection), answer).await;
        });
    }
}

/// An answer, or an error that drops the connection.
async fn answer(
    request: Request<Incoming>,
    script: &Mutex<Script>,
    seen: &Mutex<Seen>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let authorization = head.headers["authorization"].to_str().unwrap_or_default().to_owned();
    let path = head.uri.path().to_owned();
    let asked = Asked { method: head.method, path: path.clone(), authorization, body: body.clone() };
    seen.lock().unwrap().asked.push(asked);
    let dropped = || std::io::Error::other("dropped by the script");
    let (status, bytes) = if path == "/v1/permit" {
        let request: PermitRequest = seal::read(&body).map_err(|_| dropped())?;
        let (status, answer) = next(&mut script.lock().unwrap().permits).ok_or_else(dropped)?;
        let answer = match answer {
            PermitAnswer::Granted { budget_seconds, .. } => {
                PermitAnswer::Granted { operation_id: request.operation_id, budget_seconds }
            }
            other => other,
        };
        (status, Bytes::from(seal::write(&answer).unwrap()))
    } else {
        let status = next(&mut script.lock().unwrap().deliveries);
        if status.is_none_or(|status| status.is_success()) {
            seen.lock().unwrap().stored.insert(path, body);
        }
        (status.ok_or_else(dropped)?, Bytes::new())
    };
    let mut response = Response::new(Full::new(bytes));
    *response.status_mut() = status;
    Ok(response)
}

/// The next entry; the last one stays.
fn next<T: Clone>(list: &mut Vec<T>) -> T {
    if list.len() > 1 { list.remove(0) } else { list[0].clone() }
}

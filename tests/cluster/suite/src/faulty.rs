//! A client that fails at one request: the k-th write of a manager, before it took effect or after.
//!
//! Counted are the writes that a resource's way consists of. What a manager writes about itself (its election, the questions that
//! prove the policies, reviews of tokens) is no step of that way.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use kube::client::{Body, ClientBuilder};
use kube::{Client, Config};
use serde_json::json;
use tokio::sync::Notify;
use tower::{BoxError, Layer, Service};

/// What happens at the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The manager dies, and the request was never sent.
    DiesBefore,
    /// The manager dies, and the request took effect.
    DiesAfter,
    /// The request was not sent, and an error comes back that says nothing.
    LostBefore,
    /// The request took effect, and an error comes back that says nothing.
    LostAfter,
    /// The API server has no time for it.
    TooMany,
}

/// What a faulty client has done, and where it fails.
#[derive(Clone)]
pub(crate) struct Faults {
    at: Option<(usize, Fault)>,
    count: Arc<AtomicUsize>,
    died: Arc<Notify>,
}

impl Faults {
    /// Fails at the k-th write, from 1; nowhere for nothing.
    pub(crate) fn at(at: Option<(usize, Fault)>) -> Self {
        Self { at, count: Arc::default(), died: Arc::default() }
    }

    /// How many writes were made so far.
    pub(crate) fn writes(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Waits until the manager has to be dead.
    pub(crate) async fn died(&self) {
        self.died.notified().await;
    }

    /// A client that fails so.
    pub(crate) fn client(&self, config: Config) -> Result<Client, kube::Error> {
        Ok(ClientBuilder::try_from(config)?.with_layer(self).build())
    }

    /// What happens to a request; nothing to most.
    fn strikes<B>(&self, request: &Request<B>) -> Option<Fault> {
        if !is_step(request.method(), request.uri().path(), request.uri().query().unwrap_or_default()) {
            return None;
        }
        let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        self.at.filter(|(at, _)| *at == count).map(|(_, fault)| fault)
    }
}

/// Whether a request is a step of a resource's way.
fn is_step(method: &Method, path: &str, query: &str) -> bool {
    *method != Method::GET
        && !query.contains("dryRun")
        && !path.ends_with("/leases/ptah-operator")
        && !path.contains("/secrets")
        && !path.contains("/tokenreviews")
        && !path.ends_with("/events")
}

/// A service that fails so.
#[derive(Clone)]
pub(crate) struct Faulty<S> {
    inner: S,
    faults: Faults,
}

impl<S> Layer<S> for Faults {
    type Service = Faulty<S>;

    fn layer(&self, inner: S) -> Faulty<S> {
        Faulty { inner, faults: self.clone() }
    }
}

/// The body of an answer.
type Bytes = Box<dyn http_body::Body<Data = bytes::Bytes, Error = BoxError> + Send + Unpin>;

impl<S> Service<Request<Body>> for Faulty<S>
where
    S: Service<Request<Body>, Response = Response<Bytes>, Error = BoxError> + Send,
    S::Future: Send + 'static,
{
    type Response = Response<Bytes>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let fault = self.faults.strikes(&request);
        let sent = !matches!(fault, Some(Fault::DiesBefore | Fault::LostBefore | Fault::TooMany));
        let answering = sent.then(|| self.inner.call(request));
        let died = self.faults.died.clone();
        Box::pin(async move {
            let answer = match answering {
                Some(answering) => Some(answering.await?),
                None => None,
            };
            match (fault, answer) {
                (None, Some(answer)) => Ok(answer),
                (Some(Fault::DiesBefore | Fault::DiesAfter), _) => {
                    died.notify_one();
                    std::future::pending().await
                }
                (Some(Fault::TooMany), _) => said(StatusCode::TOO_MANY_REQUESTS),
                (Some(Fault::LostBefore | Fault::LostAfter) | None, _) => said(StatusCode::INTERNAL_SERVER_ERROR),
            }
        })
    }
}

/// An answer of the API server that says no more than its status.
fn said(status: StatusCode) -> Result<Response<Bytes>, BoxError> {
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "injected", "code": status.as_u16(),
    });
    let body: Bytes = Box::new(Full::new(bytes::Bytes::from(body.to_string())).map_err(|never| match never {}));
    Ok(Response::builder().status(status).body(body)?)
}

//! Connections: TLS, one request each, and bounds on everything that a stranger can hold open.

mod answer;
mod body;
mod permit;
mod places;
mod result;

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::gatekeeper::Gatekeeper;
use crate::names::{Names, NamesProblem};
use crate::reviewer::Reviewer;
use crate::store::Store;
use answer::Answer;
use places::Places;
pub use places::{UPLOADS, UPLOADS_OF_ONE};

/// How many connections there are at once. Further ones wait to be accepted.
const CONNECTIONS: usize = 256;
/// How long greeting may take.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(5);
/// How long a request may take altogether: the runner waits for 20 seconds.
const REQUEST: Duration = Duration::from_secs(18);
/// The most bytes of a request's head: a token may have 16 KiB.
const HEAD_SIZE: usize = 32 * 1024;
/// How long and how much is read and dropped after an answer to a request that was not read to its end. Without that, the
/// answer could be lost on its way.
const LINGER: (Duration, u64) = (Duration::from_secs(2), 1024 * 1024);
/// How long after an error a connection is accepted again; errors of this sort are a lack of descriptors.
const BREATH: Duration = Duration::from_millis(100);

/// What is told about each request: nothing that a Pod sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// What was asked for: `permit`, `piece`, `complete`, or `nothing` of it.
    pub asked: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// Why, in a few words of ours.
    pub why: &'static str,
}

/// Who is told.
type Watcher = Box<dyn Fn(Note) + Send + Sync>;

/// The server's parts, shared by its connections.
pub struct Intake<R, G, S> {
    reviewer: R,
    gatekeeper: G,
    store: S,
    uploads: Places,
    watcher: Option<Watcher>,
}

impl<R, G, S> std::fmt::Debug for Intake<R, G, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Intake")
    }
}

impl<R: Reviewer, G: Gatekeeper, S: Store> Intake<R, G, S> {
    /// A server of these parts.
    pub fn new(reviewer: R, gatekeeper: G, store: S) -> Self {
        Self { reviewer, gatekeeper, store, uploads: Places::default(), watcher: None }
    }

    /// The same, telling about each request, for counters and logs. What is called must not wait.
    #[must_use]
    pub fn watched(mut self, watcher: impl Fn(Note) + Send + Sync + 'static) -> Self {
        self.watcher = Some(Box::new(watcher));
        self
    }

    /// Answers one request, in time.
    async fn respond(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (asked, answering) = answer::route(request.method(), request.uri().path());
        let answer = match timeout(REQUEST, self.dispatch(answering, request)).await {
            Ok(answer) => answer,
            Err(_) => Answer::later("it took too long"),
        };
        if let Some(watcher) = &self.watcher {
            watcher(Note { asked, status: answer.status.as_u16(), why: answer.why });
        }
        answer.into_response()
    }

    async fn dispatch(&self, route: answer::Route, request: Request<Incoming>) -> Answer {
        match route {
            answer::Route::Permit => self.permit(request).await,
            answer::Route::Result(target) => self.result(&target, request).await,
            answer::Route::Wrong(answer) => answer,
        }
    }
}

/// Serves until `stop`, and then finishes what was begun, which takes at most half a minute.
///
/// Dropping it ends everything at once; no result is lost by that, because none is acknowledged before it is kept.
pub async fn serve<R: Reviewer, G: Gatekeeper, S: Store>(
    listener: TcpListener,
    names: &Arc<Names>,
    intake: Arc<Intake<R, G, S>>,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), NamesProblem> {
    let acceptor = TlsAcceptor::from(names.config()?);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        let next = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = &mut stop => break,
            next = next => next,
        };
        while connections.try_join_next().is_some() {}
        let Ok((connection, _)) = accepted else {
            tokio::time::sleep(BREATH).await;
            continue;
        };
        let (acceptor, intake) = (acceptor.clone(), intake.clone());
        connections.spawn(async move {
            let _place = place;
            let greeted = timeout(HANDSHAKE, acceptor.accept(connection)).await;
            if let Ok(Ok(connection)) = greeted {
                answer_one(connection, &intake).await;
            }
        });
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
    Ok(())
}

/// Answers the one request of a connection.
async fn answer_one<R: Reviewer, G: Gatekeeper, S: Store>(
    connection: TlsStream<TcpStream>,
    intake: &Arc<Intake<R, G, S>>,
) {
    let service = service_fn(|request| async { Ok::<_, Infallible>(intake.respond(request).await) });
    let connection = http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(HEAD_SIZE)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(connection), service);
    // Whatever goes wrong with a connection, its Pod asks again.
    let Ok(parts) = connection.without_shutdown().await else { return };
    let (patience, most) = LINGER;
    let mut connection = parts.io.into_inner();
    let linger = async {
        connection.shutdown().await?;
        let (below, _) = connection.get_mut();
        tokio::io::copy(&mut below.take(most), &mut tokio::io::sink()).await
    };
    let _ = timeout(patience, linger).await;
}

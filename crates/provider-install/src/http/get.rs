//! One file from a server: redirects followed within their rules, then the body piece by piece.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, LOCATION, USER_AGENT};
use http::{HeaderName, Request, Response};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::connect::connect;
use super::{HttpFault, Limits, RedirectFault, Url};

/// How often one answer may send on to another address.
const REDIRECTS: usize = 5;

/// What asks servers, within limits that begin when it is made.
#[derive(Debug)]
pub(crate) struct Client {
    limits: Limits,
    until: Instant,
    /// Whether `http` is allowed to other machines.
    plain: bool,
    agent: String,
}

/// An answer whose body has not been read.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    client: &'a Client,
    /// Where it came from in the end.
    pub(crate) url: Url,
    body: Incoming,
    _connection: Connection,
}

impl Client {
    /// A client. `plain` allows `http` to other machines than this one.
    pub(crate) fn new(limits: Limits, plain: bool, agent: &str) -> Self {
        Self { limits, until: Instant::now() + limits.whole, plain, agent: agent.to_owned() }
    }

    /// Asks for a file.
    ///
    /// **Errors.** Every answer but 200 with a body that is a file; see [`HttpFault`].
    pub(crate) async fn get(&self, url: &Url) -> Result<Answer<'_>, HttpFault> {
        let mut url = url.clone();
        for _ in 0..=REDIRECTS {
            if !url.is_tls() && !self.plain && !url.is_loopback() {
                return Err(HttpFault::Plain);
            }
            let (response, connection) = self.ask(&url).await?;
            if !response.status().is_redirection() {
                check(&response)?;
                return Ok(Answer { client: self, url, body: response.into_body(), _connection: connection });
            }
            url = redirect(&url, &response)?;
        }
        Err(HttpFault::Redirect { fault: RedirectFault::TooMany })
    }

    async fn ask(&self, url: &Url) -> Result<(Response<Incoming>, Connection), HttpFault> {
        let stream = self.within(self.limits.connect, "to connect", connect(url)).await??;
        let asked = async {
            let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
            let (mut sender, connection) = handshake.map_err(|_| HttpFault::Broken)?;
            // What is wrong with a connection shows in the answer that it carries.
            let connection = Connection(tokio::spawn(async move { drop(connection.await) }));
            let request = Request::get(url.target())
                .header(HOST, url.authority())
                .header(USER_AGENT, &self.agent)
                .header(ACCEPT_ENCODING, "identity")
                .body(Empty::<Bytes>::new())
                .map_err(|_| HttpFault::Broken)?;
            let response = sender.send_request(request).await.map_err(|_| HttpFault::Broken)?;
            Ok((response, connection))
        };
        self.within(self.limits.idle, "to answer", asked).await?
    }

    /// Within a limit of its own and that of the whole, whichever ends first.
    async fn within<T>(
        &self,
        limit: Duration,
        what: &'static str,
        work: impl Future<Output = T>,
    ) -> Result<T, HttpFault> {
        let own = Instant::now() + limit;
        let (until, fault) = if own < self.until {
            (own, HttpFault::Timeout { what, limit })
        } else {
            (self.until, HttpFault::Timeout { what: "for all that was to be read", limit: self.limits.whole })
        };
        timeout_at(until, work).await.map_err(|_| fault)
    }
}

impl Answer<'_> {
    /// The next piece; nothing at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, HttpFault> {
        loop {
            let limit = self.client.limits.idle;
            let frame = self.client.within(limit, "to send more", self.body.frame()).await?;
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|_| HttpFault::Broken)?;
            // Anything but data says nothing that is needed here.
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
    }
}

/// The task of a connection: it ends when nobody reads from it any more.
#[derive(Debug)]
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn check(response: &Response<Incoming>) -> Result<(), HttpFault> {
    if response.status() != http::StatusCode::OK {
        return Err(HttpFault::Status { status: response.status().as_u16() });
    }
    if text(response, &CONTENT_ENCODING).is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        return Err(HttpFault::Encoding);
    }
    let is_page = |kind: &str| kind.trim_start().to_ascii_lowercase().starts_with("text/html");
    if text(response, &CONTENT_TYPE).is_some_and(is_page) {
        return Err(HttpFault::WebPage);
    }
    Ok(())
}

fn redirect(from: &Url, response: &Response<Incoming>) -> Result<Url, HttpFault> {
    let refused = |fault| HttpFault::Redirect { fault };
    let location = text(response, &LOCATION).ok_or(HttpFault::Status { status: response.status().as_u16() })?;
    let to = from.redirected(location).map_err(|_| refused(RedirectFault::Address))?;
    if from.is_tls() && !to.is_tls() {
        return Err(refused(RedirectFault::Downgrade));
    }
    Ok(to)
}

fn text<'a>(response: &'a Response<Incoming>, name: &HeaderName) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

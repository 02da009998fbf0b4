//! The API server, as this program asks it: one request, one answer, with a limit on the wait.
//!
//! Objects are plain JSON, because what a newer release stored must not be read through the types of this one. Lists come
//! a page at a time and straight from what is stored, never from a cache of ours.

use std::time::Duration;

use http::{Method, Request};
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::Value;
use thiserror::Error;

use crate::arguments::ConnectionFlags;

/// How long one answer may take. The largest is a page of a list, which takes a second on a slow machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often a list is begun again whose place was forgotten by the API server in the middle.
const BEGINNINGS: usize = 3;

/// Why the cluster cannot be asked. Not to be tried again before its cause is gone.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// There is no way in that could be used.
    #[error("no kubeconfig can be used, and this is no Pod")]
    Config(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The way in does not hold what a connection needs.
    #[error("the kubeconfig does not hold what a connection needs")]
    Client(#[source] kube::Error),
}

/// Why a call did not do what it should.
#[derive(Debug, Error)]
pub enum CallError {
    /// The API server said no.
    #[error("{call} was refused with {status}: {message}")]
    Refused {
        /// What was asked.
        call: String,
        /// The status of the answer.
        status: u16,
        /// The API server's own words.
        message: String,
    },
    /// There was no answer in time. A change may have been made.
    #[error("{call} was not answered in time")]
    Silent {
        /// What was asked.
        call: String,
    },
    /// The connection failed. A change may have been made.
    #[error("{call} got no answer")]
    Lost {
        /// What was asked.
        call: String,
        /// Why.
        #[source]
        source: kube::Error,
    },
    /// The answer was no JSON object.
    #[error("{call} was answered with something else")]
    Unreadable {
        /// What was asked.
        call: String,
    },
}

impl CallError {
    /// The status with which the API server said no; nothing where it did not answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Silent { .. } | Self::Lost { .. } | Self::Unreadable { .. } => None,
        }
    }
}

/// The API server of one cluster.
#[derive(Clone)]
pub struct Cluster {
    client: Client,
    patience: Duration,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cluster")
    }
}

impl Cluster {
    /// The cluster that the flags name, or the surroundings where they name none. Nothing is asked yet.
    ///
    /// # Errors
    /// [`ConnectError`], with the reason beneath it; no credential stands in it.
    pub async fn connect(flags: &ConnectionFlags) -> Result<Self, ConnectError> {
        let mut config = configuration(flags).await.map_err(ConnectError::Config)?;
        // A write is repeated by whoever decided it, after another look, and by nobody else.
        config.default_retry = false;
        Ok(Self::new(Client::try_from(config).map_err(ConnectError::Client)?, PATIENCE))
    }

    /// The cluster that a client reaches, which may not repeat a request by itself; one answer takes at most `patience`.
    pub fn new(client: Client, patience: Duration) -> Self {
        Self { client, patience }
    }

    /// The client, for what is not asked one by one.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The same cluster; one answer takes at most `patience`.
    #[must_use]
    pub fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// One object; nothing if there is none.
    pub async fn get(&self, path: &str) -> Result<Option<Value>, CallError> {
        match self.call(Method::GET, path, None).await {
            Err(CallError::Refused { status: 404, .. }) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// Gives every object of a collection to `each`, page by page, at most `page` at a time.
    ///
    /// All pages show the collection at one moment. If the API server forgets that moment in the middle, everything is
    /// given again from the beginning, after `begin` was called again.
    pub async fn list<State>(
        &self,
        path: &str,
        page: usize,
        begin: impl Fn() -> State,
        each: impl Fn(&mut State, &Value),
    ) -> Result<State, CallError> {
        let mut beginnings = 0;
        'again: loop {
            beginnings += 1;
            let mut state = begin();
            let mut place = String::new();
            loop {
                let from = if place.is_empty() { String::new() } else { format!("&continue={place}") };
                let mark = if path.contains('?') { '&' } else { '?' };
                let answer = self.call(Method::GET, &format!("{path}{mark}limit={page}{from}"), None).await;
                let answer = match answer {
                    Err(CallError::Refused { status: 410, .. }) if beginnings < BEGINNINGS => continue 'again,
                    answer => answer?,
                };
                answer["items"].as_array().into_iter().flatten().for_each(|object| each(&mut state, object));
                place = encoded(answer["metadata"]["continue"].as_str().unwrap_or_default());
                if place.is_empty() {
                    return Ok(state);
                }
            }
        }
    }

    /// Creates an object in a collection, or only tries to.
    pub async fn create(&self, path: &str, object: &Value, write: Write) -> Result<Value, CallError> {
        self.call(Method::POST, &format!("{path}?{}", write.query()), Some(object)).await
    }

    /// Replaces an object, if it is still the one whose `resourceVersion` is in `object`; or only tries to.
    pub async fn replace(&self, path: &str, object: &Value, write: Write) -> Result<Value, CallError> {
        self.call(Method::PUT, &format!("{path}?{}", write.query()), Some(object)).await
    }

    /// Changes parts of an object; a `resourceVersion` or a UID in the change has to be that of the object.
    pub async fn merge(&self, path: &str, change: &Value) -> Result<Value, CallError> {
        self.call(Method::PATCH, &format!("{path}?{}", Write::Store.query()), Some(change)).await
    }

    /// Deletes the object with this UID; it may have been absent, or another one may stand there.
    pub async fn remove(&self, path: &str, uid: &str) -> Result<(), CallError> {
        let options =
            serde_json::json!({ "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": { "uid": uid } });
        match self.call(Method::DELETE, path, Some(&options)).await {
            Err(CallError::Refused { status: 404 | 409, .. }) => Ok(()),
            answer => answer.map(drop),
        }
    }

    async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, CallError> {
        let call = format!("{method} {}", path.split('?').next().unwrap_or_default());
        let bytes = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let form = if method == Method::PATCH { "application/merge-patch+json" } else { "application/json" };
        let request = Request::builder().method(method).uri(path).header("content-type", form);
        let request = request.body(Body::from(bytes));
        let request =
            request.map_err(|source| CallError::Lost { call: call.clone(), source: kube::Error::HttpError(source) })?;
        let answered = tokio::time::timeout(self.patience, self.answer(request)).await;
        let (status, bytes) = match answered {
            Err(_) => return Err(CallError::Silent { call }),
            Ok(Err(source)) => return Err(CallError::Lost { call, source }),
            Ok(Ok(answer)) => answer,
        };
        let answer: Option<Value> = serde_json::from_slice(&bytes).ok();
        match answer {
            Some(answer) if (200..300).contains(&status) => Ok(answer),
            None if (200..300).contains(&status) => Err(CallError::Unreadable { call }),
            answer => {
                let said =
                    answer.as_ref().and_then(|answer| answer["message"].as_str()).unwrap_or("no reason was given");
                Err(CallError::Refused { call, status, message: said.to_owned() })
            }
        }
    }

    async fn answer(&self, request: Request<Body>) -> Result<(u16, Vec<u8>), kube::Error> {
        let response = self.client.send(request).await?;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect_bytes().await?;
        Ok((status, bytes.to_vec()))
    }
}

/// Whether a write is one, or is only tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// The API server does everything but store it.
    Try,
    /// It is stored.
    Store,
}

impl Write {
    fn query(self) -> &'static str {
        match self {
            Self::Try => "fieldManager=ptah-operator&dryRun=All",
            Self::Store => "fieldManager=ptah-operator",
        }
    }
}

async fn configuration(flags: &ConnectionFlags) -> Result<Config, Box<dyn std::error::Error + Send + Sync>> {
    let options = KubeConfigOptions { context: flags.context.clone(), ..KubeConfigOptions::default() };
    let Some(file) = &flags.kubeconfig else {
        if flags.context.is_some() {
            return Ok(Config::from_kubeconfig(&options).await?);
        }
        return Ok(Config::infer().await?);
    };
    Ok(Config::from_custom_kubeconfig(Kubeconfig::read_from(file)?, &options).await?)
}

/// A value of a query, as it may stand in a path: everything but letters and digits is written by number.
pub(crate) fn encoded(text: &str) -> String {
    let mut written = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            written.push(char::from(byte));
        } else {
            written.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    written
}

/// A number below 16 as one letter.
fn digit(number: u8) -> char {
    char::from_digit(u32::from(number), 16).unwrap_or_default().to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_a_list_survives_a_query() {
        assert_eq!(encoded("aZ0=+/&"), "aZ0%3D%2B%2F%26");
    }

    #[test]
    fn only_what_was_answered_has_a_status() {
        let call = "PUT /apis".to_owned();
        let refused = CallError::Refused { call: call.clone(), status: 409, message: String::new() };
        assert_eq!(refused.status(), Some(409));
        assert_eq!(CallError::Silent { call }.status(), None);
    }
}

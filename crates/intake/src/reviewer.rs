//! Who a token belongs to. The answer says *who*, never that the Pod is still there.

mod cluster;

use std::future::Future;
use std::sync::Arc;

use ptah_model::Digest;
use ptah_records::operator::text::{LabelName, ObjectName, Uid};
use zeroize::Zeroizing;

pub use cluster::ClusterReviewer;

/// The largest token that is looked at, in bytes.
const LIMIT: usize = 16 * 1024;

/// Who says to whom a token belongs.
pub trait Reviewer: Send + Sync + 'static {
    /// Whose token this is. May be dropped at any `await`.
    fn review(&self, token: &Token) -> impl Future<Output = Reviewed> + Send;
}

impl<R: Reviewer> Reviewer for Arc<R> {
    async fn review(&self, token: &Token) -> Reviewed {
        self.as_ref().review(token).await
    }
}

/// What is said about a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reviewed {
    /// It is this Pod's, and was made for us.
    Pod(Pod),
    /// It is nobody's, was made for others, or is bound to no Pod.
    Refused,
    /// Nobody could say. Nothing is known about it.
    CannotSay,
}

/// A Pod, as its token proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    /// Its namespace.
    pub namespace: LabelName,
    /// Its name.
    pub name: ObjectName,
    /// Its UID.
    pub uid: Uid,
}

/// A token. `Debug` does not show it.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl Token {
    /// A token, if it looks like one: printable ASCII without white space, at most 16 KiB.
    pub fn new(text: &str) -> Option<Self> {
        let is_token = (1..=LIMIT).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_token.then(|| Self(Zeroizing::new(text.to_owned())))
    }

    /// Its text, to be sent to whoever reviews it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What it is known by in a cache.
    pub fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

//! What the embedder answers: whether a Pod may start, and where a result belongs.

use std::future::Future;
use std::sync::Arc;

use ptah_records::operator::latest::{PermitAnswer, PermitRequest};
use ptah_records::operator::text::{LabelName, OperationId, Sha256, Uid};

use crate::reviewer::Pod;

/// Who decides. It reads what is stored, never a cache.
///
/// Either call may be dropped at any `await`: the Pod went away, or it took too long. A permit that was written then is
/// answered when the same Pod asks again with the same key.
pub trait Gatekeeper: Send + Sync + 'static {
    /// Whether this Pod may start. The same request gets the same answer.
    fn permit(&self, pod: &Pod, request: PermitRequest) -> impl Future<Output = Permitted> + Send;

    /// Where a result of this Pod about this operation belongs. Also asked before it is known who asks.
    fn standing(&self, operation: &OperationId, pod: &Uid) -> impl Future<Output = Standing> + Send;
}

impl<G: Gatekeeper> Gatekeeper for Arc<G> {
    async fn permit(&self, pod: &Pod, request: PermitRequest) -> Permitted {
        self.as_ref().permit(pod, request).await
    }

    async fn standing(&self, operation: &OperationId, pod: &Uid) -> Standing {
        self.as_ref().standing(operation, pod).await
    }
}

/// What is said about a start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permitted {
    /// The leader's answer.
    Answer(PermitAnswer),
    /// This replica does not lead, or cannot say now. The Pod asks again.
    NotLeader,
}

/// What an operation is to this manager, as far as one Pod is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its claim lives: the result is kept.
    Live(Place),
    /// Its claim is retired, and its ID is in a record, a hold or a resolved run: the result is kept for people and
    /// changes nothing.
    Late(Place),
    /// Its claim lives, and the Pod is none of its Job's: nothing is taken.
    Stranger,
    /// Nobody waits for it any more: the Pod stops.
    Gone,
    /// Not known yet, or not to be read now: the Pod tries again.
    NotKnownHere,
}

/// Where a result belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The namespace of the resource, of its Job and of its result.
    pub namespace: LabelName,
    /// The UID of the resource. Its result names it in an annotation and is not owned by it: what is deleted with its
    /// owner could be gone before it was read.
    pub resource: Uid,
    /// The digest of the key that the permit names, if *this Pod* was let in. Then the key, and no token, says who
    /// delivers. Nothing where no Pod or another one was let in, and where it is no longer known.
    pub key: Option<Sha256>,
}

//! Evidence: which Pods are kept by our finalizer, and which may go.
//!
//! A pass lets the Pods go of a Job that it knows. Pods of a Job whose UID was never noted, of a reading whose claim is gone,
//! and of a resource that is gone are known by their labels alone. They are judged here, all at once, as plans are by
//! [`crate::retention`]: the answer is a value for every Pod, and nothing is changed here.

use crate::ids::{Operation, Uid};
use crate::object::Status;

/// A Pod that our finalizer keeps, by its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeptPod {
    /// The Pod.
    pub uid: Uid,
    /// The operation whose Pod it says that it is.
    pub operation: Operation,
    /// Whether its process was seen to have ended, or it never had one.
    pub stopped: bool,
}

/// What is to be done about one Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It stays: its operation is under way, and its word may be needed.
    Claimed,
    /// It stays: nobody saw its process end.
    Running,
    /// Its finalizer is taken off.
    Release,
}

/// Judges every Pod, in the order given. `statuses` are those of all resources of both families, read uncached and whole
/// *after* the Pods: a claim that began meanwhile has no Pod in the list.
pub fn judge(pods: &[KeptPod], statuses: &[Status]) -> Vec<(Uid, Verdict)> {
    pods.iter().map(|pod| (pod.uid, verdict(pod, statuses))).collect()
}

fn verdict(pod: &KeptPod, statuses: &[Status]) -> Verdict {
    let claims = |status: &Status| status.claim.as_ref().is_some_and(|claim| claim.operation == pod.operation);
    if statuses.iter().any(claims) {
        return Verdict::Claimed;
    }
    if pod.stopped { Verdict::Release } else { Verdict::Running }
}

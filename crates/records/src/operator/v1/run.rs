//! What is known about one run: how it ended, which Pods it had, who started it.

use serde::{Deserialize, Serialize};

use crate::operator::limits::PODS;
use crate::operator::list::List;
use crate::operator::text::{Sha256, Uid};
use crate::operator::time::Moment;
use crate::operator::whole::Whole;

/// How a run ended. *Unknown* is a state of its own: it is never folded into failed, and never tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Outcome {
    /// All of it is in the database.
    Applied,
    /// It never opened the database.
    NotStarted,
    /// It began, and nothing of it is in the database.
    NotApplied,
    /// A part of it is in the database.
    Partial,
    /// Nobody knows.
    Unknown,
}

/// The Pod that was permitted to start, and the digest of the key that it made. Written before it opens a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartedBy {
    /// The Pod.
    #[serde(rename = "podUID")]
    pub pod_uid: Uid,
    /// The SHA-256 of the Pod's key. A frame that comes with the key is this Pod's, also when the Pod is gone.
    pub key_digest: Sha256,
}

/// One Pod of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PodEvidence {
    /// The Pod.
    pub uid: Uid,
    /// Whether its container was seen terminated: nothing of it can write. A phase alone proves nothing, because a control
    /// plane that lost a node says so too.
    pub stopped: bool,
}

/// The Pods of a run that were seen. Kept because Pods are collected before questions about them are settled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunEvidence {
    /// The Pods by UID, ascending, each once; there should be one. More make the outcome unknown.
    pub pods: List<PodEvidence, PODS>,
}

/// How often in a row something failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Failures {
    /// How often.
    pub count: Whole<1, 4_294_967_295>,
    /// When the first of them ended: since when it is stuck.
    pub since: Moment,
    /// When the last of them ended.
    pub last: Moment,
}

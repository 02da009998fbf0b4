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
    /// When the permit was given.
    pub permitted_at: Moment,
}

/// How a Pod ended, as far as it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PodEnd {
    /// It may still run.
    Running,
    /// Its container was seen terminated: nothing of it can write.
    Terminated,
    /// It is only *said* to have failed, for example because its node is lost: the horizon decides.
    SaidFailed,
    /// It is gone, and nobody saw how it ended.
    Gone,
}

/// One Pod of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PodEvidence {
    /// The Pod.
    pub uid: Uid,
    /// How it ended.
    pub end: PodEnd,
    /// The exit status of its main container, where that was seen. It speaks of the delivery, never of the database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<Whole<0, 255>>,
    /// When its main container ended, as its node says; absent when it was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Moment>,
}

/// All Pods of a run that were seen. Kept because Pods are collected before questions about them are settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunEvidence {
    /// The Pods, in the order in which they were first seen; there should be one.
    pub pods: List<PodEvidence, PODS>,
    /// How many there were, also beyond those that are listed. More than one makes the outcome unknown.
    pub pod_count: Whole<0, 1_000_000>,
}

//! Why a pass ended before anything was decided. Nothing was changed; the resource is looked at again later.

use ptah_mirror::lease::LeaseProblem;
use ptah_mirror::{Unreadable, Unwritable};
use thiserror::Error;

use crate::cluster::CallError;

/// Why a pass ended early.
#[derive(Debug, Error)]
pub(crate) enum Fault {
    /// A read got no answer, or a refusal.
    #[error("a read failed")]
    Call(#[from] CallError),
    /// A manager with a newer contract wrote it: a newer release has to run.
    #[error("{0} was written by a newer release")]
    Newer(String),
    /// It is none of the kind that it says it is.
    #[error("{what} cannot be read")]
    Form {
        /// Which object.
        what: String,
        /// Where it differs from its kind.
        #[source]
        why: serde_json::Error,
    },
    /// It contradicts itself, or lacks what the API server always sets.
    #[error("an object cannot be taken in")]
    Unreadable(#[from] Unreadable),
    /// A Lease is not believed: its database waits until somebody looked.
    #[error("the Lease {name} is not believed")]
    Lease {
        /// Its name.
        name: String,
        /// Why.
        #[source]
        why: LeaseProblem,
    },
    /// What was decided cannot be written whole.
    #[error("what was decided cannot be written")]
    Unwritable(#[from] Unwritable),
    /// The core asked for what its own reading excludes.
    #[error("the steps of the pass do not fit together")]
    Order,
}

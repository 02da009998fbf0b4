//! Why nothing is changed. Nothing here passes by itself.

use ptah_lifecycle::fence::StoredStateError;
use thiserror::Error;

use super::identity::IdentityProblem;

/// Why nothing is changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A definition under one of our names was not made by us, or was changed beyond recognition.
    #[error("{name} is not ours: {problem}")]
    NotOurs {
        /// Its name.
        name: String,
        /// What gives it away.
        problem: IdentityProblem,
    },
    /// A newer release made it.
    #[error("{name} is of version {found} of the definitions, and this program brings {ours}")]
    NewerDefinition {
        /// Its name.
        name: String,
        /// Its version.
        found: u32,
        /// The version that this program brings.
        ours: u32,
    },
    /// It was made for a newer contract.
    #[error("{name} was made for contract {found}, and this program knows {supported}")]
    NewerContract {
        /// Its name.
        name: String,
        /// The contract that it was made for.
        found: u32,
        /// The highest that this program knows.
        supported: u32,
    },
    /// Two releases gave one version to two contents.
    #[error("{name} is of version {version}, as this program's is, and has another digest")]
    OtherDigest {
        /// Its name.
        name: String,
        /// The version of both.
        version: u32,
    },
    /// It is going away, and everything that is stored under it.
    #[error("{name} is being deleted, and everything of its kind with it")]
    Ending {
        /// Its name.
        name: String,
    },
    /// Something that is stored is newer than this program, has no version, or was not looked at.
    #[error(transparent)]
    Stored(#[from] StoredStateError),
}

impl Refusal {
    /// Whether a newer release is what it takes.
    pub fn is_newer(&self) -> bool {
        match self {
            Self::NewerDefinition { .. }
            | Self::NewerContract { .. }
            | Self::Stored(StoredStateError::Newer { .. }) => true,
            Self::NotOurs { .. } | Self::OtherDigest { .. } | Self::Ending { .. } | Self::Stored(_) => false,
        }
    }
}

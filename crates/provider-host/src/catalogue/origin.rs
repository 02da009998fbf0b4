//! Where a provider's executable comes from.

use std::path::PathBuf;

use super::Program;
use crate::error::SaidBy;

/// Where a provider's executable comes from.
#[derive(Clone)]
pub enum Origin {
    /// The program itself.
    Bundled(Program),
    /// A file that a manifest names.
    Manifest {
        /// The executable.
        executable: PathBuf,
        /// What its bytes must be.
        sha256: [u8; 32],
        /// What its environment has besides the bootstrap. May hold secrets.
        environment: Vec<(String, String)>,
    },
    /// A file that an installation made.
    Installed {
        /// The executable.
        executable: PathBuf,
        /// What its bytes must be.
        sha256: [u8; 32],
        /// The version of its release.
        version: String,
    },
}

impl Origin {
    /// The file, for people.
    pub fn shown(&self) -> String {
        match self {
            Self::Bundled(program) => program.name.to_string_lossy().into_owned(),
            Self::Manifest { executable, .. } | Self::Installed { executable, .. } => executable.display().to_string(),
        }
    }

    /// What says which bytes and engines are expected.
    pub(crate) fn said_by(&self) -> SaidBy {
        match self {
            Self::Bundled(_) => SaidBy::Program,
            Self::Manifest { .. } => SaidBy::Manifest,
            Self::Installed { .. } => SaidBy::Record,
        }
    }
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bundled(program) => f.debug_tuple("Bundled").field(program).finish(),
            Self::Manifest { executable, .. } => {
                f.debug_struct("Manifest").field("executable", executable).finish_non_exhaustive()
            }
            Self::Installed { executable, version, .. } => {
                let mut shown = f.debug_struct("Installed");
                shown.field("executable", executable).field("version", version).finish_non_exhaustive()
            }
        }
    }
}

//! The plan file: what `schema plan` writes and `schema apply --plan` carries out.
//!
//! - **Who writes it:** `schema plan`, once per plan; nobody changes it afterwards, and a changed byte is refused.
//! - **Who reads it:** `schema apply --plan` and `schema show`; review and signing tools take its bytes as they are.
//! - **When it is removed:** never by Ptah. It is spent in the database by its `plan_id`, so that a copy that is left
//!   over cannot run a second time.
//! - **Size:** at most [`SIZE_LIMIT`] bytes, in both directions; a plan of ten thousand new tables has about a third.
//! - **An old reader and a new file:** refused by the version's number before anything else is looked at. A new reader
//!   keeps a module for each version that it still reads.

pub mod v1;

pub use v1::{PlanFileV1, PlanV1};

use ptah_model::Digest;
use serde::Deserialize;

use crate::json::{JsonProblem, from_bytes, to_bytes};

/// The largest plan file, in bytes: 64 MiB, the largest message that a provider and its host can agree on.
pub const SIZE_LIMIT: usize = 64 * 1024 * 1024;

/// The version that is written.
pub const FORMAT_VERSION: u64 = 1;

/// Why a plan file is not read or not written. Not to be tried again: make a new plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanFileError {
    /// It is larger than [`SIZE_LIMIT`].
    #[error("the plan file has {size} bytes; at most {SIZE_LIMIT} are allowed")]
    TooLarge {
        /// How large it is, in bytes.
        size: usize,
    },
    /// It is no JSON document of this kind.
    #[error("the plan file is malformed")]
    Malformed(#[source] JsonProblem),
    /// Another version of Ptah wrote it.
    #[error("the plan file has format version {found}; this program reads version {FORMAT_VERSION}")]
    Version {
        /// Its version.
        found: u64,
    },
    /// Its bytes are not those that were written, even if what it says looks the same.
    #[error("the plan file was changed after it was written")]
    Changed,
}

/// The field that every version has, whatever else it has.
#[derive(Deserialize)]
struct Versioned {
    format_version: u64,
}

/// Reads a plan file. What is returned is exactly what was written: nothing else in it can be off but its meaning.
///
/// # Errors
///
/// In this order: size, JSON, version, fields, digest.
pub fn parse(bytes: &[u8]) -> Result<PlanFileV1, PlanFileError> {
    if bytes.len() > SIZE_LIMIT {
        return Err(PlanFileError::TooLarge { size: bytes.len() });
    }
    let head: Versioned = from_bytes(bytes).map_err(PlanFileError::Malformed)?;
    if head.format_version != FORMAT_VERSION {
        return Err(PlanFileError::Version { found: head.format_version });
    }
    let file: PlanFileV1 = from_bytes(bytes).map_err(PlanFileError::Malformed)?;
    // Writing it again also refuses what a digest over the content cannot see: spaces, order, a number's spelling.
    if file.digest == own_digest(&file.plan) && to_bytes(&file) == bytes {
        Ok(file)
    } else {
        Err(PlanFileError::Changed)
    }
}

/// Puts a plan into its file and signs it with its own digest.
pub fn seal(plan: PlanV1) -> PlanFileV1 {
    PlanFileV1 { format_version: FORMAT_VERSION, digest: own_digest(&plan), plan }
}

/// The bytes of a plan file.
///
/// # Errors
///
/// [`PlanFileError::TooLarge`] alone.
pub fn write(file: &PlanFileV1) -> Result<Vec<u8>, PlanFileError> {
    let bytes = to_bytes(file);
    if bytes.len() > SIZE_LIMIT {
        return Err(PlanFileError::TooLarge { size: bytes.len() });
    }
    Ok(bytes)
}

/// The digest over all but itself: of the bytes that the `plan` field alone would be written as.
fn own_digest(plan: &PlanV1) -> String {
    Digest::of(&to_bytes(plan)).to_string()
}

#[cfg(test)]
mod tests;

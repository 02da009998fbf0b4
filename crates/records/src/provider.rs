//! The documents about releases of providers: what an author publishes, and what an installation leaves.
//!
//! | Document | Who writes it | Who reads it | When it is removed |
//! |---|---|---|---|
//! | descriptor (`ptah-provider.json`) | a provider's author, once for a release | `ptah providers install` | never by Ptah |
//! | index (`ptah-provider-index.json`) | whoever hosts releases | `ptah providers install` | never by Ptah |
//! | install record | `ptah providers install`, last | every command that looks for a provider | by `ptah providers remove` |
//!
//! - **Size:** at most [`DESCRIPTOR_LIMIT`], [`INDEX_LIMIT`] and [`RECORD_LIMIT`] bytes.
//! - **An old reader and a new document:** `schema` is read before anything else, and another number is refused by it; in
//!   an index this concerns one release and not its neighbours. Within a version an unknown key is refused, because a
//!   key that is spelled wrong (`min_contact`) must not read as one that is absent.

pub mod v1;

pub use v1::{ArtifactV1, IndexV1, IndexedReleaseV1, InstallRecordV1, InstalledArtifactV1, ReleaseEngineV1, ReleaseV1};

use serde::Deserialize;

use crate::json::{JsonProblem, from_bytes};

/// The usual name of a release's descriptor.
pub const DESCRIPTOR_FILE: &str = "ptah-provider.json";

/// The usual name of an index.
pub const INDEX_FILE: &str = "ptah-provider-index.json";

/// The version of all three that is written and read.
pub const SCHEMA: u64 = 1;

/// The largest descriptor, in bytes.
pub const DESCRIPTOR_LIMIT: usize = 1024 * 1024;

/// The largest index, in bytes: some thousand releases.
pub const INDEX_LIMIT: usize = 8 * 1024 * 1024;

/// The largest install record, in bytes. It holds less than a descriptor does.
pub const RECORD_LIMIT: usize = 2 * 1024 * 1024;

/// Why a document about releases is not read. Not to be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is no JSON document of this kind.
    #[error("it is malformed")]
    Malformed(#[source] JsonProblem),
    /// Another form than this program knows.
    #[error("it has the form {found}, and this program reads the form {SCHEMA}")]
    Schema {
        /// Its form.
        found: u64,
    },
}

/// What an author may hand out: one release or many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    /// A descriptor.
    Release(Box<ReleaseV1>),
    /// An index.
    Index(IndexV1),
}

/// What every version has, whatever else it has.
#[derive(Deserialize)]
struct Head {
    schema: u64,
    #[serde(default)]
    releases: Option<serde::de::IgnoredAny>,
}

/// Reads a descriptor or an index, whichever it is: an index has `releases`.
///
/// # Errors
///
/// In this order: JSON, version, fields.
pub fn published(bytes: &[u8]) -> Result<Published, DocumentError> {
    let head: Head = from_bytes(bytes).map_err(DocumentError::Malformed)?;
    check(head.schema)?;
    if head.releases.is_some() {
        return from_bytes(bytes).map(Published::Index).map_err(DocumentError::Malformed);
    }
    from_bytes(bytes).map(|release| Published::Release(Box::new(release))).map_err(DocumentError::Malformed)
}

/// Reads a descriptor that stands in an index.
///
/// # Errors
///
/// In this order: version, fields. Places are those within the descriptor, written in one line.
pub fn indexed(descriptor: &serde_json::Value) -> Result<ReleaseV1, DocumentError> {
    let bytes = descriptor.to_string().into_bytes();
    let head: Head = from_bytes(&bytes).map_err(DocumentError::Malformed)?;
    check(head.schema)?;
    from_bytes(&bytes).map_err(DocumentError::Malformed)
}

/// Reads an install record.
///
/// # Errors
///
/// In this order: JSON, version, fields.
pub fn record(bytes: &[u8]) -> Result<InstallRecordV1, DocumentError> {
    let head: Head = from_bytes(bytes).map_err(DocumentError::Malformed)?;
    check(head.schema)?;
    from_bytes(bytes).map_err(DocumentError::Malformed)
}

fn check(schema: u64) -> Result<(), DocumentError> {
    if schema == SCHEMA { Ok(()) } else { Err(DocumentError::Schema { found: schema }) }
}

#[cfg(test)]
mod tests;

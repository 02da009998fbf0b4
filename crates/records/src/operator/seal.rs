//! How a document that travels or rests alone is written: one line of JSON, sealed.
//!
//! ```text
//! {"kind":"hold","contractVersion":1,"controllerStateVersion":1,"digest":"sha256:…","body":{…}}
//! ```
//!
//! The digest is over the body as it is written. A reader takes only the exact bytes that a writer would have made: a
//! changed byte, a field more, another order or spelling, and a document of another kind are all refused. What it looks at
//! comes in this order: size, form, kind, the version of the contract, the version of the document, digest, fields, and
//! what the fields have to do with each other. So a document of a newer contract is told apart before anything in it is
//! interpreted.

use ptah_model::Digest;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::CONTROLLER_STATE_VERSION;
use super::check::{Contradiction, Record};
use super::whole::Whole;
use crate::json::{JsonProblem, from_bytes};

/// A record that is kept or sent by itself.
pub trait Document: Record + Serialize + DeserializeOwned {
    /// The version that is written and read.
    const CONTRACT_VERSION: u32;
    /// The most bytes that it may have, in both directions.
    const LIMIT: usize;
}

/// Why a document is not written. Not to be tried again with the same content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteProblem {
    /// Its fields contradict each other.
    #[error("the document may not be written")]
    Contradiction(#[source] Contradiction),
    /// It would be too large.
    #[error("the {kind} would have {size} bytes; at most {limit} are allowed")]
    TooLarge {
        /// Which document, by its word.
        kind: &'static str,
        /// How large it would be, in bytes.
        size: usize,
        /// How large it may be, in bytes.
        limit: usize,
    },
}

/// Why a document is not read. Not to be tried again; [`ReadProblem::Newer`] passes when a newer release reads it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadProblem {
    /// It is too large to be one.
    #[error("the {kind} has {size} bytes; at most {limit} are allowed")]
    TooLarge {
        /// Which document was wanted, by its word.
        kind: &'static str,
        /// How large it is, in bytes.
        size: usize,
        /// How large it may be, in bytes.
        limit: usize,
    },
    /// It is no sealed document.
    #[error("the {kind} is malformed")]
    Malformed {
        /// Which document was wanted, by its word.
        kind: &'static str,
        /// What is wrong with it.
        #[source]
        problem: JsonProblem,
    },
    /// It is another sort of document.
    #[error("this is no {kind}")]
    Kind {
        /// Which document was wanted, by its word.
        kind: &'static str,
    },
    /// A newer contract wrote it: nothing in it is interpreted.
    #[error("the {kind} is of contract {stored}, and this program knows {CONTROLLER_STATE_VERSION}")]
    Newer {
        /// Which document was wanted, by its word.
        kind: &'static str,
        /// The contract's version in it.
        stored: u64,
    },
    /// It has a version that this program does not read.
    #[error("the {kind} has version {found}; this program reads version {read}")]
    Version {
        /// Which document was wanted, by its word.
        kind: &'static str,
        /// Its version.
        found: u32,
        /// The version that is read.
        read: u32,
    },
    /// Its bytes are not those that were written.
    #[error("the {kind} was changed after it was written")]
    Changed {
        /// Which document was wanted, by its word.
        kind: &'static str,
    },
    /// Its fields contradict each other.
    #[error("the document is not believed")]
    Contradiction(#[source] Contradiction),
}

/// The head of every sealed document, whatever its version has besides.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    kind: String,
    contract_version: u32,
    controller_state_version: Whole<1, { u32::MAX as u64 }>,
}

/// A whole sealed document of this version.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Sealed<Body> {
    kind: String,
    contract_version: u32,
    controller_state_version: u64,
    digest: String,
    body: Body,
}

/// Writes a document, if it holds to its rules and its limit.
pub fn write<D: Document>(document: &D) -> Result<Vec<u8>, WriteProblem> {
    document.check().map_err(WriteProblem::Contradiction)?;
    let bytes = sealed(document, u64::from(CONTROLLER_STATE_VERSION));
    if bytes.len() > D::LIMIT {
        return Err(WriteProblem::TooLarge { kind: D::NAME, size: bytes.len(), limit: D::LIMIT });
    }
    Ok(bytes)
}

/// Reads a document. What is returned is exactly what was written.
pub fn read<D: Document>(bytes: &[u8]) -> Result<D, ReadProblem> {
    let kind = D::NAME;
    if bytes.len() > D::LIMIT {
        return Err(ReadProblem::TooLarge { kind, size: bytes.len(), limit: D::LIMIT });
    }
    let malformed = |problem| ReadProblem::Malformed { kind, problem };
    let head: Head = from_bytes(bytes).map_err(malformed)?;
    if head.kind != kind {
        return Err(ReadProblem::Kind { kind });
    }
    let stored = head.controller_state_version.get();
    if stored > u64::from(CONTROLLER_STATE_VERSION) {
        return Err(ReadProblem::Newer { kind, stored });
    }
    if head.contract_version != D::CONTRACT_VERSION {
        return Err(ReadProblem::Version { kind, found: head.contract_version, read: D::CONTRACT_VERSION });
    }
    let document: Sealed<D> = from_bytes(bytes).map_err(malformed)?;
    // Comparing the whole also refuses what a digest over the content cannot see: spaces, order, a number's spelling.
    if sealed(&document.body, stored) != bytes {
        return Err(ReadProblem::Changed { kind });
    }
    document.body.check().map_err(ReadProblem::Contradiction)?;
    Ok(document.body)
}

/// The version of the contract that wrote a document, also one that this program could not read; nothing where there is
/// none. The fence asks this before it lets anything be read.
pub fn state_version(bytes: &[u8]) -> Option<u64> {
    from_bytes::<Head>(bytes).ok().map(|head| head.controller_state_version.get())
}

/// The digest that a document is sealed with: the one over its body.
pub fn digest<D: Document>(document: &D) -> Digest {
    Digest::of(&line(document))
}

fn sealed<D: Document>(document: &D, state_version: u64) -> Vec<u8> {
    line(&Sealed {
        kind: D::NAME.to_owned(),
        contract_version: D::CONTRACT_VERSION,
        controller_state_version: state_version,
        digest: digest(document).to_string(),
        body: document,
    })
}

/// The bytes of a value on one line.
fn line<T: Serialize>(value: &T) -> Vec<u8> {
    #[expect(
        clippy::expect_used,
        reason = "documents are structs of texts, numbers and lists, and memory does not refuse a write"
    )]
    serde_json::to_vec(value).expect("a document can be written")
}

//! The bytes of a plan or of a desired document, cut into pieces that objects can hold.

use serde::{Deserialize, Serialize};

use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::{CHUNKS, CONTENT, PIECE};
use crate::operator::list::List;
use crate::operator::text::{ObjectName, Sha256};
use crate::operator::whole::Whole;

/// How stored bytes have to be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Encoding {
    /// Not at all.
    Identity,
    /// As gzip.
    Gzip,
}

/// One piece, in an object of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChunkRef {
    /// The name of the object that holds it.
    pub name: ObjectName,
    /// Its place, from 0.
    pub index: Whole<0, 15>,
    /// The digest of its bytes.
    pub digest: Sha256,
    /// How many bytes it has.
    pub size: Whole<1, { PIECE as u64 }>,
}

/// Bytes that are stored in pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoredContent {
    /// The digest of the bytes, unpacked.
    pub digest: Sha256,
    /// How many bytes there are, unpacked: at most 64 MiB.
    pub size: Whole<1, 67_108_864>,
    /// How the pieces, put together, have to be unpacked.
    pub encoding: Encoding,
    /// How many bytes are stored: the sum of the pieces.
    pub stored_size: Whole<1, { CONTENT as u64 }>,
    /// The pieces in order, at least one.
    pub chunks: List<ChunkRef, CHUNKS>,
}

impl Record for StoredContent {
    const NAME: &'static str = "stored content";

    fn check(&self) -> Result<(), Contradiction> {
        let pieces = self.chunks.as_slice();
        rule::<Self>(!pieces.is_empty(), "there is at least one piece")?;
        let in_order = (0u64..).zip(pieces).all(|(index, piece)| piece.index.get() == index);
        rule::<Self>(in_order, "the pieces are counted from 0 without a gap")?;
        let sum: u64 = pieces.iter().map(|piece| piece.size.get()).sum();
        rule::<Self>(sum == self.stored_size.get(), "the pieces add up to what is stored")?;
        let unpacked = self.encoding != Encoding::Identity || self.size.get() == self.stored_size.get();
        rule::<Self>(unpacked, "what is not packed is stored as large as it is")
    }
}

//! The last word of a delivery: how much there is, and the digest of all of it.

use serde::{Deserialize, Serialize};

use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::{CONTENT, FRAME, MESSAGE, PIECE, PIECES};
use crate::operator::seal::Document;
use crate::operator::text::{OperationId, Sha256, Uid};
use crate::operator::whole::Whole;

/// The most bytes of one delivery: a frame, and both attachments.
const DELIVERY: u64 = (FRAME + 2 * CONTENT) as u64;

/// What a delivery consists of. Without it nothing of the delivery is there.
///
/// - **Who writes it:** the runner, after every piece was acknowledged.
/// - **Who reads it:** any replica of the manager, which stores it; the leader, which puts the pieces together.
/// - **When it is removed:** with the pieces.
/// - **Size:** at most 4 KiB.
/// - **An old reader:** refused by its version; runner and manager are bound to one version of these documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Complete {
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The Pod that delivers.
    #[serde(rename = "podUID")]
    pub pod_uid: Uid,
    /// How many pieces there are; each but the last is full.
    pub pieces: Whole<1, { PIECES as u64 }>,
    /// How many bytes of the delivery are the frame.
    pub frame_size: Whole<1, { FRAME as u64 }>,
    /// How many bytes the delivery has.
    pub size: Whole<1, DELIVERY>,
    /// The digest of the whole delivery.
    pub digest: Sha256,
}

impl Record for Complete {
    const NAME: &'static str = "last word of a delivery";

    fn check(&self) -> Result<(), Contradiction> {
        rule::<Self>(self.frame_size.get() <= self.size.get(), "the frame is a part of the delivery")?;
        let pieces = self.size.get().div_ceil(PIECE as u64);
        rule::<Self>(self.pieces.get() == pieces, "every piece but the last is full")
    }
}

impl Document for Complete {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = MESSAGE;
}

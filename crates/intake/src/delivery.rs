//! Puts the pieces of a delivery together. No effects: records in, what they amount to out.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ptah_crds::{CompletePart, PtahResultRecord, PtahResultRecordSpec, ResultType};
use ptah_model::Digest;
use ptah_records::operator::latest::{Attachment, Encoding, Frame};
use ptah_records::operator::limits::PIECE;
use ptah_records::operator::seal;
use ptah_records::operator::text::{OperationId, Sha256, Uid};

/// What the records of one Pod about one operation amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Something is not there, and may still come: as long as that is so, nothing is known.
    NotWhole,
    /// What is there contradicts itself, and no piece that comes changes that: a mutating run is unknown.
    Conflict(Conflict),
    /// All of it.
    Whole(Box<Whole>),
}

/// How a delivery contradicts itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// The Pod delivered two different things under one name.
    #[error("the Pod reported two different results")]
    TwoResults,
    /// Bytes are not those that were stored.
    #[error("a piece of the result was changed")]
    Changed,
    /// There are more pieces, or they have other sizes, than the last word says.
    #[error("the pieces of the result are not those that its last word names")]
    Pieces,
    /// The whole is not what the last word says.
    #[error("the result has another digest than its last word says")]
    Digest,
    /// The frame is no frame, or one of another operation or Pod.
    #[error("the frame of the result cannot be read, or is about something else")]
    Frame,
    /// What follows the frame is not what the frame says.
    #[error("what is attached to the frame is not what the frame says")]
    Attachments,
}

/// A delivery that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// What the Pod reports.
    pub frame: Frame,
    /// What follows the frame, in the frame's order.
    pub attachments: Vec<Attached>,
    /// The digest of the whole delivery, as the Pod's termination message has it.
    pub digest: Sha256,
    /// The digest of the key that all of it was delivered with. Nothing where the Pod's token vouched for any part: what was
    /// delivered before a permit is not what a run reports that was let in.
    pub key: Option<Sha256>,
}

/// Bytes that were attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// What they are. Where they are packed, their unpacked size and digest are not checked here.
    pub about: Attachment,
    /// The bytes, as they were delivered.
    pub bytes: Vec<u8>,
}

/// Reads what `pod` delivered about `operation` out of the records of that operation, in any order.
///
/// Records of other Pods or operations do not count, nor do those that came late: those are for people.
pub fn read_delivery(operation: &OperationId, pod: &Uid, records: Vec<PtahResultRecord>) -> Delivery {
    let ours = |spec: &PtahResultRecordSpec| spec.operation_id == *operation && spec.pod_uid == *pod && !spec.late;
    let specs: Vec<PtahResultRecordSpec> = records.into_iter().map(|record| record.spec).filter(ours).collect();
    let key = signed_with(&specs);
    let read = sort(specs.into_iter()).and_then(|sorted| match sorted {
        (pieces, Some(last)) => put_together(&pieces, &last, operation, pod),
        (_, None) => Ok(None),
    });
    match read {
        Ok(Some(whole)) => Delivery::Whole(Box::new(Whole { key, ..whole })),
        Ok(None) => Delivery::NotWhole,
        Err(conflict) => Delivery::Conflict(conflict),
    }
}

/// The key that every part was delivered with.
fn signed_with(specs: &[PtahResultRecordSpec]) -> Option<Sha256> {
    let first = specs.first()?.key_digest.as_ref()?;
    specs.iter().all(|spec| spec.key_digest.as_ref() == Some(first)).then(|| first.clone())
}

/// Pieces by their place.
type Pieces = BTreeMap<u64, Vec<u8>>;

/// The pieces by their place, and the last word.
fn sort(specs: impl Iterator<Item = PtahResultRecordSpec>) -> Result<(Pieces, Option<CompletePart>), Conflict> {
    let (mut pieces, mut last) = (Pieces::new(), None);
    for spec in specs {
        match (spec.kind, spec.data, spec.complete) {
            (ResultType::Piece, Some(data), None) => {
                if Sha256::from(&Digest::of(&data.0)) != spec.digest {
                    return Err(Conflict::Changed);
                }
                match pieces.entry(spec.index.get()) {
                    Entry::Occupied(before) => same(before.get(), &data.0)?,
                    Entry::Vacant(place) => {
                        place.insert(data.0);
                    }
                }
            }
            (ResultType::Complete, None, Some(complete)) => {
                if complete.digest != spec.digest {
                    return Err(Conflict::Changed);
                }
                match &last {
                    Some(before) => same(before, &complete)?,
                    None => last = Some(complete),
                }
            }
            (ResultType::Conflict, _, _) => return Err(Conflict::TwoResults),
            (ResultType::Piece | ResultType::Complete, _, _) => return Err(Conflict::Changed),
        }
    }
    Ok((pieces, last))
}

/// What was there before is the same.
fn same<T: PartialEq>(before: &T, now: &T) -> Result<(), Conflict> {
    if before == now { Ok(()) } else { Err(Conflict::TwoResults) }
}

/// The whole; nothing while a piece is missing.
fn put_together(
    pieces: &Pieces,
    last: &CompletePart,
    operation: &OperationId,
    pod: &Uid,
) -> Result<Option<Whole>, Conflict> {
    let (count, size) = (last.pieces.get(), last.size.get());
    let piece = PIECE as u64;
    let whole = size.div_ceil(piece) == count && last.frame_size.get() <= size;
    let fits = |(index, data): (&u64, &Vec<u8>)| {
        *index < count && data.len() as u64 == (size - (index * piece).min(size)).min(piece)
    };
    if !whole || !pieces.iter().all(fits) {
        return Err(Conflict::Pieces);
    }
    if pieces.len() as u64 != count {
        return Ok(None);
    }
    let bytes: Vec<u8> = pieces.values().flatten().copied().collect();
    let digest = Sha256::from(&Digest::of(&bytes));
    if digest != last.digest {
        return Err(Conflict::Digest);
    }
    let frame_size = usize::try_from(last.frame_size.get()).map_err(|_| Conflict::Pieces)?;
    let (frame, rest) = bytes.split_at_checked(frame_size).ok_or(Conflict::Pieces)?;
    let frame: Frame = seal::read(frame).map_err(|_| Conflict::Frame)?;
    if frame.operation_id != *operation || frame.pod_uid != *pod {
        return Err(Conflict::Frame);
    }
    let attachments = split(frame.attachments.as_slice(), rest)?;
    Ok(Some(Whole { frame, attachments, digest, key: None }))
}

/// What follows the frame, each for itself; all of it is accounted for.
fn split(attachments: &[Attachment], mut rest: &[u8]) -> Result<Vec<Attached>, Conflict> {
    let mut attached = Vec::new();
    for about in attachments {
        let size = usize::try_from(about.stored_size.get()).map_err(|_| Conflict::Attachments)?;
        let (bytes, after) = rest.split_at_checked(size).ok_or(Conflict::Attachments)?;
        if about.encoding == Encoding::Identity {
            let is_it = about.size.get() == bytes.len() as u64 && about.digest == Sha256::from(&Digest::of(bytes));
            if !is_it {
                return Err(Conflict::Attachments);
            }
        }
        attached.push(Attached { about: about.clone(), bytes: bytes.to_vec() });
        rest = after;
    }
    if rest.is_empty() { Ok(attached) } else { Err(Conflict::Attachments) }
}

#[cfg(test)]
mod tests;

//! The records of a delivery: their names, and how they are made.
//!
//! A name says operation, Pod and place, so that a repeat meets what was kept before, whoever asks and on whatever
//! replica.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use kube::api::ObjectMeta;
use ptah_crds::{CompletePart, PtahResultRecord, PtahResultRecordSpec, ResultType};
use ptah_model::Digest;
use ptah_records::operator::CONTROLLER_STATE_VERSION;
use ptah_records::operator::latest::{Complete, StateVersion};
use ptah_records::operator::limits::PIECES;
use ptah_records::operator::names::RESOURCE_UID;
use ptah_records::operator::text::{LabelName, ObjectName, OperationId, Sha256, Uid};
use ptah_records::operator::whole::Whole;

use crate::gatekeeper::Place;

/// How the name of every record begins.
const PREFIX: &str = "ptah-r";
/// The last word's place in a name.
pub(crate) const LAST_WORD: &str = "complete";

/// A piece's place, from 0.
pub(crate) type Index = Whole<0, { PIECES as u64 - 1 }>;

/// The name of a piece, by its place from 0.
pub fn piece_name(operation: &OperationId, pod: &Uid, index: u64) -> ObjectName {
    name(operation, pod, &index.to_string())
}

/// The name of the last word.
pub fn last_word_name(operation: &OperationId, pod: &Uid) -> ObjectName {
    name(operation, pod, LAST_WORD)
}

/// The name of the mark that this Pod contradicted itself. There is one, however often it did.
pub fn conflict_name(operation: &OperationId, pod: &Uid) -> ObjectName {
    name(operation, pod, "conflict")
}

/// Whether a record of this name is a piece, which means nothing before the last word is there.
pub fn is_piece_name(name: &str) -> bool {
    let place = name.rsplit('-').next().unwrap_or_default();
    name.starts_with(PREFIX) && !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit())
}

/// A UID may have letters that no name has, so it stands as a digest.
fn name(operation: &OperationId, pod: &Uid, place: &str) -> ObjectName {
    let pod = hex::encode(&Digest::of(pod.as_str().as_bytes()).as_bytes()[..16]);
    #[expect(clippy::expect_used, reason = "lower-case letters, digits and hyphens, about 90 of them")]
    ObjectName::new(format!("{PREFIX}-{operation}-{pod}-{place}")).expect("an object's name")
}

/// Where a record goes, and about what it is.
#[derive(Clone, Debug)]
pub(crate) struct About<'a> {
    /// The operation.
    pub(crate) operation: &'a OperationId,
    /// The Pod.
    pub(crate) pod: &'a Uid,
    /// Where it belongs.
    pub(crate) place: &'a Place,
    /// Whether the claim is retired.
    pub(crate) late: bool,
}

impl About<'_> {
    /// A piece.
    pub(crate) fn piece(&self, index: Index, data: Vec<u8>) -> PtahResultRecord {
        let digest = Sha256::from(&Digest::of(&data));
        let mut record = self.record(piece_name(self.operation, self.pod, index.get()), ResultType::Piece, digest);
        record.spec.index = index;
        record.spec.data = Some(ByteString(data));
        record
    }

    /// The last word.
    pub(crate) fn last_word(&self, complete: &Complete) -> PtahResultRecord {
        let name = last_word_name(self.operation, self.pod);
        let mut record = self.record(name, ResultType::Complete, complete.digest.clone());
        record.spec.complete = Some(CompletePart {
            pieces: complete.pieces,
            frame_size: complete.frame_size,
            size: complete.size,
            digest: complete.digest.clone(),
        });
        record
    }

    /// The mark that something of this digest contradicted what was kept before.
    pub(crate) fn conflict(&self, digest: Sha256) -> PtahResultRecord {
        self.record(conflict_name(self.operation, self.pod), ResultType::Conflict, digest)
    }

    fn record(&self, name: ObjectName, kind: ResultType, digest: Sha256) -> PtahResultRecord {
        let resource = (RESOURCE_UID.to_owned(), self.place.resource.to_string());
        let metadata = ObjectMeta {
            name: Some(name.into()),
            namespace: Some(self.place.namespace.to_string()),
            annotations: Some(BTreeMap::from([resource])),
            ..ObjectMeta::default()
        };
        let spec = PtahResultRecordSpec {
            controller_state_version: state_version(),
            operation_id: self.operation.clone(),
            pod_uid: self.pod.clone(),
            kind,
            index: first(),
            digest,
            // A Pod that was let in delivers with its key and with nothing else.
            key_digest: self.place.key.clone(),
            late: self.late,
            data: None,
            complete: None,
        };
        PtahResultRecord { metadata, spec }
    }

    /// The namespace of its records.
    pub(crate) fn namespace(&self) -> &LabelName {
        &self.place.namespace
    }
}

fn state_version() -> StateVersion {
    #[expect(clippy::expect_used, reason = "a constant of ours that begins with 1")]
    StateVersion::new(u64::from(CONTROLLER_STATE_VERSION)).expect("a version")
}

fn first() -> Index {
    #[expect(clippy::expect_used, reason = "0 is the first place")]
    Index::new(0).expect("a place")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_told_from_a_last_word_and_a_contradiction_by_its_name() {
        let operation = OperationId::new("01890a5d-ac96-774b-bcce-b302099a8001").unwrap();
        let pod = Uid::new("11111111-1111-4111-8111-111111111105").unwrap();
        assert!(is_piece_name(piece_name(&operation, &pod, 0).as_str()));
        assert!(is_piece_name(piece_name(&operation, &pod, 32).as_str()));
        assert!(!is_piece_name(last_word_name(&operation, &pod).as_str()));
        assert!(!is_piece_name(conflict_name(&operation, &pod).as_str()));
        assert!(!is_piece_name("somebody-elses-7"));
    }

    #[test]
    fn a_name_tells_operation_pod_and_place_apart_and_is_the_same_again() {
        let operation = |last| OperationId::new(format!("01890a5d-ac96-774b-bcce-b302099a805{last}")).unwrap();
        let mut names = std::collections::BTreeSet::new();
        for last in 0..2 {
            for pod in ["A_b.C", "a_b.c", "11111111-1111-4111-8111-111111111105"] {
                let pod = Uid::new(pod).unwrap();
                let places = (0..PIECES as u64).map(|index| piece_name(&operation(last), &pod, index));
                names.extend(
                    places.chain([last_word_name(&operation(last), &pod), conflict_name(&operation(last), &pod)]),
                );
            }
        }
        assert_eq!(names.len(), 2 * 3 * (PIECES + 2));
        assert_eq!(
            piece_name(&operation(1), &Uid::new("u").unwrap(), 7).as_str(),
            "ptah-r-01890a5d-ac96-774b-bcce-b302099a8051-0bfe935e70c321c7ca3afc75ce0d0ca2-7",
        );
    }
}

//! Whatever order, loss or change the pieces suffer, a delivery is whole, not whole, or a conflict, and never another one.

use k8s_openapi::ByteString;
use proptest::prelude::*;
use ptah_records::operator::latest::{AttachmentName, Complete};
use ptah_records::operator::list::List;
use ptah_records::operator::text::LabelName;
use ptah_records::operator::whole::Whole as Number;

use super::*;
use crate::gatekeeper::Place;
use crate::record::{About, Index};

const REFRESHED: &[u8] = include_bytes!("../../../records/src/operator/v1/golden/frame-refresh-schema.json");

fn number<const LEAST: u64, const MOST: u64>(value: usize) -> Number<LEAST, MOST> {
    Number::new(value as u64).unwrap()
}

/// What one Pod delivers.
struct Sent {
    operation: OperationId,
    pod: Uid,
    frame: Frame,
    attached: [Vec<u8>; 2],
    bytes: Vec<u8>,
}

impl std::fmt::Debug for Sent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sent(attached {:?} bytes)", self.attached.each_ref().map(Vec::len))
    }
}

impl Sent {
    fn of(attached: [Vec<u8>; 2]) -> Self {
        let mut frame: Frame = seal::read(REFRESHED.trim_ascii_end()).unwrap();
        let about = |(name, bytes): (AttachmentName, &Vec<u8>)| Attachment {
            name,
            stored_size: number(bytes.len()),
            encoding: Encoding::Identity,
            size: number(bytes.len()),
            digest: Sha256::from(&Digest::of(bytes)),
        };
        let names = [AttachmentName::Plan, AttachmentName::Desired];
        frame.attachments = List::new(names.into_iter().zip(&attached).map(about).collect()).unwrap();
        let mut bytes = seal::write(&frame).unwrap();
        bytes.extend(attached.iter().flatten());
        Self { operation: frame.operation_id.clone(), pod: frame.pod_uid.clone(), frame, attached, bytes }
    }

    fn complete(&self) -> Complete {
        Complete {
            operation_id: self.operation.clone(),
            pod_uid: self.pod.clone(),
            pieces: number(self.bytes.chunks(PIECE).count()),
            frame_size: number(seal::write(&self.frame).unwrap().len()),
            size: number(self.bytes.len()),
            digest: Sha256::from(&Digest::of(&self.bytes)),
        }
    }

    fn about<T>(&self, late: bool, make: impl FnOnce(&About<'_>) -> T) -> T {
        let place = Place {
            namespace: LabelName::new("shop").unwrap(),
            resource: Uid::new("22222222-2222-4222-8222-222222222201").unwrap(),
            key: None,
        };
        make(&About { operation: &self.operation, pod: &self.pod, place: &place, late })
    }

    /// Its records, the last word last.
    fn records(&self, late: bool) -> Vec<PtahResultRecord> {
        self.about(late, |about| {
            let pieces = (0u64..).zip(self.bytes.chunks(PIECE));
            let pieces = pieces.map(|(index, piece)| about.piece(Index::new(index).unwrap(), piece.to_vec()));
            pieces.chain([about.last_word(&self.complete())]).collect()
        })
    }

    fn read(&self, records: Vec<PtahResultRecord>) -> Delivery {
        read_delivery(&self.operation, &self.pod, records)
    }
}

fn sizes() -> impl Strategy<Value = [usize; 2]> {
    let size = prop_oneof![1..400usize, PIECE - 9_000..PIECE + 9_000, 2 * PIECE..3 * PIECE];
    [size.clone(), size]
}

fn sent() -> impl Strategy<Value = Sent> {
    (sizes(), any::<u8>()).prop_map(|([plan, desired], seed)| {
        let bytes = |size: usize, step: usize| -> Vec<u8> {
            (0..size).map(|at| (at * step / 7 + usize::from(seed)).to_le_bytes()[0]).collect()
        };
        Sent::of([bytes(plan, 3), bytes(desired, 5)])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_in_any_order_and_more_than_once_are_the_delivery_that_was_sent(
        sent in sent(), order in any::<prop::sample::Index>(), twice in any::<prop::sample::Index>(),
    ) {
        let mut records = sent.records(false);
        let again = records[twice.index(records.len())].clone();
        records.push(again);
        let middle = order.index(records.len());
        records.rotate_left(middle);
        records.reverse();
        let Delivery::Whole(whole) = sent.read(records) else { panic!() };
        prop_assert_eq!(&whole.frame, &sent.frame);
        prop_assert_eq!(whole.attachments.iter().map(|one| one.bytes.clone()).collect::<Vec<_>>(), sent.attached.to_vec());
        prop_assert_eq!(whole.digest, sent.complete().digest);
    }

    #[test]
    fn while_anything_is_missing_nothing_is_whole(sent in sent(), missing in any::<prop::sample::Index>()) {
        let mut records = sent.records(false);
        records.remove(missing.index(records.len()));
        prop_assert_eq!(sent.read(records), Delivery::NotWhole);
    }

    #[test]
    fn a_byte_that_was_changed_or_lost_is_a_conflict(
        sent in sent(), piece in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), lost: bool, resealed: bool,
    ) {
        let mut records = sent.records(false);
        let piece = piece.index(records.len() - 1);
        let spec = &mut records[piece].spec;
        let mut data = spec.data.take().unwrap().0;
        if lost {
            data.truncate(at.index(data.len()).max(1));
            prop_assume!(data.len() < PIECE && data.len() != sent.bytes.chunks(PIECE).nth(piece).unwrap().len());
        } else {
            let at = at.index(data.len());
            data[at] ^= 1;
        }
        if resealed {
            spec.digest = Sha256::from(&Digest::of(&data));
        }
        spec.data = Some(ByteString(data));
        let expected = match (resealed, lost) {
            (false, _) => Conflict::Changed,
            (true, true) => Conflict::Pieces,
            (true, false) => Conflict::Digest,
        };
        prop_assert_eq!(sent.read(records), Delivery::Conflict(expected));
    }
}

fn small() -> Sent {
    Sent::of([vec![b'p'; 100], vec![b'd'; 50]])
}

#[test]
fn what_came_late_or_is_anothers_does_not_count() {
    let sent = small();
    assert_eq!(sent.read(sent.records(true)), Delivery::NotWhole);
    assert_eq!(sent.read(Vec::new()), Delivery::NotWhole);
    let mut records = sent.records(false);
    let mut others = sent.records(false);
    for record in &mut others {
        record.spec.pod_uid = Uid::new("another").unwrap();
        record.spec.kind = ResultType::Conflict;
    }
    records.extend(others);
    records.push(sent.about(true, |about| about.conflict(sent.complete().digest)));
    assert!(matches!(sent.read(records), Delivery::Whole(_)));
}

#[test]
fn a_mark_of_a_conflict_outweighs_everything_else() {
    let sent = small();
    let mut records = sent.records(false);
    records.push(sent.about(false, |about| about.conflict(sent.complete().digest)));
    assert_eq!(sent.read(records), Delivery::Conflict(Conflict::TwoResults));
}

#[test]
fn a_piece_beyond_the_last_and_a_second_one_at_its_place_are_conflicts() {
    let sent = small();
    let extra = |index| sent.about(false, |about| about.piece(Index::new(index).unwrap(), vec![1]));
    let with = |index| sent.records(false).into_iter().chain([extra(index)]).collect();
    assert_eq!(sent.read(with(1)), Delivery::Conflict(Conflict::Pieces));
    assert_eq!(sent.read(with(0)), Delivery::Conflict(Conflict::TwoResults));
}

#[test]
fn a_frame_of_another_pod_or_with_other_attachments_is_not_believed() {
    let mut other_pod = small();
    other_pod.pod = Uid::new("another").unwrap();
    assert_eq!(other_pod.read(other_pod.records(false)), Delivery::Conflict(Conflict::Frame));
    let mut broken = small();
    broken.bytes[10] ^= 1;
    assert_eq!(broken.read(broken.records(false)), Delivery::Conflict(Conflict::Frame));
    let mut longer = small();
    longer.bytes.push(b'x');
    assert_eq!(longer.read(longer.records(false)), Delivery::Conflict(Conflict::Attachments));
    let mut other = small();
    *other.bytes.last_mut().unwrap() ^= 1;
    assert_eq!(other.read(other.records(false)), Delivery::Conflict(Conflict::Attachments));
}

#[test]
fn what_a_token_vouched_for_in_part_is_not_signed_by_the_key() {
    let sent = Sent::of([vec![7; PIECE], vec![9; 10]]);
    let key = Sha256::from(&Digest::of(b"key"));
    let other = Sha256::from(&Digest::of(b"another key"));
    let signed = |by: &[Option<&Sha256>]| {
        let mut records = sent.records(false);
        assert_eq!(records.len(), by.len());
        for (record, key) in records.iter_mut().zip(by) {
            record.spec.key_digest = key.cloned();
        }
        let Delivery::Whole(whole) = sent.read(records) else { panic!() };
        whole.key
    };
    let (own, none) = (Some(&key), None);
    assert_eq!(signed(&[own, own, own]), Some(key.clone()));
    for by in [[none, none, none], [none, own, own], [own, none, own], [own, own, none], [own, own, Some(&other)]] {
        assert_eq!(signed(&by), None, "{by:?}");
    }
}

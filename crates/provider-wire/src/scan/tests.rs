//! The scan: bombs are refused, honest messages are not, and its account covers what the decoder takes.

use prost::Message;
use ptah_provider_api::contract::{LARGE_MESSAGE_LIMIT, MESSAGE_LIMIT};

use super::*;
use crate::pb;

/// A list of `count` empty submessages in field `number`.
fn bomb(number: u8, count: usize) -> Vec<u8> {
    [number << 3 | 2, 0].repeat(count)
}

#[test]
fn a_bomb_of_empty_submessages_is_refused() {
    let check = |wire: &[u8], scanned: Result<usize, ScanError>| {
        assert_eq!(scanned, Err(ScanError::TooDense { length: wire.len(), limit: decoded_limit(wire.len()) }));
    };
    let full = bomb(1, MESSAGE_LIMIT / 2);
    check(&full, scan::<pb::PlanReply>(&full));
    check(&full, scan::<pb::ObjectsChunk>(&full));
    let units = bomb(2, MESSAGE_LIMIT / 2);
    check(&units, scan::<pb::ExecuteRequest>(&units));
}

#[test]
fn a_list_of_empty_texts_stays_within_the_bound() {
    // Two bytes on the wire and 24 in memory: no bomb, and the most that honest lists of names can be.
    let features = bomb(7, MESSAGE_LIMIT / 2);
    let used = scan::<pb::Description>(&features).unwrap();
    assert_eq!(used, MESSAGE_LIMIT / 2 * size_of::<String>());
    assert!(used <= decoded_limit(features.len()));
}

#[test]
fn a_bomb_inside_a_submessage_is_refused() {
    let inner = bomb(14, 600_000);
    let mut nested = vec![0x0a];
    prost::encoding::encode_varint(inner.len() as u64, &mut nested);
    nested.extend_from_slice(&bomb(13, 600_000));
    assert!(matches!(scan::<pb::PlanReply>(&nested), Err(ScanError::TooDense { .. })));
}

#[test]
fn no_message_may_take_more_than_the_bound_of_the_largest_one() {
    assert_eq!(decoded_limit(0), 16 * 1024 * 1024);
    assert!(decoded_limit(MESSAGE_LIMIT) <= 16 * MESSAGE_LIMIT);
    assert!(decoded_limit(LARGE_MESSAGE_LIMIT) * 5 <= LARGE_MESSAGE_LIMIT * 11);
}

#[test]
fn unknown_fields_are_skipped_and_groups_are_refused() {
    // Field 100 as each of the four wire types that may come from a newer peer.
    let newer = [
        &[0xa0, 0x06, 0x96, 0x01][..],
        &[0xa1, 0x06, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0xa2, 0x06, 3, b'a', b'b', b'c'],
        &[0xa5, 0x06, 0, 0, 0, 0],
    ]
    .concat();
    assert_eq!(scan::<pb::CloseRequest>(&newer), Ok(0));
    assert!(pb::CloseRequest::decode(newer.as_slice()).is_ok());
    assert_eq!(scan::<pb::CloseRequest>(&[0xa3, 0x06, 0xa4, 0x06]), Err(ScanError::Malformed));
}

#[test]
fn what_is_cut_off_is_malformed() {
    for wire in [&[0x0a][..], &[0x0a, 5, b'a'], &[0x80], &[0xff; 11], &[0x0d, 1], &[0x08, 1]] {
        assert_eq!(scan::<pb::CloseRequest>(wire), Err(ScanError::Malformed), "{wire:?}");
    }
}

#[test]
fn packed_numbers_are_counted_like_loose_ones() {
    let step = |ids| pb::Step { change_ids: ids, ..pb::Step::default() };
    let used = scan::<pb::Step>(&step(vec![1; 1000]).encode_to_vec()).unwrap();
    assert_eq!(used, 1024 * size_of::<u32>());
    let loose = [0x10, 7].repeat(1000);
    assert_eq!(scan::<pb::Step>(&loose).unwrap(), used);
}

#[test]
fn a_plan_of_ten_thousand_dense_steps_passes() {
    let name = |text: &str| pb::Name { source: text.to_owned(), normalized: None };
    let object = pb::ObjectId { kind: "table".to_owned(), schema: None, owner: None, name: Some(name("t1234")) };
    let step = pb::Step {
        step_id: "drop:t1234".to_owned(),
        change_ids: vec![1],
        unit: Some(pb::Unit { unit: Some(pb::unit::Unit::Sql("drop table t1234".to_owned())) }),
        transaction: 1,
        risk: 3,
        loss: Some(1),
        hazards: vec![pb::Hazard { code: "drop.rows".to_owned(), text: "all rows are lost".to_owned() }],
        locks: vec![pb::LockTaken {
            object: Some(object),
            mode: "exclusive".to_owned(),
            rewrites: false,
            scans: false,
        }],
        rule: Some(pb::Rule { name: "drop".to_owned(), sentence: "a table is dropped".to_owned() }),
        ..pb::Step::default()
    };
    let reply = pb::PlanReply { steps: vec![step; 10_000], refusals: Vec::new() };
    let wire = reply.encode_to_vec();
    assert!(scan::<pb::PlanReply>(&wire).is_ok());
}

//! Who may put what where.

use std::sync::atomic::Ordering;

use http::Method;
use ptah_intake::{Delivery, Standing};
use ptah_model::Digest;
use ptah_records::operator::latest::{Complete, Frame, PermitRequest};
use ptah_records::operator::seal;
use ptah_records::operator::text::{OperationId, Sha256, Uid};
use ptah_records::operator::whole::Whole;

use crate::client::{Asks, block_on};
use crate::parts::{OTHER_POD, POD, Say, TOKEN};
use crate::permits::APPLIED;
use crate::server::Server;

pub(crate) const OPERATION: &str = "01890a5d-ac96-774b-bcce-b302099a8051";

pub(crate) fn path(pod: &str, part: &str) -> String {
    format!("/v1/results/{OPERATION}/{pod}/{part}")
}

pub(crate) fn bearer() -> String {
    format!("Bearer {TOKEN}")
}

pub(crate) fn bearer_of(pod: &str) -> String {
    format!("Bearer the-token-of-{pod}")
}

fn key(byte: u8) -> (String, Sha256) {
    let key = [byte; 32];
    (format!("Ptah-Key {}", hex::encode(key)), Sha256::from(&Digest::of(&key)))
}

fn last_word(bytes: &[u8]) -> Complete {
    Complete {
        operation_id: OperationId::new(OPERATION).unwrap(),
        pod_uid: Uid::new(POD).unwrap(),
        pieces: Whole::new(1).unwrap(),
        frame_size: Whole::new(bytes.len() as u64).unwrap(),
        size: Whole::new(bytes.len() as u64).unwrap(),
        digest: Sha256::from(&Digest::of(bytes)),
    }
}

#[test]
fn before_a_permit_the_pods_own_token_delivers_and_nothing_else() {
    let server = Server::start(&[Say::Refused]);
    let (asks, stray) = (Asks::new(&server), key(1).0);
    let cases = [
        ("", 401),
        ("Basic YTpi", 401),
        ("Bearer made-for-another-audience", 401),
        (stray.as_str(), 401),
        ("Bearer nobody-can-say", 503),
        ("Bearer the-token-of-pod-7", 403),
        ("Bearer a-token-of-another-namespace", 403),
    ];
    for (authorization, status) in cases {
        assert_eq!(asks.put(&path(POD, "0"), authorization, b"piece"), status, "{authorization}");
    }
    assert!(server.shelf.records().is_empty());
    assert_eq!(asks.put(&path(POD, "0"), &bearer(), b"piece"), 204);
    assert_eq!(server.shelf.records().len(), 1);
}

#[test]
fn after_a_permit_its_key_delivers_and_no_token_and_no_other_key() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let (right, digest) = key(1);
    server.manager.let_in(POD, digest);
    for wrong in [key(2).0, bearer(), right.to_uppercase(), format!("{right}00"), String::new()] {
        assert_eq!(asks.put(&path(POD, "0"), &wrong, b"piece"), 401, "{wrong}");
    }
    assert_eq!(asks.put(&path(OTHER_POD, "0"), &right, b"piece"), 401, "the key is one Pod's");
    assert!(server.shelf.records().is_empty());
    assert_eq!(asks.put(&path(POD, "0"), &right, b"piece"), 204);
    assert_eq!(asks.put(&path(OTHER_POD, "0"), &bearer_of(OTHER_POD), b"not started"), 204);
}

#[test]
fn where_a_result_belongs_decides_what_becomes_of_it() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let (right, digest) = key(1);
    let mut place = server.manager.place(&Uid::new(POD).unwrap());
    let unknown_key = Standing::Late(place.clone());
    place.key = Some(digest);
    let cases = [
        (Standing::Stranger, bearer(), 403),
        (Standing::Gone, bearer(), 410),
        (Standing::Gone, right.clone(), 410),
        (Standing::NotKnownHere, bearer(), 503),
        (unknown_key, right.clone(), 410),
        (Standing::Late(place.clone()), key(2).0, 401),
        (Standing::Late(place), right, 204),
    ];
    for (standing, authorization, status) in cases {
        *server.manager.standing.lock().unwrap() = Some(standing.clone());
        assert_eq!(asks.put(&path(POD, "0"), &authorization, b"piece"), status, "{standing:?}");
    }
    assert_eq!(server.shelf.records().len(), 1);
}

/// A frame of the Pod, and the last word of its delivery.
fn delivery() -> (Frame, Vec<u8>, Vec<u8>) {
    let mut frame: Frame = seal::read(APPLIED.trim_ascii_end()).unwrap();
    frame.operation_id = OperationId::new(OPERATION).unwrap();
    frame.pod_uid = Uid::new(POD).unwrap();
    let bytes = seal::write(&frame).unwrap();
    let word = seal::write(&last_word(&bytes)).unwrap();
    (frame, bytes, word)
}

#[test]
fn any_replica_takes_any_part() {
    let server = Server::start(&[Say::Refused]);
    let replica = server.replica();
    let (one, other) = (Asks::new(&server), Asks::new(&replica));
    let (frame, bytes, word) = delivery();
    assert_eq!(one.put(&path(POD, "0"), &bearer(), &bytes), 204);
    assert_eq!(other.put(&path(POD, "0"), &bearer(), &bytes), 204, "a repeat meets what another replica kept");
    assert_eq!(other.put(&path(POD, "complete"), &bearer(), &word), 204);
    assert!(matches!(server.delivery(&frame.operation_id), Delivery::Whole(whole) if whole.frame == frame));
}

#[test]
fn the_first_stays_a_repeat_is_a_success_and_another_is_a_conflict() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let (frame, bytes, word) = delivery();
    for _ in 0..2 {
        assert_eq!(asks.put(&path(POD, "0"), &bearer(), &bytes), 204);
        assert_eq!(asks.put(&path(POD, "complete"), &bearer(), &word), 204);
    }
    let operation = frame.operation_id.clone();
    assert!(matches!(server.delivery(&operation), Delivery::Whole(whole) if whole.frame == frame));
    for other in [&b"another"[..], b"a third"] {
        assert_eq!(asks.put(&path(POD, "0"), &bearer(), other), 409);
    }
    assert_eq!(asks.put(&path(POD, "0"), &bearer(), &bytes), 204, "the first is still what is kept");
    assert_eq!(server.shelf.names().len(), 3, "one mark, however often it was tried");
    assert!(matches!(server.delivery(&operation), Delivery::Conflict(_)));
}

#[test]
fn what_cannot_be_read_back_is_not_acknowledged() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    server.shelf.forgets.store(true, Ordering::SeqCst);
    assert_eq!(asks.put(&path(POD, "0"), &bearer(), b"piece"), 503);
    server.shelf.forgets.store(false, Ordering::SeqCst);
    assert_eq!(asks.put(&path(POD, "0"), &bearer(), b"piece"), 204);
}

#[test]
fn a_last_word_that_is_none_or_is_about_something_else_is_refused() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let right = last_word(b"piece");
    let mut other_pod = right.clone();
    other_pod.pod_uid = Uid::new(OTHER_POD).unwrap();
    let mut other_operation = right.clone();
    other_operation.operation_id = OperationId::new("01890a5d-ac96-774b-bcce-b302099a8052").unwrap();
    let mut changed = seal::write(&right).unwrap();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    let wrong =
        [seal::write(&other_pod).unwrap(), seal::write(&other_operation).unwrap(), changed, b"{}".to_vec(), vec![]];
    for body in wrong {
        assert_eq!(asks.put(&path(POD, "complete"), &bearer(), &body), 400);
    }
    assert!(server.shelf.records().is_empty());
}

#[test]
fn a_permit_is_asked_for_by_a_token_and_in_a_sealed_document() {
    let server = Server::start(&[Say::Granted]);
    let (asks, stray) = (Asks::new(&server), key(1).0);
    let request = PermitRequest { operation_id: OperationId::new(OPERATION).unwrap(), key_digest: key(1).1 };
    let request = seal::write(&request).unwrap();
    let ask = |authorization: &str, body: &[u8]| {
        block_on(asks.send(Method::POST, "/v1/permit", authorization, body)).unwrap().0
    };
    for (authorization, status) in
        [("", 401), ("Bearer of-nobody", 401), (stray.as_str(), 401), ("Bearer nobody-can-say", 503)]
    {
        assert_eq!(ask(authorization, &request), status, "{authorization}");
    }
    assert_eq!(ask(&bearer(), b"{}"), 400);
    assert_eq!(ask(&bearer(), &vec![b' '; 4 * 1024 + 1]), 413);
    assert!(server.manager.asked.lock().unwrap().is_empty(), "none of these was decided about");
    assert_eq!(ask(&bearer(), &request), 200);
}

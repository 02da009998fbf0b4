//! Bounds: sizes, cut bodies, how much at once, and that a stranger's body is not read.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ptah_intake::{UPLOADS, UPLOADS_OF_ONE};
use ptah_records::operator::limits::{MESSAGE, PIECE};

use crate::client::{Asks, block_on};
use crate::parts::{POD, Say};
use crate::senders::{bearer, bearer_of, path};
use crate::server::{Server, until};

#[test]
fn a_piece_has_a_byte_at_least_and_half_a_mebibyte_at_most() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let full = vec![7; PIECE + 1];
    for (part, body, status) in [
        ("0", &full[..], 413),
        ("0", &[][..], 400),
        ("complete", &full[..=MESSAGE], 413),
        ("33", &full[..1], 400),
        ("32", &full[..PIECE], 204),
    ] {
        assert_eq!(asks.put(&path(POD, part), &bearer(), body), status, "{part} {}", body.len());
    }
    assert_eq!(server.shelf.records().len(), 1);
}

/// A request whose body's length is not said, in pieces of `size` bytes.
fn chunked(size: usize, count: usize) -> Vec<u8> {
    let mut request = head(&bearer(), "transfer-encoding: chunked");
    for _ in 0..count {
        request.extend(format!("{size:x}\r\n").into_bytes());
        request.extend(vec![7; size]);
        request.extend(b"\r\n");
    }
    request.extend(b"0\r\n\r\n");
    request
}

fn head(authorization: &str, more: &str) -> Vec<u8> {
    format!("PUT {} HTTP/1.1\r\nhost: x\r\nauthorization: {authorization}\r\n{more}\r\n\r\n", path(POD, "0"))
        .into_bytes()
}

#[test]
fn a_body_that_does_not_say_its_length_is_held_to_the_same_limit() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    assert!(asks.raw(&chunked(PIECE / 4, 5), false).starts_with("HTTP/1.1 413"));
    assert!(server.shelf.records().is_empty());
    assert!(asks.raw(&chunked(PIECE / 4, 4), false).starts_with("HTTP/1.1 204"));
}

#[test]
fn a_body_that_was_cut_is_not_kept() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let mut request = head(&bearer(), "content-length: 100");
    request.extend([7; 50]);
    let answer = asks.raw(&request, true);
    assert!(!answer.contains(" 204 "), "{answer}");
    until(|| (!server.notes().is_empty()).then_some(()));
    assert_eq!(server.statuses("piece"), [408]);
    assert!(server.shelf.records().is_empty());
}

#[test]
fn whoever_is_not_known_is_answered_before_anything_of_the_body_is_there() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let started = Instant::now();
    let answer = asks.raw(&head("Bearer of-nobody", "content-length: 100"), false);
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    assert!(started.elapsed() < Duration::from_secs(10), "it did not wait for a body that never came");
}

#[test]
fn a_refusal_reaches_a_sender_who_is_still_sending() {
    let server = Server::start(&[Say::Refused]);
    *server.manager.standing.lock().unwrap() = Some(ptah_intake::Standing::Gone);
    let asks = Asks::new(&server);
    let body = vec![7; PIECE];
    for _ in 0..20 {
        assert_eq!(asks.put(&path(POD, "0"), &bearer(), &body), 410);
    }
}

/// Sends a piece that hangs in the store, from a thread of its own.
fn hanging(server: &Server, pod: &str, part: &str) -> std::thread::JoinHandle<u16> {
    let (asks, path, bearer) = (Asks::new(server), path(pod, part), bearer_of(pod));
    let before = server.shelf.under_way.load(Ordering::SeqCst);
    let sender = std::thread::spawn(move || asks.put(&path, &bearer, b"piece"));
    until(|| (server.shelf.under_way.load(Ordering::SeqCst) == before + 1).then_some(()));
    sender
}

#[test]
fn the_one_too_many_is_turned_away_and_comes_again() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let gate = server.shelf.gate.try_acquire_many(1_000).unwrap();
    let senders: Vec<_> = (0..UPLOADS).map(|number| hanging(&server, &format!("pod-{number}"), "0")).collect();
    assert_eq!(asks.put(&path(POD, "0"), &bearer(), b"piece"), 503);
    assert_eq!(asks.put(&path(POD, "0"), "Bearer of-nobody", b"piece"), 401, "a stranger learns nothing of it");
    drop(gate);
    for sender in senders {
        assert_eq!(sender.join().unwrap(), 204);
    }
    assert_eq!(asks.put(&path(POD, "0"), &bearer(), b"piece"), 204);
    assert_eq!(server.shelf.records().len(), UPLOADS + 1);
}

#[test]
fn one_pod_keeps_no_other_from_reporting() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let gate = server.shelf.gate.try_acquire_many(1_000).unwrap();
    let greedy: Vec<_> = (0..UPLOADS_OF_ONE).map(|part| hanging(&server, "pod-1", &part.to_string())).collect();
    assert_eq!(asks.put(&path("pod-1", "9"), &bearer_of("pod-1"), b"piece"), 503);
    let other = hanging(&server, "pod-2", "0");
    drop(gate);
    assert!(greedy.into_iter().chain([other]).all(|sender| sender.join().unwrap() == 204));
}

#[test]
fn what_was_begun_is_finished_when_the_server_is_told_to_end() {
    let mut server = Server::start(&[Say::Refused]);
    let shelf = server.shelf.clone();
    let gate = shelf.gate.try_acquire_many(1_000).unwrap();
    let sender = hanging(&server, "pod-1", "0");
    server.tell_to_end();
    until(|| std::net::TcpStream::connect(("127.0.0.1", server.port)).is_err().then_some(()));
    drop(gate);
    assert_eq!(sender.join().unwrap(), 204);
}

#[test]
fn whoever_stops_in_the_middle_is_ended_and_gives_its_place_back() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    let silent = std::thread::spawn({
        let asks = asks.clone();
        move || asks.raw(b"PUT /v1/", false)
    });
    let mut half = head(&bearer(), "content-length: 100");
    half.extend([7; 50]);
    let halves: Vec<_> = (0..UPLOADS_OF_ONE)
        .map(|_| {
            let (asks, half) = (asks.clone(), half.clone());
            std::thread::spawn(move || asks.raw(&half, false))
        })
        .collect();
    assert!(!silent.join().unwrap().contains("HTTP/1.1 2"));
    for half in halves {
        assert!(half.join().unwrap().starts_with("HTTP/1.1 503"));
    }
    assert!(server.notes().iter().filter(|note| note.asked == "piece").all(|note| note.why == "it took too long"));
    assert_eq!(asks.put(&path(POD, "0"), &bearer(), b"piece"), 204);
}

#[test]
fn a_connection_that_says_nothing_keeps_nobody_else_waiting() {
    let server = Server::start(&[Say::Refused]);
    let asks = Asks::new(&server);
    block_on(async {
        let silent: Vec<_> = futures_of_silence(server.port).await;
        assert_eq!(asks.send(http::Method::GET, "/", "", b"").await.unwrap().0, 404);
        drop(silent);
    });
}

async fn futures_of_silence(port: u16) -> Vec<tokio::net::TcpStream> {
    let mut silent = Vec::new();
    for _ in 0..64 {
        silent.push(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap());
    }
    silent
}

//! The real runner delivers.

use std::sync::atomic::Ordering;

use ptah_crds::ResultType;
use ptah_intake::{Delivery, Standing};
use ptah_model::Digest;
use ptah_records::operator::latest::{Attachment, AttachmentName, Encoding};
use ptah_records::operator::limits::PIECE;
use ptah_records::operator::list::List;
use ptah_records::operator::seal;
use ptah_records::operator::text::{Sha256, Uid};
use ptah_records::operator::whole::Whole;

use crate::parts::{POD, Say};
use crate::permits::APPLIED;
use crate::runner::{APPLY, LEAVE, REFRESH, Runner};
use crate::server::Server;

const REFRESHED: &[u8] = include_bytes!("../../../records/src/operator/v1/golden/frame-refresh-schema.json");

fn attachment(name: AttachmentName, bytes: &[u8]) -> Attachment {
    let size = bytes.len() as u64;
    Attachment {
        name,
        stored_size: Whole::new(size).unwrap(),
        encoding: Encoding::Identity,
        size: Whole::new(size).unwrap(),
        digest: Sha256::from(&Digest::of(bytes)),
    }
}

/// A run that applied, to a server that was told what to do.
fn applied(server: &Server) -> (Runner, crate::runner::Ran) {
    let runner = Runner::new(server, APPLY);
    runner.prepare(&runner.frame(APPLIED));
    let ran = runner.run(LEAVE);
    (runner, ran)
}

#[test]
fn a_result_of_several_pieces_is_put_together_as_it_was_left() {
    let server = Server::start(&[Say::Refused]);
    let runner = Runner::new(&server, REFRESH);
    let plan: Vec<u8> = (0..PIECE + 100_000).map(|at| u8::try_from(at % 251).unwrap()).collect();
    let desired = vec![b'd'; PIECE - 1];
    let mut frame = runner.frame(REFRESHED);
    let attachments = [(AttachmentName::Plan, &plan), (AttachmentName::Desired, &desired)];
    frame.attachments = List::new(attachments.map(|(name, bytes)| attachment(name, bytes)).to_vec()).unwrap();
    runner.prepare(&frame);
    std::fs::write(runner.path("plan"), &plan).unwrap();
    std::fs::write(runner.path("desired"), &desired).unwrap();
    let ran = runner.run(LEAVE);
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    let Delivery::Whole(whole) = server.delivery(&runner.spec.operation_id) else { panic!() };
    assert_eq!(whole.frame, frame);
    assert_eq!(whole.attachments.iter().map(|one| &one.bytes).collect::<Vec<_>>(), [&plan, &desired]);
    let message: ptah_records::operator::latest::TerminationSummary =
        seal::read(&std::fs::read(runner.path("message")).unwrap()).unwrap();
    assert_eq!(whole.digest, message.delivery_digest, "the Pod's status names what is kept");
    assert!(server.statuses("permit").is_empty(), "a reading needs no permit");
    assert_eq!(server.statuses("piece").len(), 3);
}

#[test]
fn what_was_kept_before_the_manager_died_is_met_by_the_repeat() {
    let server = Server::start(&[Say::Granted]);
    server.shelf.dies_once.store(true, Ordering::SeqCst);
    let (runner, ran) = applied(&server);
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert!(matches!(server.delivery(&runner.spec.operation_id), Delivery::Whole(_)));
    assert_eq!(server.shelf.records().len(), 2, "no second copy and no conflict");
}

#[test]
fn a_store_that_fails_for_a_while_loses_nothing() {
    let server = Server::start(&[Say::Granted]);
    server.shelf.failures.store(3, Ordering::SeqCst);
    let (runner, ran) = applied(&server);
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert_eq!(server.statuses("piece"), [503, 503, 503, 204]);
    assert!(matches!(server.delivery(&runner.spec.operation_id), Delivery::Whole(_)));
}

#[test]
fn a_result_that_comes_late_is_kept_and_counts_for_nothing() {
    let server = Server::start(&[Say::Refused]);
    let place = server.manager.place(&Uid::new(POD).unwrap());
    *server.manager.standing.lock().unwrap() = Some(Standing::Late(place));
    let runner = Runner::new(&server, APPLY);
    assert_eq!(runner.run("true").code, Some(75));
    let records = server.shelf.records();
    assert_eq!(records.iter().map(|record| record.spec.kind).filter(|kind| *kind == ResultType::Piece).count(), 1);
    assert!(records.iter().all(|record| record.spec.late));
    assert_eq!(server.delivery(&runner.spec.operation_id), Delivery::NotWhole);
}

#[test]
fn a_runner_whose_claim_is_gone_stops_at_the_first_piece() {
    let server = Server::start(&[Say::Granted]);
    *server.manager.standing.lock().unwrap() = Some(Standing::Gone);
    let (_, ran) = applied(&server);
    assert_eq!(ran.code, Some(74), "{}", ran.log);
    assert!(ran.log.contains("nobody waits for this operation any more"), "{}", ran.log);
    assert_eq!(server.statuses("piece"), [410]);
    assert!(server.shelf.records().is_empty());
}

#[test]
fn a_runner_hears_that_another_result_is_kept_under_its_name() {
    let server = Server::start(&[Say::Granted]);
    let first = applied(&server);
    assert_eq!(first.1.code, Some(0));
    let runner = Runner::new(&server, APPLY);
    let ran = runner.run("true");
    assert_eq!(ran.code, Some(74), "{}", ran.log);
    assert!(ran.log.contains("another result is stored under its name"), "{}", ran.log);
    assert!(matches!(server.delivery(&runner.spec.operation_id), Delivery::Conflict(_)));
}

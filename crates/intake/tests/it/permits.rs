//! The real runner asks for permits.

use ptah_intake::Delivery;
use ptah_records::operator::latest::Section;

use crate::parts::Say;
use crate::runner::{APPLY, LEAVE, Runner};
use crate::server::Server;

pub(crate) const APPLIED: &[u8] = include_bytes!("../../../records/src/operator/v1/golden/frame-apply.json");

fn whole(delivery: Delivery) -> ptah_intake::Whole {
    let Delivery::Whole(whole) = delivery else { panic!("{delivery:?}") };
    *whole
}

/// A run that leaves a frame, and what is kept of it.
fn applies(server: &Server) {
    let runner = Runner::new(server, APPLY);
    let frame = runner.frame(APPLIED);
    runner.prepare(&frame);
    let ran = runner.run(LEAVE);
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert_eq!(whole(server.delivery(&runner.spec.operation_id)).frame, frame);
}

#[test]
fn a_pod_that_is_let_in_runs_and_its_result_is_kept_whole() {
    let server = Server::start(&[Say::Granted]);
    applies(&server);
    assert_eq!(server.statuses("permit"), [200]);
    assert_eq!((server.statuses("piece"), server.statuses("complete")), (vec![204], vec![204]));
}

#[test]
fn a_pod_that_is_refused_runs_nothing_and_says_so_by_its_token() {
    let server = Server::start(&[Say::Refused]);
    let runner = Runner::new(&server, APPLY);
    let ran = runner.run("touch $SCENE/opened");
    assert_eq!(ran.code, Some(75), "{}", ran.log);
    assert!(!runner.path("opened").exists());
    let kept = whole(server.delivery(&runner.spec.operation_id));
    assert!(matches!(kept.frame.sections.as_slice(), [Section::NotStarted(_)]));
    assert_eq!(server.statuses("permit"), [409]);
}

#[test]
fn a_pod_asks_again_while_nobody_leads_or_it_is_too_early() {
    let server = Server::start(&[Say::NotLeader, Say::NotYet, Say::Granted]);
    applies(&server);
    assert_eq!(server.statuses("permit"), [503, 503, 200]);
}

#[test]
fn a_permit_whose_answer_was_lost_is_answered_when_the_same_key_asks() {
    let server = Server::start(&[Say::GrantedAndDies, Say::Granted]);
    applies(&server);
    let asked = server.manager.asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0], asked[1], "the same key, so the same answer");
}

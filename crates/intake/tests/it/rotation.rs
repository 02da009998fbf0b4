//! Generations of the authority, while runs are under way.

use std::collections::BTreeSet;

use ptah_intake::Delivery;
use ptah_intake::authority::KEPT;
use ptah_records::operator::time::Moment;

use crate::client::{Asks, Unreachable};
use crate::parts::Say;
use crate::permits::APPLIED;
use crate::runner::{APPLY, LEAVE, Runner, ended};
use crate::server::{Server, now, until};

#[test]
fn a_run_that_began_under_an_older_generation_still_starts_and_delivers() {
    let mut server = Server::start(&[Say::NotYet]);
    let runner = Runner::new(&server, APPLY);
    runner.prepare(&runner.frame(APPLIED));
    let child = runner.start(LEAVE);
    until(|| (!server.notes().is_empty()).then_some(()));
    server.authority.add(now()).unwrap();
    server.names.replace(&server.authority).unwrap();
    server.manager.says.lock().unwrap()[0] = Say::Granted;
    let ran = ended(child);
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert!(matches!(server.delivery(&runner.spec.operation_id), Delivery::Whole(_)));
    let asks = Asks::new(&server);
    assert_eq!(asks.unknown_path(), Ok(404), "the newest generation is served too");
}

#[test]
fn a_generation_that_was_retired_is_refused_and_so_is_a_name_that_never_was() {
    let mut server = Server::start(&[Say::Refused]);
    let old = Asks::new(&server);
    assert_eq!(old.unknown_path(), Ok(404));
    server.authority.add(now()).unwrap();
    let later = now().milliseconds() + u64::try_from(KEPT.as_millis()).unwrap() + 1_000;
    assert!(server.authority.retire(&BTreeSet::new(), Moment::from_milliseconds(later).unwrap()));
    server.names.replace(&server.authority).unwrap();
    assert_eq!(old.unknown_path(), Err(Unreachable));
    let new = Asks::new(&server);
    assert_eq!(new.unknown_path(), Ok(404));
    for name in ["g9-00000000.results.ptah.internal", "localhost"] {
        assert_eq!(new.named(name).unknown_path(), Err(Unreachable), "{name}");
    }
}

#[test]
fn nothing_older_than_tls_13_is_spoken() {
    let server = Server::start(&[Say::Refused]);
    assert_eq!(Asks::new(&server).by_tls_12().unknown_path(), Err(Unreachable));
}

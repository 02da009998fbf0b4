//! The process dies, or a reply is lost, at every single request of a life, in both families.

use ptah_lifecycle::Family;

use super::life::{Life, steps};
use crate::support::{DB, Fault, ONE};

const FAULTS: [Fault; 4] = [Fault::DiesBefore, Fault::DiesAfter, Fault::LostBefore, Fault::LostAfter];

#[test]
fn a_change_runs_once_and_is_accounted_for_wherever_the_manager_dies_or_a_reply_is_lost() {
    let mut tried = 0;
    for family in [Family::Schema, Family::Migration] {
        for step in steps(family).iter().filter(|step| *step != "Wait") {
            for fault in FAULTS {
                let mut life = Life::of(family);
                let happened = life.until_settled(ONE, Some((step, fault)));
                assert!(happened, "{fault:?} at {step} did not happen in {family:?}");
                assert_eq!(life.wrote.len(), 1, "{family:?}: {fault:?} at {step}");
                let lease = life.world.database_lease(DB);
                assert_eq!((lease.holder, lease.hold), (None, None), "{family:?}: {fault:?} at {step}");
                assert_eq!(life.world.realm_lease("key").holder, None, "{family:?}: {fault:?} at {step}");
                tried += 1;
            }
        }
    }
    assert!(tried > 2 * 25 * 4, "{tried}");
}

/// Checked at every pass of every life here; this one says that there was something to check.
#[test]
fn what_a_pass_does_not_read_would_not_change_its_decision() {
    for family in [Family::Schema, Family::Migration] {
        let mut life = Life::of(family);
        life.until_settled(ONE, None);
        assert!(life.widened > 10, "{}", life.widened);
    }
}

#[test]
fn a_create_that_is_refused_or_whose_reply_is_lost_is_never_sent_again() {
    for family in [Family::Schema, Family::Migration] {
        for fault in [Fault::Refused, Fault::LostBefore, Fault::LostAfter, Fault::DiesBefore, Fault::DiesAfter] {
            let mut life = Life::of(family);
            life.world.planned(ONE);
            life.world.approve(ONE);
            assert!(life.until_settled(ONE, Some(("CreateJob", fault))));
            assert_eq!(life.wrote.len(), 1, "{family:?} {fault:?}: the change ran in the end, once");
        }
    }
}

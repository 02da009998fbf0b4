//! Stored state is never interpreted by a manager that predates it.

use std::collections::BTreeMap;

use ptah_lifecycle::fence::{StoredKind, StoredObject, StoredStateError, verify_stored_objects};
use ptah_lifecycle::{Decision, Family, Outcome, Refusal};

use crate::support::{DB, ONE, World, digest};

/// A cluster in which nothing is stored yet, listed whole.
fn listed() -> BTreeMap<StoredKind, Vec<StoredObject>> {
    StoredKind::ALL.into_iter().map(|kind| (kind, Vec::new())).collect()
}

fn object(name: &str, versions: &[i64]) -> StoredObject {
    StoredObject { name: name.to_owned(), versions: versions.to_vec() }
}

#[test]
fn runtime_verifier_rejects_stored_future_controller_state() {
    for kind in StoredKind::ALL {
        let mut stored = listed();
        stored.insert(StoredKind::Schema, vec![object("tenant-a/never-reconciled", &[])]);
        stored.insert(kind, vec![object("tenant-a/fine", &[1]), object("tenant-a/newer", &[1, 2])]);
        let refused = verify_stored_objects(&stored, 1).unwrap_err();
        let text = refused.to_string();
        assert!(text.starts_with("controller downgrade refused") && text.contains("tenant-a/newer"), "{text}");
        assert!(matches!(refused, StoredStateError::Newer { found: 2, supported: 1, .. }));
        assert_eq!(verify_stored_objects(&stored, 2), Ok(()));
    }
}

#[test]
fn a_kind_that_was_not_listed_is_refused_by_its_name() {
    for kind in StoredKind::ALL {
        let mut stored = listed();
        stored.remove(&kind);
        assert_eq!(verify_stored_objects(&stored, 1), Err(StoredStateError::NotListed(kind)));
    }
}

#[test]
fn a_version_that_no_contract_has_is_refused() {
    for found in [0, -1, i64::MIN] {
        let mut stored = listed();
        stored.insert(StoredKind::Lease, vec![object("leases/a", &[found])]);
        assert!(matches!(verify_stored_objects(&stored, 1), Err(StoredStateError::Malformed { .. })));
    }
}

/// Each place of stored state, newer by one, stops every pass: not even a Lease is renewed.
#[test]
fn a_pass_over_newer_state_writes_nothing_wherever_it_stands() {
    let newer: [fn(&mut World); 6] = [
        |world| world.edit(ONE, |resource| resource.status.state_version = 2),
        |world| world.plans.values_mut().for_each(|plan| plan.state_version = 2),
        |world| {
            let name = ptah_reconcile::LeaseName::Database(digest(DB));
            world.leases.get_mut(&name).unwrap().hold.as_mut().unwrap().state_version = 2;
        },
        // What was settled on a Lease, and what it is bound to, is stored state too.
        |world| {
            let name = ptah_reconcile::LeaseName::Database(digest(DB));
            world.leases.get_mut(&name).unwrap().state_version = 2;
        },
        |world| {
            let (operation, pod) = (world.claim(ONE).operation, world.claim(ONE).started_by.unwrap().pod);
            world.send(operation, pod, None, ptah_lifecycle::Section::NotStarted);
            world.frames.values_mut().for_each(|frame| frame.state_version = 2);
        },
        |world| {
            world.send(
                world.claim(ONE).operation,
                ptah_lifecycle::Uid(0xbad),
                None,
                ptah_lifecycle::Section::NotStarted,
            );
            world.edit(ONE, |resource| resource.status.claim.as_mut().unwrap().started_by = None);
            world.frames.values_mut().for_each(|frame| frame.state_version = 2);
        },
    ];
    for (at, arrange) in newer.into_iter().enumerate() {
        let mut world = World::of(Family::Migration);
        let (claim, pod) = world.started(ONE);
        arrange(&mut world);
        world.wait(claim.lease_duration / 2);
        assert_eq!(world.pass(ONE).decision, Decision::Refuse(Refusal::NewerState), "{at}");
        assert_eq!(world.ask(ONE, claim.operation, pod), ptah_lifecycle::permit::Answer::NotYet);
    }
}

#[test]
fn what_a_manager_writes_is_marked_with_its_version() {
    let mut world = World::of(Family::Schema);
    world.manager.state_version = 3;
    world.ended(ONE, Outcome::Unknown);
    assert_eq!(world.status(ONE).state_version, 3);
    assert_eq!(world.database_lease(DB).hold.unwrap().state_version, 3);
    assert_eq!(world.database_lease(DB).state_version, 3);
    assert!(world.plans.values().all(|plan| plan.state_version == 3));
}

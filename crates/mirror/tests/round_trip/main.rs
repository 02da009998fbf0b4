//! What is written is what is read: statuses along whole lives of a resource, each written, stored as the API server stores
//! it, and read again.
//!
//! The steps are those of the core, in its order; what the core would put into each is drawn. After each step the object is
//! also written a second time with the same status: nothing may differ then, or a manager would write for ever.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod draw;
mod life;

use proptest::prelude::*;
use ptah_lifecycle::{Family, Kind, Outcome, Resolution, Resolved, Resource, RunEvidence};
use ptah_mirror::job::{build, refresh_digest};
use ptah_mirror::{Object, claimant, ids, lease, resource, with_status};
use ptah_records::operator::names;
use ptah_records::operator::text::OperationId;

use crate::draw::Draw;
use crate::life::Life;

/// The object as it comes back from the API server, one version later.
fn stored(object: &Object, version: u64) -> Object {
    let again = |value: serde_json::Value| -> serde_json::Value {
        let mut value: serde_json::Value = serde_json::from_str(&value.to_string()).unwrap();
        value["metadata"]["resourceVersion"] = version.to_string().into();
        value
    };
    match object {
        Object::Schema(schema) => {
            Object::Schema(serde_json::from_value(again(serde_json::to_value(schema).unwrap())).unwrap())
        }
        Object::Migration(migration) => {
            Object::Migration(serde_json::from_value(again(serde_json::to_value(migration).unwrap())).unwrap())
        }
    }
}

fn live(mut life: Life) {
    let mut object = life.object.clone();
    for (version, step) in (2..).zip(life::STEPS) {
        let status = life.step(step);
        let before = life.around(|around| refresh_digest(&object, &life.known(), around).unwrap());
        let written = with_status(&object, &status, &life.known())
            .unwrap_or_else(|problem| panic!("{step:?}: {problem}: {status:#?}"));
        if let life::Step::Claim(Kind::Refresh) = step {
            let built = life.around(|around| build(&written, around).unwrap());
            assert_eq!(built.digest, before, "the digest of a reading's Job is known before its claim");
        }
        object = stored(&written, version);
        let read = resource(&object, life.policy).unwrap_or_else(|problem| panic!("{step:?}: {problem}: {status:#?}"));
        assert_eq!(read.status, status, "{step:?}");
        assert_eq!(read.version.0, version, "{step:?}");
        as_a_rival(&object, &read);
        let twice = with_status(&object, &status, &life.known()).unwrap();
        assert_eq!(twice, object, "{step:?}, written again");
    }
}

#[test]
fn a_status_that_cannot_be_read_is_never_replaced() {
    let mut life = Life::of_a_schema(Draw::new((1..300).collect()));
    let first = life.step(life::STEPS[0]);
    let written = with_status(&life.object, &first, &life.known()).unwrap();
    let claimed = life.step(life::STEPS[1]);
    let Object::Schema(mut schema) = with_status(&written, &claimed, &life.known()).unwrap() else { panic!() };
    // An Apply that reads for something contradicts itself.
    schema.status.as_mut().unwrap().common.active_operation.as_mut().unwrap().purpose = None;
    let problem = with_status(&Object::Schema(schema), &first, &life.known()).unwrap_err();
    assert_eq!(problem, ptah_mirror::Unwritable::Unread);
}

#[test]
fn a_plan_that_was_applied_is_confirmed_once_more_when_it_is_run_again_and_not_otherwise() {
    // Numbers by which the run has something that its reading is compared with.
    let mut life = Life::of_a_schema(Draw::new((3..300).collect()));
    let mut object = life.object.clone();
    let mut recorded = ptah_lifecycle::Status::default();
    for step in life::STEPS.iter().take_while(|step| !matches!(step, life::Step::ClearOwed)) {
        recorded = life.step(*step);
        object = with_status(&object, &recorded, &life.known()).unwrap();
    }
    let record = recorded.record.as_mut().unwrap();
    (record.outcome, record.reported) = (Outcome::Applied, None);
    record.evidence = RunEvidence::default();
    let (run, plan) = (record.operation, record.plan);
    object = with_status(&object, &recorded, &life.known()).unwrap();
    let settled = |in_sync: bool, applied: Option<ptah_lifecycle::PlanRef>| {
        let resolved = Resolved { operation: run, by: Resolution::Reading };
        let observed = recorded.observed.map(|observed| ptah_lifecycle::Observed { in_sync, ..observed });
        ptah_lifecycle::Status { record: None, resolved: Some(resolved), observed, applied, ..recorded.clone() }
    };
    let confirmed = |object: &Object, status| match with_status(object, &status, &life.known()).unwrap() {
        Object::Schema(schema) => schema.status.unwrap().applied,
        Object::Migration(_) => panic!("no schema"),
    };
    let first = confirmed(&object, settled(true, Some(plan))).unwrap();
    assert_eq!(Some(&first.operation_id), ids::operation_text(run).as_ref());
    let Object::Schema(schema) = &mut object else { panic!("no schema") };
    let earlier = OperationId::new("01890a5d-ac96-774b-bcce-b302099a8fff").unwrap();
    let applied = ptah_records::operator::latest::Applied { operation_id: earlier.clone(), ..first.clone() };
    schema.status.as_mut().unwrap().applied = Some(applied);
    assert_eq!(confirmed(&object, settled(true, Some(plan))).unwrap().operation_id, first.operation_id);
    assert_eq!(confirmed(&object, settled(false, Some(plan))).unwrap().operation_id, earlier, "nothing was confirmed");
}

/// What another claimant of the same database sees is what the resource itself knows.
fn as_a_rival(object: &Object, own: &Resource) {
    let rival = claimant::read(object).unwrap();
    let record = own.status.record.as_ref();
    assert_eq!(rival.unresolved, record.map(|record| record.operation));
    assert_eq!(rival.attempts, record.and_then(|record| record.attempts).map_or(0, |attempts| attempts.count));
    let seen = own.status.observed.and_then(|seen| Some((seen.identity.database, seen.instance?)));
    assert_eq!(rival.looked.map(|looked| (looked.database, looked.instance)), seen);
    assert_eq!((rival.uid, rival.by_realm), (own.uid, own.family == Family::Migration), "as the fixtures claim it");
    assert!(!rival.dormant && !rival.deleting && !rival.shared);
}

#[test]
fn a_rival_that_is_suspended_or_going_claims_nothing_now() {
    let object = Life::of_a_schema(Draw::new((1..60).collect())).object;
    let changed = |change: fn(&mut ptah_crds::PtahSchema)| {
        let Object::Schema(mut schema) = object.clone() else { panic!() };
        change(&mut schema);
        let rival = claimant::read(&Object::Schema(schema)).unwrap();
        (rival.dormant, rival.deleting, rival.shared)
    };
    assert_eq!(changed(|_| {}), (false, false, false));
    assert_eq!(changed(|schema| schema.spec.suspend = true), (true, false, false));
    assert_eq!(changed(|schema| schema.spec.target.shared_realm = true), (false, false, true));
    let going = |schema: &mut ptah_crds::PtahSchema| {
        schema.metadata.deletion_timestamp = serde_json::from_str("\"2026-11-30T12:00:00Z\"").unwrap();
    };
    assert_eq!(changed(going), (true, true, false));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_status_that_is_written_is_read_back_the_same(tape in prop::collection::vec(any::<u64>(), 300)) {
        live(Life::of_a_schema(Draw::new(tape.clone())));
        live(Life::of_a_migration(Draw::new(tape)));
    }

    #[test]
    fn every_lease_that_is_written_is_read_back_the_same(tape in prop::collection::vec(any::<u64>(), 60)) {
        let lease = Draw::new(tape).lease();
        let mut stored = lease::write("ptah-d-x", "ptah-system", None, &lease).unwrap();
        stored.metadata.resource_version = Some(lease.version.0.to_string());
        let again = serde_json::from_str(&serde_json::to_string(&stored).unwrap()).unwrap();
        prop_assert_eq!(lease::read(&again).unwrap(), lease.clone());
        let replaced = lease::write("ptah-d-x", "ptah-system", Some(&again), &lease).unwrap();
        prop_assert_eq!(replaced, again);
    }
}

#[test]
fn a_lease_that_somebody_else_wrote_is_unreadable_and_never_free() {
    let lease = Draw::new((1..60).collect()).lease();
    let mut good = lease::write("ptah-d-x", "ptah-system", None, &lease).unwrap();
    good.metadata.resource_version = Some("7".to_owned());
    assert!(lease::read(&good).is_ok());
    let spoilt: [fn(&mut k8s_openapi::api::coordination::v1::Lease); 7] = [
        |lease| lease.spec.as_mut().unwrap().holder_identity = Some("somebody".to_owned()),
        |lease| lease.spec.as_mut().unwrap().lease_duration_seconds = None,
        |lease| lease.spec.as_mut().unwrap().renew_time = None,
        |lease| lease.spec = None,
        |lease| drop(lease.metadata.annotations.as_mut().unwrap().remove(names::LEASE_EPOCH)),
        |lease| drop(lease.metadata.annotations.as_mut().unwrap().insert(names::HOLD.to_owned(), "{}".to_owned())),
        |lease| drop(lease.metadata.annotations.as_mut().unwrap().insert(names::SETTLED.to_owned(), String::new())),
    ];
    for (row, spoil) in spoilt.iter().enumerate() {
        let mut bad = good.clone();
        spoil(&mut bad);
        assert!(lease::read(&bad).is_err(), "row {row}");
    }
}

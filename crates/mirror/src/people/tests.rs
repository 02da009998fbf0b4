//! Who counts, from when, and what was judged already.

use serde_json::{Value, json};

use super::*;

/// Noon of the day on which the policies are proven since ten.
const TEN: i64 = 1_796_032_800;
const NOON: &str = "2026-11-30T12:00:00Z";

fn object(kind: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "operator.ptah.run/v1alpha1",
        "kind": kind,
        "metadata": {
            "name": "by-ann", "namespace": "finance", "uid": "01890a5d-ac96-474b-bcce-b302099a8001",
            "resourceVersion": "7", "creationTimestamp": NOON,
        },
        "spec": spec,
    })
}

fn named() -> Value {
    json!({ "name": "x", "uid": "01890a5d-ac96-474b-bcce-b302099a8002" })
}

fn approved() -> Value {
    object(
        "PtahSchemaApproval",
        json!({
            "schemaRef": named(), "planRef": named(),
            "planFingerprint": format!("sha256:{}", "ab".repeat(32)),
            "approver": { "username": "ann@acme.test", "groups": [] },
        }),
    )
}

fn acknowledged() -> Value {
    object(
        "PtahMigrationRunAcknowledgment",
        json!({
            "claimantRef": { "kind": "PtahMigration", "name": "x", "uid": "01890a5d-ac96-474b-bcce-b302099a8002" },
            "operationID": "01890a5d-ac96-774b-bcce-b302099a8003",
            "finding": "Repaired", "reason": "Put right by hand.",
            "acknowledgedBy": { "username": "ann@acme.test", "groups": [] },
        }),
    )
}

fn condition(kind: &str, status: &str, reason: &str) -> Value {
    json!({ "type": kind, "status": status, "reason": reason, "message": "So it is.", "lastTransitionTime": NOON })
}

fn read_approval(value: Value, since: Option<i64>, own: &[&str]) -> (Approval, Option<Person>) {
    let own = own.iter().map(|name| (*name).to_owned()).collect();
    let judge = Judge { in_force_since: since.map(Time), own: &own };
    schema_approval(&serde_json::from_value(value).unwrap(), judge).unwrap()
}

#[test]
fn an_approval_counts_from_the_second_after_its_policies_are_in_force() {
    let noon = read_approval(approved(), None, &[]).0.created;
    let attested = |since| read_approval(approved(), since, &[]).0.attested;
    assert!(attested(Some(TEN)) && attested(Some(noon.0 - 1)));
    assert!(!attested(Some(noon.0)), "within the same second nobody knows which was first");
    assert!(!attested(Some(noon.0 + 1)) && !attested(None));
    let mut nobody = approved();
    nobody["spec"].as_object_mut().unwrap().remove("approver");
    let (approval, person) = read_approval(nobody, Some(TEN), &[]);
    assert!(!approval.attested && person.is_none(), "without a stamp there is nobody");
}

#[test]
fn whose_change_it_is_is_told_by_the_exact_name() {
    let own = |names: &[&str]| read_approval(approved(), Some(TEN), names).0.own_change;
    assert!(own(&["bob", "ann@acme.test"]));
    assert!(!own(&["ANN@acme.test", "ann"]) && !own(&[]));
}

#[test]
fn both_families_approvals_are_read_alike() {
    let mut migration = approved();
    migration["kind"] = "PtahMigrationApproval".into();
    let reference = migration["spec"].as_object_mut().unwrap().remove("schemaRef").unwrap();
    migration["spec"]["migrationRef"] = reference;
    let own = BTreeSet::new();
    let judge = Judge { in_force_since: Some(Time(TEN)), own: &own };
    let read = migration_approval(&serde_json::from_value(migration).unwrap(), judge).unwrap();
    assert_eq!(read, read_approval(approved(), Some(TEN), &[]));
}

#[test]
fn what_was_spent_and_what_is_stale_stays_so() {
    let with = |status: Value| {
        let mut value = approved();
        value["status"] = status;
        read_approval(value, Some(TEN), &[]).0
    };
    assert_eq!((with(json!({})).consumed, with(json!({})).stale), (None, None));
    let spent = json!({ "consumedBy": { "operationID": "01890a5d-ac96-774b-bcce-b302099a8003", "planUID": "p" } });
    assert!(with(spent).consumed.is_some());
    for (stale, reason) in STALE {
        assert_eq!(stale_reason(stale), reason);
        assert_eq!(with(json!({ "conditions": [condition("Stale", "True", reason)] })).stale, Some(stale));
        assert_eq!(with(json!({ "conditions": [condition("Stale", "False", reason)] })).stale, None);
    }
    assert!(with(json!({ "conditions": [condition("Stale", "True", "SomethingNew")] })).stale.is_some());
}

#[test]
fn an_acknowledgment_says_who_found_what_and_is_judged_once() {
    let own = BTreeSet::new();
    let judge = Judge { in_force_since: Some(Time(TEN)), own: &own };
    let with = |status: Value| {
        let mut value = acknowledged();
        value["status"] = status;
        acknowledgment(&serde_json::from_value(value).unwrap(), judge).unwrap()
    };
    let (open, person) = with(json!({}));
    assert_eq!((open.finding, open.attested, open.judged), (Finding::Repaired, true, None));
    let person = person.unwrap();
    assert_eq!((person.username.as_str(), person.reason.unwrap().as_str()), ("ann@acme.test", "Put right by hand."));
    let consumed = json!({ "conditions": [condition("Consumed", "True", "Settled")] });
    assert_eq!(with(consumed).0.judged, Some(Judged::Consumed));
    let stale = json!({ "conditions": [condition("Stale", "True", "RunNotUnresolved")] });
    assert_eq!(with(stale).0.judged, Some(Judged::Stale(Stale::RunNotUnresolved)));
}

#[test]
fn an_object_that_the_api_server_did_not_finish_is_unreadable() {
    let own = BTreeSet::new();
    let judge = Judge { in_force_since: None, own: &own };
    for field in ["uid", "resourceVersion", "creationTimestamp"] {
        let mut value = approved();
        value["metadata"].as_object_mut().unwrap().remove(field);
        assert!(schema_approval(&serde_json::from_value(value).unwrap(), judge).is_err(), "{field}");
    }
    let mut value = approved();
    value["spec"]["planRef"]["uid"] = "a-plan".into();
    assert_eq!(schema_approval(&serde_json::from_value(value).unwrap(), judge), Err(Unreadable::Uid));
}

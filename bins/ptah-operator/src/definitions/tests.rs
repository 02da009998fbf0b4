//! The decision over definitions, case by case.

use std::sync::LazyLock;

use ptah_crds::{CRD_SCHEMA_VERSION, Published, SCHEMA_DIGEST_ANNOTATION, published};
use ptah_crds::{CRD_SCHEMA_VERSION_ANNOTATION as SCHEMA_VERSION, STATE_VERSION_ANNOTATION as STATE_VERSION};
use ptah_lifecycle::fence::StoredStateError;
use ptah_records::operator::CONTROLLER_STATE_VERSION as SUPPORTED;
use serde_json::json;

use super::*;

/// Our definitions. Making them takes a second in a debug build.
static OURS: LazyLock<Vec<Published>> = LazyLock::new(published);

const SCHEMAS: &str = "ptahschemas.operator.ptah.run";

/// A cluster that has our definitions, as they are, and nothing stored.
fn current() -> Seen {
    let definitions = OURS.iter().cloned().enumerate().map(|(place, one)| {
        let mut live = one.definition;
        live["metadata"]["uid"] = json!(format!("uid-{place}"));
        live["metadata"]["resourceVersion"] = json!(format!("{}", 100 + place));
        live["metadata"]["labels"] = json!({ "team": "databases" });
        live["status"] = json!({ "storedVersions": ["v1alpha1"] });
        (live["metadata"]["name"].as_str().unwrap_or_default().to_owned(), live)
    });
    Seen { definitions: definitions.collect(), stored: empty() }
}

fn empty() -> BTreeMap<StoredKind, Vec<StoredObject>> {
    StoredKind::ALL.map(|kind| (kind, Vec::new())).into()
}

fn annotate(seen: &mut Seen, name: &str, mark: &str, value: Value) {
    seen.definitions.entry(name.to_owned()).or_default()["metadata"]["annotations"][mark] = value;
}

/// What speaks against a change of what was seen.
fn refusals(seen: &Seen) -> Vec<String> {
    let refused = decide(&OURS, seen, SUPPORTED).err().unwrap_or_default();
    refused.iter().map(ToString::to_string).collect()
}

#[test]
fn an_empty_cluster_gets_every_definition() {
    let seen = Seen { definitions: BTreeMap::new(), stored: empty() };
    let changes = decide(&OURS, &seen, SUPPORTED).unwrap_or_default();
    assert_eq!(changes.len(), OURS.len());
    assert!(
        changes
            .iter()
            .zip(OURS.iter().cloned())
            .all(|(change, one)| change.step == Step::Create && change.object == one.definition)
    );
}

#[test]
fn an_older_definition_is_replaced_and_what_others_wrote_beside_it_stays() {
    let mut seen = current();
    annotate(&mut seen, SCHEMAS, SCHEMA_VERSION, json!("1"));
    annotate(&mut seen, SCHEMAS, SCHEMA_DIGEST_ANNOTATION, json!("sha256:older"));
    annotate(&mut seen, SCHEMAS, "example.test/note", json!("kept"));
    if let Some(live) = seen.definitions.get_mut(SCHEMAS) {
        live["spec"] = json!({ "older": true });
    }
    let changes = decide(&OURS, &seen, SUPPORTED).unwrap_or_default();
    let change =
        changes.iter().find(|change| change.name == SCHEMAS).map(|change| (change.step.clone(), &change.object));
    let (step, object) = change.unwrap_or((Step::Create, &Value::Null));
    let ours = OURS.iter().find(|one| one.file == "ptahschemas.yaml").map(|one| one.definition.clone());
    assert_eq!(step, Step::Replace);
    assert_eq!(Some(&object["spec"]), ours.as_ref().map(|ours| &ours["spec"]));
    assert_eq!(object["metadata"]["annotations"][SCHEMA_VERSION], json!(CRD_SCHEMA_VERSION.to_string()));
    assert_eq!(object["metadata"]["annotations"]["example.test/note"], json!("kept"));
    assert_eq!(object["metadata"]["labels"]["team"], json!("databases"));
    let seen_version = &seen.definitions[SCHEMAS]["metadata"]["resourceVersion"];
    assert_eq!(&object["metadata"]["resourceVersion"], seen_version, "it may only replace what was seen");
    assert_eq!(object["status"], Value::Null);
}

#[test]
fn a_newer_definition_refuses_all_of_them_and_is_named() {
    let mut seen = current();
    annotate(&mut seen, SCHEMAS, SCHEMA_VERSION, json!((CRD_SCHEMA_VERSION + 1).to_string()));
    let expected = format!(
        "{SCHEMAS} is of version {} of the definitions, and this program brings {CRD_SCHEMA_VERSION}",
        CRD_SCHEMA_VERSION + 1
    );
    assert_eq!(refusals(&seen), [expected]);
}

#[test]
fn a_definition_for_a_newer_contract_refuses_at_every_version_of_the_definitions() {
    let mut seen = current();
    annotate(&mut seen, SCHEMAS, STATE_VERSION, json!((SUPPORTED + 1).to_string()));
    assert_eq!(
        refusals(&seen),
        [format!("{SCHEMAS} was made for contract {}, and this program knows {SUPPORTED}", SUPPORTED + 1)]
    );
}

#[test]
fn a_newer_kind_that_this_program_does_not_know_refuses_and_anybody_elses_is_left_alone() {
    let mut seen = current();
    let name = "ptahthings.operator.ptah.run";
    seen.definitions.insert(name.to_owned(), json!({ "metadata": { "name": name } }));
    assert_eq!(refusals(&seen), [""; 0]);
    for (mark, value) in [(SCHEMA_VERSION, "99"), (STATE_VERSION, "1"), (SCHEMA_DIGEST_ANNOTATION, "sha256:x")] {
        annotate(&mut seen, name, mark, json!(value));
    }
    assert_eq!(refusals(&seen).len(), 1);
}

#[test]
fn one_version_with_two_contents_is_refused() {
    let mut seen = current();
    annotate(&mut seen, SCHEMAS, SCHEMA_DIGEST_ANNOTATION, json!("sha256:another"));
    assert_eq!(
        refusals(&seen),
        [format!("{SCHEMAS} is of version {CRD_SCHEMA_VERSION}, as this program's is, and has another digest")]
    );
}

#[test]
fn a_definition_that_does_not_say_whose_it_is_is_not_ours() {
    for mark in [SCHEMA_VERSION, STATE_VERSION, SCHEMA_DIGEST_ANNOTATION] {
        let mut seen = current();
        annotate(&mut seen, SCHEMAS, mark, Value::Null);
        assert_eq!(refusals(&seen), [format!("{SCHEMAS} is not ours: it has no {mark}")]);
    }
    for text in ["", "0", "-1", "04", "+4", "4.0", "four", "4294967296"] {
        let mut seen = current();
        annotate(&mut seen, SCHEMAS, SCHEMA_VERSION, json!(text));
        assert_eq!(refusals(&seen), [format!("{SCHEMAS} is not ours: its {SCHEMA_VERSION} is no version")], "{text}");
    }
}

#[test]
fn a_definition_that_is_being_deleted_is_not_written() {
    let mut seen = current();
    if let Some(live) = seen.definitions.get_mut(SCHEMAS) {
        live["metadata"]["deletionTimestamp"] = json!("2026-11-30T00:00:00Z");
    }
    assert_eq!(refusals(&seen), [format!("{SCHEMAS} is being deleted, and everything of its kind with it")]);
}

#[test]
fn everything_that_speaks_against_it_is_said_at_once() {
    let mut seen = current();
    annotate(&mut seen, SCHEMAS, SCHEMA_VERSION, Value::Null);
    annotate(&mut seen, "ptahrealms.operator.ptah.run", SCHEMA_VERSION, json!("77"));
    assert_eq!(refusals(&seen).len(), 2);
}

#[test]
fn newer_state_of_any_kind_refuses_and_says_where() {
    for kind in StoredKind::ALL {
        let mut seen = current();
        let object = StoredObject { name: "finance/billing".to_owned(), versions: vec![1, i64::from(SUPPORTED) + 1] };
        seen.stored.entry(kind).or_default().push(object);
        let refused = decide(&OURS, &seen, SUPPORTED).err().unwrap_or_default();
        assert!(matches!(refused.as_slice(), [Refusal::Stored(StoredStateError::Newer { .. })]), "{refused:?}");
        assert!(refused.iter().all(Refusal::is_newer));
        assert!(refused.iter().any(|refusal| refusal.to_string().contains(&format!("{kind} finance/billing"))));
    }
}

#[test]
fn a_kind_that_was_not_listed_is_not_taken_for_empty() {
    for collection in collections() {
        let mut seen = current();
        seen.stored.remove(&collection.kind);
        assert_eq!(refusals(&seen), [format!("the {} objects were not listed", collection.kind)]);
    }
}

#[test]
fn what_was_replaced_created_or_removed_between_two_looks_has_moved() {
    let first = current();
    assert_eq!(moved(&first, &current()), None);
    let mut second = current();
    if let Some(live) = second.definitions.get_mut(SCHEMAS) {
        live["metadata"]["resourceVersion"] = json!("4711");
    }
    assert_eq!(moved(&first, &second).as_deref(), Some(SCHEMAS));
    let mut second = current();
    second.definitions.remove(SCHEMAS);
    assert_eq!(moved(&first, &second).as_deref(), Some(SCHEMAS));
    assert_eq!(moved(&second, &first).as_deref(), Some(SCHEMAS));
}

#[test]
fn what_differs_is_named_by_its_place_and_what_others_wrote_is_no_difference() {
    let live = json!({
        "metadata": { "annotations": { SCHEMA_VERSION: "3", "other": "1" }, "generation": 1 },
        "spec": { "a": { "b": [1, 2], "gone": 1 }, "c": [1] },
        "status": { "x": 1 },
    });
    let made = json!({
        "metadata": { "annotations": { SCHEMA_VERSION: "4", "other": "2" }, "generation": 2 },
        "spec": { "a": { "b": [1, 3] }, "c": [1, 2] },
    });
    let places = ["metadata.annotations[operator.ptah.run/crd-schema-version]", "spec.a.b[1]", "spec.a.gone", "spec.c"];
    assert_eq!(differences(&live, &made), places);
    assert_eq!(differences(&live, &live), [""; 0]);
}

#[test]
fn a_kind_is_served_when_its_names_were_accepted_too() {
    let with = |conditions: &[(&str, &str)]| {
        let all = conditions.iter().map(|(kind, status)| json!({ "type": kind, "status": status }));
        json!({ "status": { "conditions": all.collect::<Vec<Value>>() } })
    };
    assert!(is_served(&with(&[("NamesAccepted", "True"), ("Established", "True")])));
    assert!(!is_served(&with(&[("NamesAccepted", "False"), ("Established", "True")])));
    assert!(!is_served(&with(&[("Established", "True")])));
    assert!(!is_served(&json!({})));
}

#[test]
fn every_kind_that_keeps_a_version_is_scanned_under_its_own_definition() {
    let names: Vec<String> =
        OURS.iter().map(|one| one.definition["metadata"]["name"].as_str().unwrap_or_default().to_owned()).collect();
    for collection in collections() {
        assert!(collection.definition().is_none_or(|name| names.contains(&name)), "{collection:?}");
    }
    let kinds: std::collections::BTreeSet<StoredKind> =
        collections().iter().map(|collection| collection.kind).collect();
    assert_eq!(kinds.len(), StoredKind::ALL.len());
}

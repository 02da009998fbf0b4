//! What the manager keeps in a status passes through the resource whole: the type reads and writes it as it was, and the
//! definition has every field of it, so that the API server drops nothing.

#![expect(clippy::unwrap_used, reason = "tests")]

use ptah_crds::{PtahMigration, PtahMigrationPlan, PtahSchema, PtahSchemaPlan, published};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A record as its golden file has it.
macro_rules! golden {
    ($name:literal) => {
        serde_json::from_str::<Value>(include_str!(concat!("../../records/src/operator/v1/golden/", $name, ".json")))
            .unwrap()
    };
}

/// Takes an object through its type and compares, then looks for every field of it in the definition.
fn passes<T: DeserializeOwned + Serialize>(object: &Value) {
    let read: T = serde_json::from_value(object.clone()).unwrap();
    let written = serde_json::to_value(read).unwrap();
    for part in ["spec", "status"] {
        for (name, field) in object[part].as_object().into_iter().flatten() {
            assert_eq!(&written[part][name], field, "{}: {part}.{name}", object["kind"]);
        }
    }
    let of_kind = |definition: &Value| definition["spec"]["names"]["kind"] == object["kind"];
    let definition = published().into_iter().find(|one| of_kind(&one.definition)).unwrap().definition;
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    for part in ["spec", "status"] {
        known(&schema["properties"][part], &object[part], part);
    }
}

/// Whether the definition has every field of a value.
fn known(schema: &Value, value: &Value, path: &str) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let inner = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
                assert!(inner.is_some(), "the definition drops {path}.{name}");
                known(inner.unwrap_or(&Value::Null), field, &format!("{path}.{name}"));
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| known(&schema["items"], entry, &format!("{path}[]"))),
        Value::String(text) => {
            let closed = schema["enum"].as_array();
            assert!(closed.is_none_or(|words| words.contains(value)), "the definition refuses {path}");
            let most = schema["maxLength"].as_u64();
            assert!(most.is_none_or(|most| text.chars().count() as u64 <= most), "{path} is too long");
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn target() -> Value {
    let url_from = json!({ "name": "db", "key": "dsn" });
    json!({ "engine": "PostgreSQL", "coordinationKey": "billing", "sharedRealm": false, "urlFrom": url_from })
}

fn source() -> Value {
    let policy = json!({ "name": "verify", "key": "policy.yaml" });
    let transport = json!({ "plainHTTP": false });
    json!({ "ociRef": "oci://registry.test/a:1", "verificationPolicyFrom": policy, "transport": transport })
}

/// What both families keep.
fn common(claim: &Value) -> Value {
    json!({
        "phase": "Applying",
        "executionBinding": golden!("execution-binding"),
        "activeOperation": claim,
        "pendingLockRelease": golden!("owed-release"),
        "resolvedRun": golden!("resolved-run"),
        "lastRun": golden!("last-run"),
        "failures": { "count": 3, "since": "2026-11-30T00:00:00Z", "last": "2026-11-30T00:05:00.250Z" },
        "target": {
            "engine": "PostgreSQL",
            "coordinationDigest": golden!("owed-release")["coordinationDigest"],
            "identity": golden!("claim-apply")["targetIdentity"],
            "inSync": false,
            "refusal": "HistoryDirty",
            "runClaim": "Table",
        },
        "conditions": [{
            "type": "Settled",
            "status": "Unknown",
            "reason": "ApplyOutcomeUnknown",
            "message": "nobody knows what the run did",
            "observedGeneration": 4,
            "lastTransitionTime": "2026-11-30T00:05:00Z",
        }],
    })
}

/// Adds fields to an object.
fn with(mut object: Value, more: Value) -> Value {
    for (name, field) in more.as_object().into_iter().flatten() {
        object[name] = field.clone();
    }
    object
}

#[test]
fn everything_that_a_schema_keeps_passes_whole() {
    for claim in [golden!("claim-refresh"), golden!("claim-apply"), golden!("claim-settle")] {
        let own = json!({
            "plan": golden!("current-schema-plan"),
            "applied": golden!("applied"),
            "pendingObservation": golden!("pending-observation"),
        });
        passes::<PtahSchema>(&json!({
            "apiVersion": "operator.ptah.run/v1alpha1",
            "kind": "PtahSchema",
            "metadata": { "name": "billing" },
            "spec": { "target": target(), "desired": source() },
            "status": with(common(&claim), own),
        }));
    }
}

#[test]
fn everything_that_a_migration_keeps_passes_whole() {
    for claim in [golden!("claim-refresh"), golden!("claim-apply"), golden!("claim-settle")] {
        let own = json!({ "plan": golden!("current-migration-plan"), "unresolvedRun": golden!("unresolved-run") });
        passes::<PtahMigration>(&json!({
            "apiVersion": "operator.ptah.run/v1alpha1",
            "kind": "PtahMigration",
            "metadata": { "name": "invoices" },
            "spec": { "target": target(), "artifact": source() },
            "status": with(common(&claim), own),
        }));
    }
}

#[test]
fn both_kinds_of_plan_pass_whole() {
    let plan = |kind: &str, spec: Value| json!({ "apiVersion": "operator.ptah.run/v1alpha1", "kind": kind, "metadata": { "name": "p" }, "spec": spec });
    passes::<PtahSchemaPlan>(&plan("PtahSchemaPlan", golden!("schema-plan")));
    passes::<PtahMigrationPlan>(&plan("PtahMigrationPlan", golden!("migration-plan")));
}

//! The six Jobs that there are, as files, and what all of them promise.
//!
//! `PTAH_WRITE_GOLDEN=1` writes the files anew, which is right when what the operator creates is meant to change.

mod promises;

use std::path::PathBuf;

use ptah_records::operator::latest::OperationSpec;
use ptah_records::operator::text::{OperationId, Uid};
use serde_json::{Value, json};

use super::*;
use crate::fixtures::{self, golden};
use crate::plan::StoredPlan;

/// The plan of the golden claims, and of the golden records.
const PLAN: &str = "11111111-1111-4111-8111-111111111102";
/// The run that the golden settling claim settles.
const RUN: &str = "01890a5d-ac96-774b-bcce-b302099a8009";

/// What owners may ask for, all of it.
fn everything(mut object: Object) -> Object {
    let execution = json!({
        "resources": { "limits": { "memory": "512Mi", "cpu": 1 }, "requests": { "cpu": "100m" } },
        "serviceAccountName": "db-runner",
        "imagePullSecrets": [{ "name": "pull" }],
        "nodeSelector": { "disk": "ssd" },
        "tolerations": [{ "key": "db", "operator": "Exists" }],
        "affinity": { "nodeAffinity": {} },
        "runtimeClassName": "gvisor",
        "priorityClassName": "high",
        "podMetadata": {
            "labels": { "team": "billing", "app.kubernetes.io/managed-by": "somebody" },
            "annotations": { "mesh": "off", "operator.ptah.run/operation": "{}" },
        },
    });
    let execution = serde_json::from_value(execution).unwrap();
    let artifact = json!({
        "ociRef": "oci://r.test/x:1",
        "registryAuthFrom": { "name": "pull-db", "mode": "DockerConfigJSON", "dockerConfigJSONKey": "config" },
        "verificationPolicyFrom": { "name": "v", "key": "p" },
        "transport": { "caFrom": { "name": "roots", "key": "bundle" } },
    });
    let artifact = serde_json::from_value(artifact).unwrap();
    match &mut object {
        Object::Schema(schema) => {
            let dev = json!({ "urlFrom": { "name": "dev", "key": "dsn" } });
            schema.spec.dev = serde_json::from_value(dev).unwrap();
            (schema.spec.execution, schema.spec.desired) = (execution, artifact);
        }
        Object::Migration(migration) => (migration.spec.execution, migration.spec.artifact) = (execution, artifact),
    }
    object
}

fn record(mut golden: Value) -> Value {
    golden["operationID"] = RUN.into();
    golden
}

/// A resource with this claim, and its plan.
fn case(family: &str, claim: &Value) -> (Object, StoredPlan) {
    let (pending, unresolved) = (golden!("pending-observation.json"), golden!("unresolved-run.json"));
    if family == "schema" {
        let status = json!({ "activeOperation": claim, "pendingObservation": record(pending) });
        (fixtures::schema(status), fixtures::schema_plan(PLAN))
    } else {
        let status = json!({ "activeOperation": claim, "unresolvedRun": record(unresolved) });
        (fixtures::migration(status), fixtures::migration_plan(PLAN))
    }
}

/// Builds, as a manager does that knows the plan.
fn with_plan(object: &Object, plan: Option<&StoredPlan>) -> Result<Built, Unwritable> {
    let (components, delivery) = (fixtures::components(), fixtures::delivery());
    let cluster = Uid::new("c1").unwrap();
    let settled = [OperationId::new(RUN).unwrap()];
    build(object, &Around { components: &components, delivery: &delivery, cluster: &cluster, plan, settled: &settled })
}

/// Every kind of operation of both families, with all that an owner may ask for.
fn jobs() -> Vec<(String, Job)> {
    let claims = [
        ("refresh", golden!("claim-refresh.json")),
        ("apply", golden!("claim-apply.json")),
        ("settle", golden!("claim-settle.json")),
    ];
    let mut jobs = Vec::new();
    for (kind, claim) in &claims {
        for family in ["schema", "migration"] {
            let (object, plan) = case(family, claim);
            let built =
                with_plan(&everything(object), Some(&plan)).unwrap_or_else(|why| panic!("{kind} {family}: {why}"));
            jobs.push((format!("{kind}-{family}"), built.job));
        }
    }
    jobs
}

#[test]
fn the_job_of_each_operation_is_the_one_in_its_file() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/job/build/golden");
    for (name, job) in jobs() {
        let text = yaml::body(&serde_json::to_value(&job).unwrap(), yaml::Style::Lines);
        let path = folder.join(format!("{name}.yaml"));
        if std::env::var_os("PTAH_WRITE_GOLDEN").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap_or_default() == text, "{} is not what is built", path.display());
        let read: Job = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read, job, "{name}: and the file says all of it");
    }
}

#[test]
fn the_pod_is_told_exactly_the_operation() {
    for (name, job) in jobs() {
        let template = job.spec.unwrap().template.metadata.unwrap();
        let annotations = template.annotations.unwrap();
        let told: OperationSpec = seal::read(annotations[ptah_records::operator::names::OPERATION].as_bytes()).unwrap();
        assert_eq!(Some(told.operation_id.as_str()), Some("01890a5d-ac96-774b-bcce-b302099a8001"), "{name}");
        assert_eq!(annotations["mesh"], "off", "{name}: and what its owner wants stands beside it");
        assert_eq!(template.labels.unwrap()["app.kubernetes.io/managed-by"], "ptah-operator", "{name}");
    }
}

#[test]
fn the_digest_is_of_the_work_and_not_of_its_hour() {
    let mut claim = golden!("claim-apply.json");
    let built = |claim: &Value, change: fn(&mut Object)| {
        let (mut object, plan) = case("schema", claim);
        change(&mut object);
        with_plan(&object, Some(&plan)).unwrap()
    };
    let first = built(&claim, |_| {});
    assert_eq!(promises::mark(&first.job, JOB_DIGEST), first.digest.to_string());
    claim["id"] = "01890a5d-ac96-774b-bcce-b302099a8002".into();
    claim["jobName"] = "ptah-another".into();
    claim["executionNotAfter"] = "2026-11-30T02:09:20Z".into();
    claim["dispatchNotAfter"] = "2026-11-30T01:54:20Z".into();
    let later = built(&claim, |_| {});
    assert_eq!(later.digest, first.digest);
    assert_ne!(later.job, first.job);
    let changes: [fn(&mut Object); 3] = [
        |object| {
            let Object::Schema(schema) = object else { panic!() };
            schema.spec.execution.node_selector.insert("disk".to_owned(), "ssd".to_owned());
        },
        |object| object.common_mut().active_operation.as_mut().unwrap().access.window_seconds = whole(901),
        |object| {
            let claim = object.common_mut().active_operation.as_mut().unwrap();
            claim.access.target.url_from.key = ptah_records::operator::text::DataKey::new("other").unwrap();
        },
    ];
    for (row, change) in changes.into_iter().enumerate() {
        assert_ne!(built(&claim, change).digest, first.digest, "row {row}");
    }
}

fn whole(seconds: u64) -> ptah_records::operator::whole::Whole<1, 86_400> {
    ptah_records::operator::whole::Whole::new(seconds).unwrap()
}

#[test]
fn what_does_not_fit_onto_a_pod_is_not_built() {
    let (mut object, plan) = case("schema", &golden!("claim-refresh.json"));
    let Object::Schema(schema) = &mut object else { panic!() };
    let annotations = &mut schema.spec.execution.pod_metadata.annotations;
    annotations.insert("a".to_owned(), "x".repeat(230 * 1024));
    assert!(with_plan(&object, Some(&plan)).is_ok());
    let Object::Schema(schema) = &mut object else { panic!() };
    schema.spec.execution.pod_metadata.annotations.insert("b".to_owned(), "x".repeat(10 * 1024));
    assert_eq!(with_plan(&object, Some(&plan)).unwrap_err(), Unwritable::TooLarge);
}

#[test]
fn nothing_is_built_without_a_claim_or_without_the_plan_of_a_run() {
    let (object, _) = case("schema", &Value::Null);
    assert_eq!(with_plan(&object, None).unwrap_err(), Unwritable::Plan);
    let (object, _) = case("schema", &golden!("claim-apply.json"));
    assert_eq!(with_plan(&object, None).unwrap_err(), Unwritable::Plan);
}

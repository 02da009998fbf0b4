//! What a Job and a Pod prove, row by row, each against the one that proves everything.

use ptah_lifecycle::Outcome;
use ptah_records::operator::latest::Outcome as Said;
use serde_json::{Value, json};

use super::*;

const POD: &str = "11111111-1111-4111-8111-111111111105";

fn summary(pod: &str) -> (TerminationSummary, String) {
    let sealed = include_bytes!("../../../records/src/operator/v1/golden/termination-summary.json");
    let mut summary: TerminationSummary = seal::read(sealed.trim_ascii_end()).unwrap();
    (summary.outcome, summary.applied_units) = (Some(Said::Applied), None);
    summary.pod_uid = ptah_records::operator::text::Uid::new(pod).unwrap();
    let text = String::from_utf8(seal::write(&summary).unwrap()).unwrap();
    (summary, text)
}

fn spec() -> Value {
    json!({
        "initContainers": [{ "name": "fetch", "image": "r@sha256:1", "command": ["/ptah-runner"] }],
        "containers": [{
            "name": "work", "image": "r@sha256:1", "command": ["/ptah-runner"], "args": ["supervise"],
            "env": [{ "name": "PTAH_POD_UID", "value": "x" }],
            "volumeMounts": [{ "name": "work", "mountPath": "/ptah/work" }],
            "securityContext": { "privileged": false },
        }],
        "volumes": [{ "name": "work", "emptyDir": {} }],
        "securityContext": { "runAsNonRoot": true },
        "automountServiceAccountToken": false,
        "serviceAccountName": "default",
    })
}

fn job() -> Value {
    json!({
        "metadata": {
            "uid": "11111111-1111-4111-8111-111111111106",
            "annotations": { JOB_DIGEST: Digest::of(b"built").to_string() },
        },
        "spec": { "template": { "spec": spec() } },
        "status": { "conditions": [{ "type": "Complete", "status": "True" }] },
    })
}

fn pod() -> Value {
    json!({
        "metadata": { "uid": POD, "finalizers": [EVIDENCE] },
        "spec": spec(),
        "status": {
            "phase": "Succeeded",
            "containerStatuses": [{
                "name": "work", "image": "", "imageID": "", "ready": false, "restartCount": 0,
                "state": { "terminated": { "exitCode": 0, "reason": "Completed", "message": summary(POD).1 } },
            }],
        },
    })
}

fn read_changed(change: impl FnOnce(&mut Value)) -> Pod {
    let mut pod = pod();
    change(&mut pod);
    let (pod, job) = (serde_json::from_value(pod).unwrap(), serde_json::from_value(job()).unwrap());
    let about = About { database: None, settles: None };
    read_pod(&pod, &job, ids::operation(&summary(POD).0.operation_id), &about).unwrap()
}

fn job_changed(change: impl FnOnce(&mut Value)) -> Job {
    let mut job = job();
    change(&mut job);
    read(&serde_json::from_value(job).unwrap()).unwrap()
}

#[test]
fn a_job_is_over_only_when_it_starts_no_further_pod() {
    let with = |kind: &str, status: &str| {
        job_changed(|job| job["status"]["conditions"] = json!([{ "type": kind, "status": status }])).terminal
    };
    assert!(with("Complete", "True") && with("Failed", "True"));
    for (kind, status) in
        [("Complete", "False"), ("Failed", "Unknown"), ("FailureTarget", "True"), ("Suspended", "True")]
    {
        assert!(!with(kind, status), "{kind} {status}");
    }
    assert!(!job_changed(|job| job["status"] = json!({})).terminal);
}

#[test]
fn a_job_without_our_digest_is_nobodys() {
    assert_eq!(job_changed(|_| {}).digest, Digest::of(b"built"));
    for wrong in [json!({}), json!({ JOB_DIGEST: "sha256:1" })] {
        assert_eq!(job_changed(|job| job["metadata"]["annotations"] = wrong).digest, Digest::of(b""));
    }
}

#[test]
fn the_time_that_every_job_has_is_not_the_one_that_is_set_after_its_harvest() {
    let with = |seconds: Value| job_changed(|job| job["spec"]["ttlSecondsAfterFinished"] = seconds).expiring;
    assert!(with(KEPT_AFTER_HARVEST.into()));
    assert!(!with((7 * 86_400).into()) && !with(Value::Null));
}

#[test]
fn a_pod_has_stopped_only_where_the_kubelet_saw_every_container_end() {
    let whole = read_changed(|_| {});
    assert!(whole.as_built && whole.said_over && whole.kept);
    assert_eq!(whole.stopped.unwrap().summary.unwrap().outcome, Outcome::Applied);
    let state = "/status/containerStatuses/0/state";
    let changes: [(&str, Value); 5] = [
        (state, json!({ "running": {} })),
        (state, json!({})),
        ("/status/containerStatuses", json!([])),
        ("/status/containerStatuses/0/name", json!("another")),
        ("/status/containerStatuses/0/state/terminated/reason", json!(NOT_FOUND)),
    ];
    for (place, value) in changes {
        let pod = read_changed(|pod| *pod.pointer_mut(place).unwrap() = value.clone());
        assert_eq!(pod.stopped, None, "{place} {value}");
        assert!(pod.said_over, "its phase says so all the same");
    }
    assert!(!read_changed(|pod| pod["status"]["phase"] = "Running".into()).said_over);
    assert!(!read_changed(|pod| pod["metadata"]["finalizers"] = json!(["another"])).kept);
}

#[test]
fn a_message_counts_only_whole_and_of_its_own_pod() {
    let said = |message: &str| {
        let place = "/status/containerStatuses/0/state/terminated/message";
        read_changed(|pod| *pod.pointer_mut(place).unwrap() = message.into()).stopped.unwrap().summary
    };
    let (_, whole) = summary(POD);
    assert!(said(&whole).is_some() && said(&format!("{whole}\n")).is_some());
    assert_eq!(said(&whole[..whole.len() - 1]), None, "cut");
    assert_eq!(said("the driver said something"), None);
    assert_eq!(said(&summary("11111111-1111-4111-8111-111111111199").1), None, "another Pod's");
}

#[test]
fn a_pod_that_runs_anything_else_than_its_job_says_is_not_as_built() {
    let changes: [(&str, Value); 14] = [
        ("/spec/containers/0/image", json!("r@sha256:2")),
        ("/spec/containers/0/command", json!(["/bin/sh"])),
        ("/spec/containers/0/args", json!(["supervise", "--grace", "30"])),
        ("/spec/containers/0/env", json!([{ "name": "PTAH_POD_UID", "value": "y" }])),
        ("/spec/containers/0/volumeMounts", json!([{ "name": "work", "mountPath": "/" }])),
        ("/spec/containers/0/securityContext", json!({ "privileged": true })),
        ("/spec/containers/0/name", json!("another")),
        ("/spec/containers", json!([spec()["containers"][0], { "name": "beside" }])),
        ("/spec/initContainers/0/image", json!("r@sha256:2")),
        ("/spec/initContainers", json!([])),
        ("/spec/volumes", json!([{ "name": "work", "hostPath": { "path": "/" } }])),
        ("/spec/securityContext", json!({ "runAsNonRoot": false })),
        ("/spec/automountServiceAccountToken", json!(true)),
        ("/spec/serviceAccountName", json!("admin")),
    ];
    for (place, value) in changes {
        let pod = read_changed(|pod| *pod.pointer_mut(place).unwrap() = value.clone());
        assert!(!pod.as_built, "{place} {value}");
    }
    let added: [(&str, Value); 6] = [
        ("ephemeralContainers", json!([{ "name": "debug" }])),
        ("hostNetwork", json!(true)),
        ("hostPID", json!(true)),
        ("hostIPC", json!(true)),
        ("shareProcessNamespace", json!(true)),
        ("volumes", Value::Null),
    ];
    for (field, value) in added {
        assert!(!read_changed(|pod| pod["spec"][field] = value.clone()).as_built, "{field}");
    }
    for (field, value) in [
        ("lifecycle", json!({ "preStop": { "exec": { "command": ["sh"] } } })),
        ("livenessProbe", json!({ "exec": { "command": ["sh"] } })),
        ("readinessProbe", json!({ "exec": { "command": ["sh"] } })),
        ("startupProbe", json!({ "exec": { "command": ["sh"] } })),
        ("workingDir", json!("/tmp")),
        ("envFrom", json!([{ "secretRef": { "name": "x" } }])),
        ("volumeDevices", json!([{ "name": "work", "devicePath": "/dev/x" }])),
        ("restartPolicy", json!("Always")),
    ] {
        assert!(!read_changed(|pod| pod["spec"]["containers"][0][field] = value.clone()).as_built, "{field}");
    }
    let filled_in = read_changed(|pod| {
        pod["spec"]["nodeName"] = "node-1".into();
        pod["spec"]["containers"][0]["resources"] = json!({ "limits": { "cpu": "1" } });
    });
    assert!(filled_in.as_built, "what a scheduler and a quota fill in");
}

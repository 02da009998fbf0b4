//! The objects of the cases, valid but for what a case is about.

use serde_json::{Value, json};

use super::{ENABLED, OTHER};

/// The API of our group, in a namespace.
pub(super) fn ours(namespace: &str, resource: &str) -> String {
    format!("/apis/operator.ptah.run/v1alpha1/namespaces/{namespace}/{resource}")
}

fn object(kind: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "operator.ptah.run/v1alpha1",
        "kind": kind,
        "metadata": { "name": name },
        "spec": spec,
    })
}

pub(super) fn schema(name: &str, apply: &str) -> Value {
    object(
        "PtahSchema",
        name,
        json!({
            "target": { "engine": "PostgreSQL", "coordinationKey": name, "urlFrom": { "name": "db", "key": "dsn" } },
            "desired": {
                "ociRef": "oci://registry.acme.test/db/billing:2026.10",
                "verificationPolicyFrom": { "name": "verify", "key": "policy.yaml" },
            },
            "policy": { "apply": apply },
        }),
    )
}

pub(super) fn migration(name: &str, apply: &str) -> Value {
    object(
        "PtahMigration",
        name,
        json!({
            "target": { "engine": "MySQL", "coordinationKey": name, "urlFrom": { "name": "db", "key": "dsn" } },
            "artifact": {
                "ociRef": "oci://registry.acme.test/db/invoices:r42",
                "verificationPolicyFrom": { "name": "verify", "key": "policy.yaml" },
            },
            "policy": { "apply": apply },
        }),
    )
}

/// An approval of a plan of a resource.
pub(super) fn approval(kind: &str, field: &str, resource: &str) -> Value {
    object(
        kind,
        "consent",
        json!({
            field: { "name": resource, "uid": "11111111-aaaa-4bbb-8ccc-222222222222" },
            "planRef": { "name": "ptah-plan-0a1b2c", "uid": "33333333-dddd-4eee-8fff-444444444444" },
            "planFingerprint": digest(),
        }),
    )
}

pub(super) fn acknowledgment(kind: &str, claimant: &str) -> Value {
    object(
        "PtahMigrationRunAcknowledgment",
        "looked",
        json!({
            "claimantRef": { "kind": kind, "name": claimant, "uid": "55555555-1111-4222-8333-666666666666" },
            "operationID": operation(1),
            "finding": "Repaired",
            "reason": "the index was dropped by hand",
        }),
    )
}

pub(super) fn chunk(name: &str) -> Value {
    object("PtahSchemaPlanChunk", name, json!({ "data": "e30=" }))
}

pub(super) fn result(name: &str) -> Value {
    object(
        "PtahResultRecord",
        name,
        json!({
            "controllerStateVersion": 1,
            "operationID": operation(1),
            "podUID": "55555555-1111-4222-8333-666666666667",
            "type": "Piece",
            "index": 0,
            "digest": digest(),
            "data": "e30=",
        }),
    )
}

pub(super) fn lease(name: &str, annotations: Value) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": { "name": name, "annotations": annotations },
        "spec": { "holderIdentity": "somebody" },
    })
}

/// An operation Job as the manager makes it.
pub(super) fn job(name: &str) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": name, "annotations": marks() },
        "spec": { "backoffLimit": 0, "template": { "metadata": { "annotations": marks() }, "spec": pod_spec() } },
    })
}

pub(super) fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name, "annotations": marks(), "finalizers": ["operator.ptah.run/evidence"] },
        "spec": pod_spec(),
    })
}

/// A Pod of somebody else.
pub(super) fn plain_pod(name: &str) -> Value {
    let container = json!({ "name": "main", "image": "registry.acme.test/web:1" });
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name },
        "spec": { "containers": [container] },
    })
}

fn pod_spec() -> Value {
    json!({
        "restartPolicy": "Never",
        "automountServiceAccountToken": false,
        "containers": [{
            "name": "runner",
            "image": image(),
            "command": ["/ptah-runner"],
            "securityContext": { "allowPrivilegeEscalation": false },
            "resources": { "requests": { "cpu": "100m" }, "limits": { "cpu": "1" } },
            "volumeMounts": [{ "name": "token", "mountPath": "/token" }],
        }],
        "volumes": [{
            "name": "token",
            "projected": { "sources": [{ "serviceAccountToken": { "path": "token", "audience": "operator.ptah.run/results" } }] },
        }],
    })
}

/// The image that the settings of the tests allow.
pub(super) fn image() -> String {
    format!("registry.acme.test/ptah-runner@{}", digest())
}

fn marks() -> Value {
    json!({
        "operator.ptah.run/operation-id": operation(1),
        "operator.ptah.run/resource-uid": "55555555-1111-4222-8333-666666666666",
    })
}

/// An operation, by number.
pub(super) fn operation(number: u8) -> String {
    format!("01890a5d-ac96-774b-bcce-b302099a80{number:02}")
}

pub(super) fn digest() -> String {
    format!("sha256:{}", "ab".repeat(32))
}

/// A path of Kubernetes' own API in the enabled namespace.
pub(super) fn core(path: &str) -> String {
    format!("/api/v1/namespaces/{ENABLED}/{path}")
}

pub(super) fn jobs(namespace: &str) -> String {
    format!("/apis/batch/v1/namespaces/{namespace}/jobs")
}

pub(super) fn leases(path: &str) -> String {
    format!("/apis/coordination.k8s.io/v1/namespaces/{OTHER}/leases{path}")
}

//! What an owner writes.

use ptah_cluster_tests::scripted::Objects;
use serde_json::{Value, json};

/// The name of every scenario's resource, unless it has several.
pub(crate) const NAME: &str = "billing";

/// Objects of a database.
pub(crate) fn objects(all: &[(&str, &str)]) -> Objects {
    all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// A schema whose target is found by a key of its own.
pub(crate) fn schema(reference: &str, apply: &str) -> Value {
    json!({
        "apiVersion": "operator.ptah.run/v1alpha1",
        "kind": "PtahSchema",
        "metadata": { "name": NAME },
        "spec": {
            "target": target("PostgreSQL"),
            "desired": artifact(reference),
            "policy": { "apply": apply, "lockTimeout": "20s" },
            "interval": "10s",
            "execution": { "activeDeadlineSeconds": 30, "failureRetryInterval": "5s" },
        },
    })
}

/// A sequence of migrations, likewise.
pub(crate) fn migration(reference: &str, apply: &str) -> Value {
    json!({
        "apiVersion": "operator.ptah.run/v1alpha1",
        "kind": "PtahMigration",
        "metadata": { "name": NAME },
        "spec": {
            "target": target("MySQL"),
            "artifact": artifact(reference),
            "policy": { "apply": apply, "lockTimeout": "20s" },
            "interval": "10s",
            "execution": { "activeDeadlineSeconds": 30, "failureRetryInterval": "5s" },
        },
    })
}

/// The same under another name, with a key of that name.
pub(crate) fn named(mut object: Value, name: &str) -> Value {
    object["metadata"]["name"] = json!(name);
    object["spec"]["target"]["coordinationKey"] = json!(name);
    object
}

fn target(engine: &str) -> Value {
    json!({ "engine": engine, "coordinationKey": NAME, "urlFrom": { "name": "db", "key": "dsn" } })
}

fn artifact(reference: &str) -> Value {
    json!({ "ociRef": reference, "verificationPolicyFrom": { "name": "verify", "key": "policy.yaml" } })
}

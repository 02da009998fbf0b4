//! Objects for tests, with records of the golden files in their statuses.

use ptah_records::operator::latest::{Delivery, ManagerRecord};
use ptah_records::operator::text::{HostName, Image, Pem, VersionText};
use ptah_records::operator::whole::Whole;
use serde_json::{Value, json};

use crate::object::Object;
use crate::plan::StoredPlan;
use crate::write::Components;

/// A golden file of the records.
macro_rules! golden {
    ($name:literal) => {
        serde_json::from_slice::<serde_json::Value>(include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../records/src/operator/v1/golden/",
            $name
        )))
        .unwrap()
    };
}
pub(crate) use golden;

fn object(kind: &str, spec: Value, status: Value) -> Value {
    json!({
        "apiVersion": "operator.ptah.run/v1alpha1", "kind": kind,
        "metadata": {
            "name": "billing", "namespace": "finance", "uid": "01890a5d-ac96-474b-bcce-b302099a8001", "resourceVersion": "1",
        },
        "spec": spec,
        "status": status,
    })
}

/// A schema with this status.
pub(crate) fn schema(status: Value) -> Object {
    let spec = json!({
        "target": { "engine": "PostgreSQL", "coordinationKey": "prod/main", "urlFrom": { "name": "db", "key": "dsn" } },
        "desired": { "ociRef": "oci://r.test/x:1", "verificationPolicyFrom": { "name": "v", "key": "p" } },
        "policy": { "exclude": ["audit.*"], "protectedTables": ["core.tenants"] },
    });
    Object::Schema(Box::new(serde_json::from_value(object("PtahSchema", spec, status)).unwrap()))
}

/// A migration with this status.
pub(crate) fn migration(status: Value) -> Object {
    let spec = json!({
        "target": { "engine": "MySQL", "coordinationKey": "prod/main", "urlFrom": { "name": "db", "key": "dsn" } },
        "artifact": { "ociRef": "oci://r.test/x:1", "verificationPolicyFrom": { "name": "v", "key": "p" } },
    });
    Object::Migration(Box::new(serde_json::from_value(object("PtahMigration", spec, status)).unwrap()))
}

/// The plan of the golden file, stored under this UID.
pub(crate) fn schema_plan(uid: &str) -> StoredPlan {
    let mut plan = object("PtahSchemaPlan", golden!("schema-plan.json"), Value::Null);
    plan["metadata"]["uid"] = uid.into();
    StoredPlan::Schema(Box::new(serde_json::from_value(plan).unwrap()))
}

/// The same of a migration.
pub(crate) fn migration_plan(uid: &str) -> StoredPlan {
    let mut plan = object("PtahMigrationPlan", golden!("migration-plan.json"), Value::Null);
    plan["metadata"]["uid"] = uid.into();
    StoredPlan::Migration(Box::new(serde_json::from_value(plan).unwrap()))
}

fn image(letter: &str) -> Image {
    Image::new(format!("registry.test/x@sha256:{}", letter.repeat(64))).unwrap()
}

pub(crate) fn components() -> Components {
    Components {
        ptah_version: VersionText::new("v0.1.0").unwrap(),
        executor_image: image("a"),
        protocol: Whole::new(1).unwrap(),
    }
}

pub(crate) fn manager() -> ManagerRecord {
    ManagerRecord {
        controller_image: image("b"),
        controller_revision: VersionText::new("7f3c2a1").unwrap(),
        runner_image: image("c"),
    }
}

pub(crate) fn delivery() -> Delivery {
    Delivery {
        host: HostName::new("ptah-results.ptah-system.svc").unwrap(),
        port: Whole::new(8443).unwrap(),
        server_name: HostName::new("g7.results.ptah.internal").unwrap(),
        authority: Pem::new("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n").unwrap(),
    }
}

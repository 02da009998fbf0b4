//! The definitions that a cluster is given: each kind's, brought into the form that the API server takes, with limits on
//! everything that has none of its own, and signed with a version and a digest.

use std::collections::BTreeMap;

use kube::CustomResourceExt;
use ptah_model::Digest;
use ptah_records::operator::CONTROLLER_STATE_VERSION;
use serde_json::{Value, json};

use crate::kinds::{
    PtahMigration, PtahMigrationApproval, PtahMigrationPlan, PtahMigrationRunAcknowledgment, PtahRealm,
    PtahResultRecord, PtahSchema, PtahSchemaApproval, PtahSchemaPlan, PtahSchemaPlanChunk,
};

mod structural;
mod yaml;

pub use yaml::{Style, body, to_yaml};

/// The version of all definitions together. It grows with every change of one of them, so that a cluster can tell an
/// older set from a newer one; `deploy/crds/versions.txt` has the digest of each version.
pub const CRD_SCHEMA_VERSION: u32 = 7;

/// The annotation with the version of the contract under which statuses are written.
pub const STATE_VERSION_ANNOTATION: &str = "operator.ptah.run/controller-state-version";
/// The annotation with [`CRD_SCHEMA_VERSION`].
pub const CRD_SCHEMA_VERSION_ANNOTATION: &str = "operator.ptah.run/crd-schema-version";
/// The annotation with the digest of the definition's spec.
pub const SCHEMA_DIGEST_ANNOTATION: &str = "operator.ptah.run/crd-schema-digest";

/// One definition, ready for a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The file that it stands in, for example `ptahschemas.yaml`.
    pub file: String,
    /// The digest of its spec.
    pub digest: Digest,
    /// The definition.
    pub definition: Value,
}

/// All definitions, by the name of their file.
pub fn published() -> Vec<Published> {
    let short_name = json!([{
        "rule": "size(self.metadata.name) <= 63",
        "message": "the name becomes a label, so it has at most 63 characters",
    }]);
    let all = [
        (PtahSchema::crd(), Some(short_name.clone())),
        (PtahSchemaPlan::crd(), None),
        (PtahSchemaPlanChunk::crd(), None),
        (PtahSchemaApproval::crd(), None),
        (PtahMigration::crd(), Some(short_name)),
        (PtahMigrationPlan::crd(), None),
        (PtahMigrationApproval::crd(), None),
        (PtahMigrationRunAcknowledgment::crd(), None),
        (PtahRealm::crd(), None),
        (PtahResultRecord::crd(), None),
    ];
    let sorted: BTreeMap<String, Published> = all
        .into_iter()
        .map(|(definition, rules)| publish(&definition, rules))
        .map(|published| (published.file.clone(), published))
        .collect();
    sorted.into_values().collect()
}

/// Brings one definition into its form and signs it.
fn publish<T: serde::Serialize>(definition: &T, rules: Option<Value>) -> Published {
    #[expect(clippy::expect_used, reason = "a definition is made of structs, texts and numbers")]
    let mut definition = serde_json::to_value(definition).expect("a definition can be written");
    if let Some(schema) = definition.pointer_mut("/spec/versions/0/schema/openAPIV3Schema") {
        structural::tidy(schema);
        if let (Some(rules), Some(schema)) = (rules, schema.as_object_mut()) {
            schema.insert("x-kubernetes-validations".to_owned(), rules);
        }
    }
    let digest = Digest::of(yaml::body(&definition["spec"], Style::Lines).as_bytes());
    let plural = definition["spec"]["names"]["plural"].as_str().unwrap_or_default().to_owned();
    definition["metadata"]["annotations"] = json!({
        STATE_VERSION_ANNOTATION: CONTROLLER_STATE_VERSION.to_string(),
        CRD_SCHEMA_VERSION_ANNOTATION: CRD_SCHEMA_VERSION.to_string(),
        SCHEMA_DIGEST_ANNOTATION: digest.to_string(),
    });
    if let Some(object) = definition.as_object_mut() {
        object.remove("status");
    }
    Published { file: format!("{plural}.yaml"), digest, definition }
}

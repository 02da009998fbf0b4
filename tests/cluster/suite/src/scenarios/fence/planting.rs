//! A version of a newer contract, in each place where one is kept.

use anyhow::{Context as _, Result};
use ptah_crds::fence::StoringKind;
use ptah_records::operator::names;
use serde_json::{Value, json};

use crate::objects::{objects, record, text};
use crate::world::World;

/// For every place of a kind where a version is kept: the object that keeps a newer one there.
pub(super) fn plantings(kind: StoringKind) -> Result<Vec<(String, Value)>> {
    if kind == StoringKind::Lease {
        let documents = [(names::HOLD, "hold"), (names::SETTLED, "settled"), (names::BOUND_TO, "bound-to")];
        let plant = |(mark, file): (&str, &str)| {
            let document = text(&format!("crates/records/src/operator/v1/golden/{file}.json"))?;
            let newer = document.trim().replacen("\"controllerStateVersion\":1", "\"controllerStateVersion\":2", 1);
            Ok((mark.to_owned(), json!({ "metadata": { "annotations": { mark: newer } } })))
        };
        return documents.into_iter().map(plant).collect();
    }
    let plant = |place: &&str| {
        let mut object = json!({});
        let field = place.trim_start_matches('/').split('/').nth(1);
        match field {
            Some(field) => object["status"][field] = record(file_of(kind, field))?,
            None => object["spec"] = spec_of(kind)?,
        }
        let holder = object.pointer_mut(place).with_context(|| format!("no record has the place {place}"))?;
        holder["controllerStateVersion"] = json!(2);
        Ok(((*place).to_owned(), object))
    };
    kind.places().iter().map(plant).collect()
}

/// The golden file of what stands in a field of a status.
fn file_of(kind: StoringKind, field: &str) -> &'static str {
    match field {
        "executionBinding" => "execution-binding",
        "plan" if kind == StoringKind::PtahSchema => "current-schema-plan",
        "plan" => "current-migration-plan",
        "applied" => "applied",
        "pendingObservation" => "pending-observation",
        "unresolvedRun" => "unresolved-run",
        "activeOperation" => "claim-refresh",
        "resolvedRun" => "resolved-run",
        "pendingLockRelease" => "owed-release",
        _ => "no-such-record",
    }
}

/// A spec that is a record, or that holds one.
fn spec_of(kind: StoringKind) -> Result<Value> {
    match kind {
        StoringKind::PtahSchemaPlan => record("schema-plan"),
        StoringKind::PtahMigrationPlan => record("migration-plan"),
        _ => Ok(sample("result-piece")?["spec"].clone()),
    }
}

pub(super) fn sample(name: &str) -> Result<Value> {
    let mut all = objects(&text(&format!("crates/crds/tests/samples/{name}.yaml"))?)?;
    all.pop().context("a sample without an object")
}

/// Creates the object of a planting and gives it its status; where it is.
pub(super) async fn plant(world: &World, namespace: &str, kind: StoringKind, planted: &Value) -> Result<String> {
    let (root, mut object) = match kind {
        StoringKind::Lease => {
            ("/apis/coordination.k8s.io/v1", json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease" }))
        }
        StoringKind::PtahSchema => (OURS, sample("schema-minimal")?),
        StoringKind::PtahMigration => (OURS, sample("migration-minimal")?),
        other => (OURS, json!({ "apiVersion": "operator.ptah.run/v1alpha1", "kind": format!("{other:?}") })),
    };
    object["metadata"] = json!({ "name": "planted", "namespace": namespace });
    if let Some(annotations) = planted.pointer("/metadata/annotations") {
        object["metadata"]["annotations"] = annotations.clone();
    }
    if let Some(spec) = planted.get("spec") {
        object["spec"] = spec.clone();
    }
    let path = format!("{root}/namespaces/{namespace}/{}s", format!("{kind:?}").to_lowercase());
    world.admin.create(&path, &object).await?;
    let path = format!("{path}/planted");
    if let Some(status) = planted.get("status") {
        world.admin.merge(&format!("{path}/status"), &json!({ "status": status })).await?;
    }
    Ok(path)
}

/// The API of our group.
pub(super) const OURS: &str = "/apis/operator.ptah.run/v1alpha1";

//! The definitions, as a cluster takes them from `deploy/crds/`.

use anyhow::{Context as _, Result, ensure};
use ptah_crds::published;
use serde_json::{Value, json};

use super::Scenario;
use crate::objects::{names, text};
use crate::wait::until;
use crate::world::{JSON, User, World};

pub(super) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        ("definitions_every_file_is_applied_and_established", |world| Box::pin(files_are_applied(world))),
        ("definitions_every_description_is_served", |world| Box::pin(descriptions_are_served(world))),
        ("definitions_every_selectable_field_selects", |world| Box::pin(fields_select(world))),
        ("definitions_what_no_definition_has_is_not_kept", |world| Box::pin(unknown_is_not_kept(world))),
    ]
}

/// Applies every file of `deploy/crds/` and waits until each kind is served.
pub(super) async fn establish(admin: &User) -> Result<usize> {
    // Beside the definitions stands the list of their versions.
    let files: Vec<String> = names("deploy/crds")?.into_iter().filter(|name| name != "versions.txt").collect();
    for file in &files {
        let plural = file.trim_end_matches(".yaml");
        admin
            .apply(&format!("{DEFINITIONS}/{plural}.operator.ptah.run"), &text(&format!("deploy/crds/{file}"))?)
            .await?;
    }
    for file in &files {
        served(admin, file.trim_end_matches(".yaml")).await?;
    }
    Ok(files.len())
}

/// Waits until a kind is served, and says no to nothing that it is asked about.
pub(super) async fn served(admin: &User, plural: &str) -> Result<()> {
    let path = format!("{DEFINITIONS}/{plural}.operator.ptah.run");
    until(&format!("{plural} being established"), || async {
        let live = admin.get(&path).await?;
        let conditions = live["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let holds = |kind: &str| conditions.iter().any(|one| one["type"] == kind && one["status"] == "True");
        let listed =
            admin.send("GET", &format!("/apis/operator.ptah.run/v1alpha1/{plural}?limit=1"), JSON, Vec::new()).await?;
        Ok((holds("Established") && holds("NamesAccepted") && listed.status == 200).then_some(()))
    })
    .await
}

async fn files_are_applied(world: World) -> Result<()> {
    let count = establish(&world.admin).await?;
    ensure!(count == published().len(), "{count} files for {} definitions", published().len());
    for one in published() {
        let name = one.definition["metadata"]["name"].as_str().context("a definition without a name")?;
        let live = world.admin.get(&format!("{DEFINITIONS}/{name}")).await?;
        let told = live["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let odd = told.iter().find(|one| one["type"] == "NonStructuralSchema" && one["status"] == "True");
        ensure!(odd.is_none(), "{name} has a schema that is not structural: {odd:?}");
        ensure!(crate::objects::holds(&live["spec"], &one.definition["spec"]), "{name} was stored as something else");
    }
    Ok(())
}

/// What `kubectl explain` shows is what the API server serves here.
async fn descriptions_are_served(world: World) -> Result<()> {
    establish(&world.admin).await?;
    for one in published() {
        let spec = &one.definition["spec"];
        let kind = spec["names"]["kind"].as_str().unwrap_or_default();
        let wanted = &spec["versions"][0]["schema"]["openAPIV3Schema"];
        let name = format!("run.ptah.operator.v1alpha1.{kind}");
        let missing = until(&format!("the description of {kind}"), || async {
            let document = world.admin.get("/openapi/v3/apis/operator.ptah.run/v1alpha1").await?;
            let schema = &document["components"]["schemas"][&name];
            // Published a moment after the kind is established.
            Ok((!schema.is_null()).then(|| undescribed("", wanted, schema)))
        })
        .await?;
        ensure!(missing.is_empty(), "{kind}: {missing:?} are described otherwise than in the definition");
    }
    Ok(())
}

/// The places whose description is not the one that the definition has.
fn undescribed(place: &str, wanted: &Value, served: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if wanted.get("description").is_some() && wanted["description"] != served["description"] {
        found.push(format!("{place}.description"));
    }
    for (name, field) in wanted["properties"].as_object().into_iter().flatten() {
        let at = format!("{place}.{name}");
        // Metadata is described by Kubernetes, and every other field by us.
        if !(place.is_empty() && name == "metadata")
            && field.get("description").is_none()
            && !["apiVersion", "kind"].contains(&name.as_str())
        {
            found.push(format!("{at} (none)"));
        }
        found.extend(undescribed(&at, field, &served["properties"][name]));
    }
    for inner in ["items", "additionalProperties"] {
        if wanted[inner].is_object() {
            found.extend(undescribed(&format!("{place}.{inner}"), &wanted[inner], &served[inner]));
        }
    }
    found
}

async fn fields_select(world: World) -> Result<()> {
    establish(&world.admin).await?;
    let mut count = 0;
    for one in published() {
        let spec = &one.definition["spec"];
        let plural = spec["names"]["plural"].as_str().unwrap_or_default();
        let list = format!("/apis/operator.ptah.run/v1alpha1/{plural}");
        for field in spec["versions"][0]["selectableFields"].as_array().into_iter().flatten() {
            let field = field["jsonPath"].as_str().unwrap_or_default().trim_start_matches('.');
            world.admin.get(&format!("{list}?fieldSelector={field}%3Dnothing")).await?;
            count += 1;
        }
        let other =
            world.admin.send("GET", &format!("{list}?fieldSelector=spec.nothing%3Dx"), JSON, Vec::new()).await?;
        ensure!(other.status == 400, "{plural} took a field that cannot be selected: {}", other.status);
    }
    ensure!(count > 15, "only {count} fields can be selected");
    values_select(&world).await
}

/// A census asks by these fields: each finds what has the value, and nothing else.
async fn values_select(world: &World) -> Result<()> {
    let namespace = world.namespace(json!({})).await?;
    let schemas = format!("/apis/operator.ptah.run/v1alpha1/namespaces/{namespace}/ptahschemas");
    let digest = |letter: &str| format!("sha256:{}", letter.repeat(64));
    for (name, letter) in [("one", "a"), ("two", "b")] {
        let schema = json!({
            "apiVersion": "operator.ptah.run/v1alpha1",
            "kind": "PtahSchema",
            "metadata": { "name": name },
            "spec": {
                "target": { "engine": "PostgreSQL", "coordinationKey": format!("prod/{name}:1"), "urlFrom": { "name": "db", "key": "dsn" } },
                "desired": {
                    "ociRef": "oci://registry.acme.test/db/billing:1",
                    "verificationPolicyFrom": { "name": "verify", "key": "policy.yaml" },
                },
            },
        });
        world.admin.create(&schemas, &schema).await?;
        let status =
            json!({ "status": { "target": { "engine": "PostgreSQL", "coordinationDigest": digest(letter) } } });
        world.admin.merge(&format!("{schemas}/{name}/status"), &status).await?;
    }
    let value = |text: &str| text.replace(':', "%3A").replace('/', "%2F");
    for (field, wanted) in [
        ("spec.target.coordinationKey", value("prod/two:1")),
        ("status.target.coordinationDigest", value(&digest("b"))),
    ] {
        let found = world.admin.get(&format!("{schemas}?fieldSelector={field}%3D{wanted}")).await?;
        let found: Vec<&Value> =
            found["items"].as_array().into_iter().flatten().map(|item| &item["metadata"]["name"]).collect();
        ensure!(found == [&json!("two")], "{field} selected {found:?}");
    }
    Ok(())
}

async fn unknown_is_not_kept(world: World) -> Result<()> {
    establish(&world.admin).await?;
    let realm = json!({
        "apiVersion": "operator.ptah.run/v1alpha1",
        "kind": "PtahRealm",
        "metadata": { "name": "with-something-else" },
        "spec": { "engine": "MySQL", "namespaces": ["finance"], "sharing": "Shared", "later": true },
    });
    let path = "/apis/operator.ptah.run/v1alpha1/ptahrealms";
    let stored = world.admin.create(path, &realm).await?;
    ensure!(stored["spec"]["later"].is_null(), "an unknown field was kept");
    let strict = world.admin.try_create(&format!("{path}?fieldValidation=Strict&dryRun=All"), &realm).await?;
    ensure!(strict.status == 400 && strict.message().contains("spec.later"), "{}: {}", strict.status, strict.message());
    world.admin.delete(&format!("{path}/with-something-else")).await
}

//! `ptah-operator crds apply` on a real API server: it goes forward alone, and nothing newer is touched.

use std::process::Output;

use anyhow::{Context as _, Result, ensure};
use ptah_crds::fence::StoringKind;
use ptah_crds::{CRD_SCHEMA_VERSION, CRD_SCHEMA_VERSION_ANNOTATION, SCHEMA_DIGEST_ANNOTATION, published};
use ptah_records::operator::names;
use serde_json::{Value, json};

mod planting;

use self::planting::{OURS, plant, plantings, sample};
use super::Scenario;
use super::definitions::{DEFINITIONS, served};
use crate::objects::record;
use crate::world::World;

const OLDER: [&str; 2] = ["ptahrealms", "ptahschemas"];

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        ("fence_an_empty_cluster_gets_every_definition", |world| Box::pin(empty(world))),
        ("fence_a_dry_run_changes_nothing", |world| Box::pin(dry_run(world))),
        ("fence_what_was_changed_by_hand_is_put_right", |world| Box::pin(by_hand(world))),
        ("fence_newer_state_in_each_place_refuses_and_is_named", |world| Box::pin(newer_state(world))),
        ("fence_state_on_a_later_page_is_found", |world| Box::pin(later_page(world))),
        ("fence_a_downgrade_is_refused", |world| Box::pin(downgrade(world))),
        ("fence_a_foreign_definition_of_the_same_name_is_left_alone", |world| Box::pin(foreign(world))),
        ("fence_a_run_killed_before_its_first_write_changed_nothing", |world| Box::pin(killed_before(world))),
        ("fence_a_run_killed_between_two_writes_is_finished_by_the_next", |world| Box::pin(killed_between(world))),
        ("fence_a_cluster_that_does_not_answer_is_no_empty_cluster", |world| Box::pin(unreachable(world))),
    ]
}

async fn empty(world: World) -> Result<()> {
    let said = done(&world, &["crds", "apply"]).await?;
    ensure!(said.matches(": created").count() == published().len(), "{said}");
    for one in published() {
        served(&world.admin, one.file.trim_end_matches(".yaml")).await?;
    }
    let again = done(&world, &["crds", "apply"]).await?;
    ensure!(again.matches(": current").count() == published().len(), "{again}");
    let list = done(&world, &["crds", "list"]).await?;
    ensure!(list.matches("  current\n").count() == published().len(), "{list}");
    Ok(())
}

async fn dry_run(world: World) -> Result<()> {
    make_older(&world, "ptahrealms").await?;
    let before = versions(&world).await?;
    let said = done(&world, &["crds", "apply", "--dry-run"]).await?;
    ensure!(said.contains("ptahrealms.operator.ptah.run: would be updated ("), "{said}");
    ensure!(versions(&world).await? == before, "a dry run changed something");
    done(&world, &["crds", "apply"]).await?;
    Ok(())
}

/// The same version and digest, and another content: only the API server's own answer shows it.
async fn by_hand(world: World) -> Result<()> {
    let path = format!("{DEFINITIONS}/ptahrealms.operator.ptah.run");
    let patch = json!([{ "op": "remove", "path": "/spec/versions/0/additionalPrinterColumns/0" }]);
    let form = "application/json-patch+json";
    world.admin.send("PATCH", &path, form, patch.to_string().into_bytes()).await?.accepted(&path)?;
    let said = done(&world, &["crds", "apply"]).await?;
    let wanted = "ptahrealms.operator.ptah.run: updated (spec.versions[0].additionalPrinterColumns)";
    ensure!(said.contains(wanted) && said.matches(": current").count() == published().len() - 1, "{said}");
    ensure!(done(&world, &["crds", "apply"]).await?.contains(": 0 of"), "it was not put right");
    Ok(())
}

async fn newer_state(world: World) -> Result<()> {
    let namespace = world.namespace(json!({})).await?;
    // Something is due, so that changing nothing is a decision.
    make_older(&world, "ptahrealms").await?;
    let mut places = 0;
    for kind in StoringKind::ALL {
        for (place, planted) in plantings(kind)? {
            let path = plant(&world, &namespace, kind, &planted).await.with_context(|| format!("{kind:?} {place}"))?;
            refused(&world, &format!("{kind:?} {namespace}/planted is of contract 2"))
                .await
                .with_context(|| place.clone())?;
            world.admin.delete(&path).await?;
            places += 1;
        }
    }
    ensure!(places == 21, "{places} places");
    let lease = json!({ "metadata": { "annotations": { names::HOLD: "{}" } } });
    let path = plant(&world, &namespace, StoringKind::Lease, &lease).await?;
    refused(&world, &format!("Lease {namespace}/planted carries 0, which is no contract version")).await?;
    world.admin.delete(&path).await?;
    let said = done(&world, &["crds", "apply"]).await?;
    ensure!(said.contains(": 1 of"), "with the state gone, the definition goes forward: {said}");
    Ok(())
}

async fn later_page(world: World) -> Result<()> {
    let namespace = world.namespace(json!({})).await?;
    let schemas = format!("{OURS}/namespaces/{namespace}/ptahschemas");
    let mut schema = sample("schema-minimal")?;
    for number in 0..120 {
        schema["metadata"] = json!({ "name": format!("s-{number:03}"), "namespace": namespace });
        world.admin.create(&schemas, &schema).await?;
    }
    let mut binding = record("execution-binding")?;
    binding["controllerStateVersion"] = json!(2);
    let last = format!("{schemas}/s-119");
    world.admin.merge(&format!("{last}/status"), &json!({ "status": { "executionBinding": binding } })).await?;
    refused(&world, &format!("PtahSchema {namespace}/s-119 is of contract 2")).await?;
    world.admin.delete(&last).await
}

async fn downgrade(world: World) -> Result<()> {
    let path = format!("{DEFINITIONS}/ptahschemas.operator.ptah.run");
    let live = world.admin.get(&path).await?;
    let marks = live["metadata"]["annotations"].clone();
    for (mark, value, says) in [
        (
            CRD_SCHEMA_VERSION_ANNOTATION,
            (CRD_SCHEMA_VERSION + 1).to_string(),
            "of the definitions, and this program brings",
        ),
        ("operator.ptah.run/controller-state-version", "2".to_owned(), "was made for contract 2"),
        (SCHEMA_DIGEST_ANNOTATION, "sha256:another".to_owned(), "has another digest"),
        (CRD_SCHEMA_VERSION_ANNOTATION, "new".to_owned(), "is no version"),
    ] {
        world.admin.merge(&path, &json!({ "metadata": { "annotations": { mark: value } } })).await?;
        refused(&world, says).await?;
        world.admin.merge(&path, &json!({ "metadata": { "annotations": marks.clone() } })).await?;
    }
    Ok(())
}

async fn foreign(world: World) -> Result<()> {
    let name = "ptahrealms.operator.ptah.run";
    let path = format!("{DEFINITIONS}/{name}");
    world.admin.delete(&path).await?;
    let foreign = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": name },
        "spec": {
            "group": "operator.ptah.run",
            "scope": "Namespaced",
            "names": { "kind": "PtahRealm", "plural": "ptahrealms" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object" } } }],
        },
    });
    world.admin.create(DEFINITIONS, &foreign).await?;
    refused(&world, &format!("{name} is not ours: it has no {CRD_SCHEMA_VERSION_ANNOTATION}")).await?;
    let list = done(&world, &["crds", "list"]).await?;
    ensure!(list.contains("not ours"), "{list}");
    world.admin.delete(&path).await?;
    let said = done(&world, &["crds", "apply"]).await?;
    ensure!(said.contains(&format!("{name}: created")), "{said}");
    served(&world.admin, "ptahrealms").await
}

async fn killed_before(world: World) -> Result<()> {
    for plural in OLDER {
        make_older(&world, plural).await?;
    }
    let before = versions(&world).await?;
    killed(&world, "before-update:1").await?;
    ensure!(versions(&world).await? == before, "something was changed before the first write");
    Ok(())
}

async fn killed_between(world: World) -> Result<()> {
    for plural in OLDER {
        make_older(&world, plural).await?;
    }
    killed(&world, "after-update:1").await?;
    let list = done(&world, &["crds", "list"]).await?;
    ensure!(list.matches("  older\n").count() == 1, "one of the two was changed: {list}");
    let said = done(&world, &["crds", "apply"]).await?;
    ensure!(said.contains(": 1 of"), "{said}");
    let list = done(&world, &["crds", "list"]).await?;
    ensure!(list.matches("  current\n").count() == published().len(), "{list}");
    Ok(())
}

async fn unreachable(world: World) -> Result<()> {
    let output = world.operator(&["crds", "apply", "--kubeconfig", "no-such-file"], "").await?;
    ensure!(output.status.code() == Some(2), "{output:?}");
    Ok(())
}

/// Takes a definition back to what an older release could have left: a lower version, another digest, a column less.
async fn make_older(world: &World, plural: &str) -> Result<()> {
    let path = format!("{DEFINITIONS}/{plural}.operator.ptah.run");
    let escape = |mark: &str| mark.replace('/', "~1");
    let patch = json!([
        { "op": "replace", "path": format!("/metadata/annotations/{}", escape(CRD_SCHEMA_VERSION_ANNOTATION)), "value": "1" },
        { "op": "replace", "path": format!("/metadata/annotations/{}", escape(SCHEMA_DIGEST_ANNOTATION)), "value": "sha256:older" },
        { "op": "remove", "path": "/spec/versions/0/additionalPrinterColumns/0" },
    ]);
    let form = "application/json-patch+json";
    world.admin.send("PATCH", &path, form, patch.to_string().into_bytes()).await?.accepted(&path)?;
    Ok(())
}

/// What a change of a definition of ours would change. Conditions are written by the API server itself, a moment later, so
/// they and the resource version are left out.
async fn versions(world: &World) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    for one in published() {
        let name = one.definition["metadata"]["name"].as_str().unwrap_or_default();
        let metadata = world.admin.get(&format!("{DEFINITIONS}/{name}")).await?["metadata"].clone();
        found.push(json!([name, metadata["uid"], metadata["generation"], metadata["annotations"]]));
    }
    Ok(found)
}

/// Runs a command that has to work; what it said.
async fn done(world: &World, arguments: &[&str]) -> Result<String> {
    let output = world.operator(arguments, "").await?;
    ensure!(output.status.success(), "{arguments:?} ended with {}: {}", output.status, errors(&output));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs an update that has to be refused with its own exit code, say why, and change nothing.
async fn refused(world: &World, says: &str) -> Result<()> {
    let before = versions(world).await?;
    let output = world.operator(&["crds", "apply"], "").await?;
    let said = errors(&output);
    ensure!(output.status.code() == Some(4), "it ended with {} and not with 4: {said}", output.status);
    ensure!(said.contains(says), "it did not say \"{says}\": {said}");
    ensure!(output.stdout.is_empty(), "it wrote to standard output");
    ensure!(versions(world).await? == before, "it was refused, and changed something");
    Ok(())
}

async fn killed(world: &World, fault: &str) -> Result<()> {
    use std::os::unix::process::ExitStatusExt as _;
    let output = world.operator(&["crds", "apply"], fault).await?;
    ensure!(output.status.signal() == Some(9), "{fault} did not kill it: {} {}", output.status, errors(&output));
    Ok(())
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

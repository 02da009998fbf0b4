//! first-apply: from an empty database to the declared one. schema-update: from there to another revision.

use anyhow::{Result, ensure};
use ptah_cluster_tests::scripted::Content;
use serde_json::json;

use crate::managed::{IN_SYNC, Managed, objects, schema};
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/billing:stable";
const OTHER: &str = "oci://registry.acme.test/db/billing:next";

pub(super) async fn converges(world: World) -> Result<()> {
    let mut script = Managed::empty("first");
    let wanted = objects(&[("table:users", "id, name")]);
    let digest = script.registry.push(REFERENCE, Content::Schema(wanted.clone()))?;
    let managed = Managed::start(&world, script).await?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    let status = resource.shows(IN_SYNC).await?;
    ensure!(managed.database()?.objects == wanted, "the database is another one");
    ensure!(
        status["applied"]["binding"]["artifactDigest"] == digest.as_str(),
        "nobody says what was applied: {status:#}"
    );
    ensure!(
        status["lastRun"]["outcome"] == "Applied" && status["resolvedRun"]["resolution"] == "Reading",
        "{status:#}"
    );
    resource.has_applied(1).await?;
    managed.end().await
}

pub(super) async fn updates(world: World) -> Result<()> {
    let mut script = Managed::empty("update");
    let first = objects(&[("table:users", "id, name")]);
    script.registry.push(REFERENCE, Content::Schema(first))?;
    let managed = Managed::start(&world, script).await?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    resource.shows(IN_SYNC).await?;

    // Two differences by the artifacts alone; one of them is there already, so a plan from the actual state has one.
    let second = objects(&[("table:users", "id, name, email"), ("table:orders", "id")]);
    let mut digest = String::new();
    managed.change(|script| {
        script.database.objects.insert("table:orders".to_owned(), "id".to_owned());
        digest = script.registry.push(REFERENCE, Content::Schema(second.clone()))?.to_string();
        Ok(())
    })?;
    let is_applied = |status: &serde_json::Value, digest: &str| {
        IN_SYNC.is(status) && status["applied"]["binding"]["artifactDigest"] == digest
    };
    let status = resource.reaches("the tag's new revision", |status| is_applied(status, &digest)).await?;
    ensure!(managed.database()?.objects == second, "the database is another one");
    let plans = managed.list(&managed.ours("ptahschemaplans")).await?;
    let plan = plans.iter().find(|plan| plan["metadata"]["uid"] == status["applied"]["planRef"]["uid"]);
    ensure!(
        plan.is_some_and(|plan| plan["spec"]["statementCount"] == 1),
        "the plan does more than is missing: {plans:#?}"
    );

    let third = objects(&[("table:users", "id, name, email"), ("table:orders", "id, user")]);
    managed.change(|script| {
        digest = script.registry.push(OTHER, Content::Schema(third.clone()))?.to_string();
        Ok(())
    })?;
    resource.edit(&json!({ "spec": { "desired": { "ociRef": OTHER } } })).await?;
    resource.reaches("the other tag's revision", |status| is_applied(status, &digest)).await?;
    ensure!(managed.database()?.objects == third, "the database is another one");
    let runs = managed.database()?.runs;
    ensure!(runs.len() == 3 && runs.iter().all(|run| run.finished), "each revision is one run: {runs:?}");
    resource.has_applied(3).await?;
    managed.end().await
}

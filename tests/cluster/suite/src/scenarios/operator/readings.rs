//! drift, failure-recovery and suspend-resume: what the operator does, or leaves, while nobody asks anything of it.

use anyhow::{Result, ensure};
use ptah_cluster_tests::scripted::{Content, Kind, Misbehaviour, Objects, Script, Trouble};
use serde_json::{Value, json};

use crate::managed::{FAILED, IN_SYNC, Managed, SUSPENDED, named, objects, schema};
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/billing:stable";

fn wanted() -> Objects {
    objects(&[("table:users", "id, name"), ("table:orders", "id")])
}

fn script(name: &str) -> Result<Script> {
    let mut script = Managed::empty(name);
    script.registry.push(REFERENCE, Content::Schema(wanted()))?;
    Ok(script)
}

/// Somebody drops a column and a table.
fn spoil(managed: &Managed) -> Result<()> {
    managed.change(|script| {
        script.database.objects = objects(&[("table:users", "id")]);
        Ok(())
    })
}

pub(super) async fn drift(world: World) -> Result<()> {
    let managed = Managed::start(&world, script("drift")?).await?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    let before = resource.shows(IN_SYNC).await?;
    spoil(&managed)?;
    let healed =
        |status: &Value| IN_SYNC.is(status) && status["applied"]["operationID"] != before["applied"]["operationID"];
    let status = resource.reaches("the drift being healed", healed).await?;
    ensure!(managed.database()?.objects == wanted(), "the database is another one");
    ensure!(status["lastRun"]["outcome"] == "Applied", "{status:#}");
    resource.has_applied(2).await?;
    managed.end().await
}

pub(super) async fn recovery(world: World) -> Result<()> {
    let mut script = script("recovery")?;
    let fails = |trouble| Misbehaviour::next(Kind::Refresh, trouble);
    script.misbehaviours = vec![fails(Trouble::NoConnection), fails(Trouble::NoConnection)];
    let managed = Managed::start(&world, script).await?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    let failed =
        resource.reaches("a second failure", |status| FAILED.is(status) && status["failures"]["count"] == 2).await?;
    ensure!(failed["target"]["lastObservedAt"].is_null(), "nothing was read: {failed:#}");
    ensure!(managed.database()?.objects.is_empty(), "something ran on a database that was not read");
    let status = resource.shows(IN_SYNC).await?;
    ensure!(status["failures"].is_null(), "the failures are over: {status:#}");
    // Two that failed, and one that did not: an attempt is made once.
    ensure!(resource.jobs(Kind::Refresh).await? == 3, "other readings were made");

    managed.trouble(Kind::Refresh, Trouble::NoRegistry)?;
    let failed = resource.shows(FAILED).await?;
    ensure!(failed["applied"] == status["applied"], "what was applied is forgotten: {failed:#}");
    resource.shows(IN_SYNC).await?;
    ensure!(managed.database()?.objects == wanted(), "the database is another one");
    resource.has_applied(1).await?;
    managed.end().await
}

pub(super) async fn suspended(world: World) -> Result<()> {
    let managed = Managed::start(&world, script("suspended")?).await?;
    managed.player.script(&managed.namespace, Some("neighbour"), &script("neighbour")?)?;
    let mut object = schema(REFERENCE, "Always");
    object["spec"]["suspend"] = json!(true);
    let resource = managed.make(&object).await?;
    resource.shows(SUSPENDED).await?;
    // The neighbour shows that time goes by, and that the manager works.
    let neighbour = managed.make(&named(schema(REFERENCE, "Always"), "neighbour")).await?;
    neighbour.shows(IN_SYNC).await?;
    ensure!(resource.jobs(Kind::Refresh).await? == 0, "something was begun for a suspended resource");

    resource.edit(&json!({ "spec": { "suspend": false } })).await?;
    resource.shows(IN_SYNC).await?;
    resource.edit(&json!({ "spec": { "suspend": true } })).await?;
    resource.shows(SUSPENDED).await?;
    let readings = resource.jobs(Kind::Refresh).await?;
    spoil(&managed)?;
    for _ in 0..2 {
        neighbour.shows_after_a_reading(IN_SYNC).await?;
    }
    resource.shows(SUSPENDED).await?;
    ensure!(resource.jobs(Kind::Refresh).await? == readings, "a suspended resource was read");
    ensure!(managed.database()?.objects != wanted(), "a suspended resource was healed");
    resource.edit(&json!({ "spec": { "suspend": false } })).await?;
    resource.shows_after_a_reading(IN_SYNC).await?;
    ensure!(managed.database()?.objects == wanted(), "what came about meanwhile was not healed");
    resource.has_applied(2).await?;
    managed.end().await
}

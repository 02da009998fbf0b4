//! A schema's run of which nobody knows what it did: read, never run again by itself.

use anyhow::{Result, ensure};
use ptah_cluster_tests::scripted::{Content, Kind, Objects, Trouble};
use serde_json::{Value, json};

use crate::managed::{AWAITING, IN_SYNC, Managed, SETTLING, objects, schema};
use crate::player::Treatment;
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/billing:stable";

fn wanted() -> Objects {
    objects(&[("table:a", "id"), ("table:b", "id"), ("table:c", "id")])
}

async fn start(world: &World, name: &str) -> Result<Managed> {
    let mut script = Managed::empty(name);
    script.registry.push(REFERENCE, Content::Schema(wanted()))?;
    Managed::start(world, script).await
}

/// Everything in the Pod is killed after one of three statements.
pub(super) async fn killed(world: World) -> Result<()> {
    let managed = start(&world, "killed").await?;
    managed.trouble(Kind::Apply, Trouble::Hangs { after_units: 1 })?;
    managed.player.treat(Kind::Apply, Treatment::Killed);
    let mut object = schema(REFERENCE, "OnApproval");
    object["spec"]["policy"]["transactionMode"] = json!("none");
    let resource = managed.make(&object).await?;
    let first = resource.shows(AWAITING).await?;
    resource.approve(&first, "first").await?;
    let other = |status: &Value| AWAITING.is(status) && status["plan"]["uid"] != first["plan"]["uid"];
    let rest = resource.reaches("a plan of the rest", other).await?;
    ensure!(rest["plan"]["statementCount"] == 2, "not planned from what is there: {rest:#}");
    ensure!(rest["lastRun"]["outcome"] == "Unknown" && rest["applied"].is_null(), "{rest:#}");
    let resolved = &rest["resolvedRun"];
    ensure!(
        resolved["operationID"] == rest["lastRun"]["operationID"] && resolved["resolution"] == "Reading",
        "{rest:#}"
    );
    ensure!(resource.jobs(Kind::Settle).await? == 1, "it was settled by other than one reading");
    resource.has_applied(1).await?;
    ensure!(managed.database()?.objects == objects(&[("table:a", "id")]), "the run was carried on");

    resource.approve(&rest, "the-rest").await?;
    resource.shows(IN_SYNC).await?;
    ensure!(managed.database()?.objects == wanted(), "the database is another one");
    resource.has_applied(2).await?;
    managed.end().await
}

/// The client dies, and its server commits three seconds later. The reading waits for the lock.
pub(super) async fn late(world: World) -> Result<()> {
    let managed = start(&world, "late").await?;
    managed.trouble(Kind::Apply, Trouble::Dies { after_units: 1, goes_on: Some(3_000) })?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    let status = resource.shows(IN_SYNC).await?;
    is_settled_as_there(&managed, &status)?;
    ensure!(resource.jobs(Kind::Settle).await? == 1, "it was settled by other than one reading");
    resource.has_applied(1).await?;
    managed.end().await
}

/// The same with a reading that cannot wait for so long: that the lock is busy settles nothing.
pub(super) async fn busy(world: World) -> Result<()> {
    let managed = start(&world, "busy").await?;
    managed.trouble(Kind::Apply, Trouble::Dies { after_units: 1, goes_on: Some(12_000) })?;
    let mut object = schema(REFERENCE, "Always");
    object["spec"]["policy"]["lockTimeout"] = json!("1s");
    let resource = managed.make(&object).await?;
    let is_busy = |status: &Value| SETTLING.is(status) && status["pendingObservation"]["attempts"]["count"] == 1;
    let status = resource.reaches("an attempt that met the lock", is_busy).await?;
    ensure!(status["pendingObservation"]["lastAnswer"]["code"] == "lock_busy", "{status:#}");
    ensure!(status["pendingObservation"]["outcome"] == "Unknown", "{status:#}");
    let status = resource.shows(IN_SYNC).await?;
    is_settled_as_there(&managed, &status)?;
    resource.has_applied(1).await?;
    managed.end().await
}

/// All of it is there, and nobody says that the run had said so.
fn is_settled_as_there(managed: &Managed, status: &Value) -> Result<()> {
    ensure!(managed.database()?.objects == wanted(), "the database is another one");
    ensure!(
        status["resolvedRun"]["resolution"] == "Reading" && status["resolvedRun"]["outcome"] == "Unknown",
        "{status:#}"
    );
    ensure!(status["pendingObservation"].is_null() && status["applied"].is_null(), "{status:#}");
    Ok(())
}

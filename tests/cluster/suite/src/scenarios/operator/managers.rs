//! Managers that die, and managers that are two.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use ptah_cluster_tests::scripted::{Content, Kind, Objects, Script};
use serde_json::{Value, json};

use crate::managed::{IN_SYNC, Managed, Resource, objects, schema};
use crate::player::Treatment;
use crate::wait::until;
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/billing:stable";

fn wanted() -> Objects {
    objects(&[("table:users", "id, name")])
}

fn script(name: &str) -> Result<Script> {
    let mut script = Managed::empty(name);
    script.registry.push(REFERENCE, Content::Schema(wanted()))?;
    Ok(script)
}

/// A resource whose runs may take longer than it takes until another manager leads.
fn patient() -> Value {
    let mut object = schema(REFERENCE, "Always");
    object["spec"]["execution"]["activeDeadlineSeconds"] = json!(60);
    object
}

/// Who leads here, and how often that began.
async fn lead(managed: &Managed) -> Result<(String, u64)> {
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases/ptah-operator", managed.namespace);
    until("somebody leading", || async {
        let Ok(lease) = managed.world.admin.get(&path).await else { return Ok(None) };
        let spec = &lease["spec"];
        let holder = spec["holderIdentity"].as_str().filter(|holder| !holder.is_empty());
        Ok(holder.map(|holder| (holder.to_owned(), spec["leaseTransitions"].as_u64().unwrap_or_default())))
    })
    .await
}

/// One run, whose outcome is known, and that another manager than the first recorded.
async fn is_recorded_once(managed: &Managed, resource: &Resource<'_>, first: &(String, u64)) -> Result<()> {
    let status = resource.shows(IN_SYNC).await?;
    ensure!(status["lastRun"]["outcome"] == "Applied" && status["lastRun"]["jobUID"].is_string(), "{status:#}");
    ensure!(status["applied"]["operationID"] == status["lastRun"]["operationID"], "{status:#}");
    ensure!(managed.database()?.objects == wanted(), "the database is another one");
    ensure!(managed.database()?.runs.len() == 1, "it ran twice");
    let second = lead(managed).await?;
    ensure!(second.0 != first.0 && second.1 == first.1 + 1, "nobody took over: {first:?}, {second:?}");
    resource.has_applied(1).await
}

/// It dies between the Job and the permit.
pub(super) async fn before_the_permit(world: World) -> Result<()> {
    let managed = Managed::start(&world, script("unpermitted")?).await?;
    managed.player.treat(Kind::Apply, Treatment::HeldBack);
    let resource = managed.make(&patient()).await?;
    let is_created = |status: &Value| {
        status["activeOperation"]["type"] == "Apply" && status["activeOperation"]["jobUID"].is_string()
    };
    resource.reaches("the Apply's Job", is_created).await?;
    let first = lead(&managed).await?;
    managed.lose().await?;
    managed.begin().await?;
    managed.player.release();
    is_recorded_once(&managed, &resource, &first).await?;
    managed.end().await
}

/// It dies while the run that it let in waits for the database's lock.
pub(super) async fn during_a_run(world: World) -> Result<()> {
    let managed = Managed::start(&world, script("running")?).await?;
    let lock = managed.store.session(Duration::ZERO)?.ok().context("the database's lock")?;
    let resource = managed.make(&patient()).await?;
    let is_running = |status: &Value| {
        let claim = &status["activeOperation"];
        claim["type"] == "Apply" && claim["startedBy"]["podUID"].is_string()
    };
    resource.reaches("the Apply being let in", is_running).await?;
    let first = lead(&managed).await?;
    managed.lose().await?;
    managed.begin().await?;
    drop(lock);
    is_recorded_once(&managed, &resource, &first).await?;
    managed.end().await
}

pub(super) async fn two(world: World) -> Result<()> {
    let managed = Managed::start(&world, script("two")?).await?;
    let first = lead(&managed).await?;
    managed.begin().await?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    let before = resource.shows(IN_SYNC).await?;
    resource.shows_after_a_reading(IN_SYNC).await?;
    ensure!(lead(&managed).await? == first, "the lead changed hands while its holder worked");
    ensure!(managed.database()?.runs.len() == 1, "both ran it");
    resource.has_applied(1).await?;

    managed.lose().await?;
    managed.change(|script| {
        script.database.objects.clear();
        Ok(())
    })?;
    let healed =
        |status: &Value| IN_SYNC.is(status) && status["applied"]["operationID"] != before["applied"]["operationID"];
    resource.reaches("the other manager healing the database", healed).await?;
    let second = lead(&managed).await?;
    ensure!(second.0 != first.0 && second.1 == first.1 + 1, "nobody took over: {first:?}, {second:?}");
    resource.has_applied(2).await?;
    managed.end().await
}

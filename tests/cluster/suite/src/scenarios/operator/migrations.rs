//! versioned-migration and second-release: each migration once, and consent as the policy says.

use anyhow::{Result, ensure};
use ptah_cluster_tests::scripted::{Content, Migration, Step};
use serde_json::json;

use crate::managed::{AWAITING, DISABLED, IN_SYNC, Managed, migration};
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/invoices:stable";

/// A migration that makes one object of its version.
fn makes(version: &str) -> Result<Migration> {
    Migration::new(version, vec![Step::Put(format!("table:of-{version}"), "id".to_owned())])
}

fn release(managed: &Managed, versions: &[&str]) -> Result<()> {
    let all = versions.iter().map(|version| makes(version)).collect::<Result<Vec<_>>>()?;
    managed.change(|script| script.registry.push(REFERENCE, Content::Migrations(all)).map(drop))
}

fn applied(managed: &Managed) -> Result<Vec<String>> {
    Ok(managed.database()?.history.iter().map(|row| row.version.to_string()).collect())
}

pub(super) async fn releases(world: World) -> Result<()> {
    let managed = Managed::start(&world, Managed::empty("releases")).await?;
    release(&managed, &["1", "2"])?;
    let resource = managed.make(&migration(REFERENCE, "Always")).await?;
    let status = resource.shows(IN_SYNC).await?;
    ensure!(applied(&managed)? == ["1", "2"], "another history: {:?}", applied(&managed)?);
    ensure!(status["lastRun"]["appliedVersions"] == json!(["1", "2"]), "{status:#}");
    let status = resource.shows_after_a_reading(IN_SYNC).await?;
    ensure!(status["history"]["currentVersion"] == "2" && status["history"]["pendingCount"] == 0, "{status:#}");
    resource.has_applied(1).await?;

    resource.edit(&json!({ "spec": { "policy": { "apply": "OnApproval" } } })).await?;
    release(&managed, &["1", "2", "3"])?;
    let waits = resource.shows(AWAITING).await?;
    ensure!(waits["plan"]["stepCount"] == 1, "more than the new one is planned: {waits:#}");
    ensure!(applied(&managed)? == ["1", "2"], "a release ran without consent");
    let before = managed.database()?.history;
    let approval = resource.approve(&waits, "release-2").await?;
    resource.is_answered(&approval, "Consumed", "Spent").await?;
    resource.shows(IN_SYNC).await?;
    ensure!(applied(&managed)? == ["1", "2", "3"], "another history: {:?}", applied(&managed)?);
    ensure!(managed.database()?.history.starts_with(&before), "what was applied before was written again");
    ensure!(managed.database()?.objects.len() == 3, "each migration makes one object");
    resource.has_applied(2).await?;

    resource.edit(&json!({ "spec": { "policy": { "apply": "Never" } } })).await?;
    release(&managed, &["1", "2", "3", "4"])?;
    let disabled = resource.shows(DISABLED).await?;
    ensure!(disabled["plan"]["stepCount"] == 1, "what would be done is not shown: {disabled:#}");
    ensure!(applied(&managed)? == ["1", "2", "3"], "a release ran where nothing may");
    resource.has_applied(2).await?;
    managed.end().await
}

//! One database, one writer: under one name that two claim, and under two names.

use anyhow::{Result, ensure};
use ptah_cluster_tests::scripted::{Content, Kind, Objects};
use serde_json::json;

use crate::managed::{ALIASED, CONFLICT, IN_SYNC, Managed, NAME, named, objects, schema};
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/app:stable";

fn wanted() -> Objects {
    objects(&[("table:users", "id, name")])
}

async fn furnished(world: &World, name: &str) -> Result<Managed> {
    let mut script = Managed::empty(name);
    script.registry.push(REFERENCE, Content::Schema(wanted()))?;
    Managed::without(world, script).await
}

pub(super) async fn conflict(world: World) -> Result<()> {
    let managed = furnished(&world, "conflict").await?;
    let first = managed.make(&schema(REFERENCE, "Always")).await?;
    let mut other = named(schema(REFERENCE, "Always"), "ledger");
    other["spec"]["target"]["coordinationKey"] = json!(NAME);
    let second = managed.make(&other).await?;
    managed.begin().await?;
    first.shows(CONFLICT).await?;
    second.shows(CONFLICT).await?;
    ensure!(managed.jobs().await?.is_empty(), "something was begun on a contested realm");
    ensure!(managed.database()?.objects.is_empty(), "something ran on a contested realm");

    // One goes. That wakes nobody, and an edit of the other does.
    second.delete().await?;
    second.is_gone().await?;
    first.edit(&json!({ "spec": { "interval": "11s" } })).await?;
    first.shows(IN_SYNC).await?;
    ensure!(managed.database()?.objects == wanted(), "the database is another one");
    first.has_applied(1).await?;
    managed.end().await
}

pub(super) async fn aliased(world: World) -> Result<()> {
    let managed = furnished(&world, "aliased").await?;
    managed.player.alias(&managed.namespace, "ledger", &managed.store)?;
    managed.begin().await?;
    let incumbent = managed.make(&schema(REFERENCE, "Always")).await?;
    incumbent.shows(IN_SYNC).await?;
    let newcomer = managed.make(&named(schema(REFERENCE, "Always"), "ledger")).await?;
    let refused = newcomer.shows(ALIASED).await?;
    ensure!(!refused.to_string().contains(NAME), "the newcomer learns whose the database is: {refused:#}");
    let names_other = incumbent.shows_after_a_reading(IN_SYNC).await?.to_string().contains("ledger");
    ensure!(!names_other, "the incumbent learns who else came");

    // The incumbent goes on, and the newcomer does not, whatever there is to be done.
    managed.change(|script| {
        script.database.objects.clear();
        Ok(())
    })?;
    incumbent.shows_after_a_reading(IN_SYNC).await?;
    ensure!(managed.database()?.objects == wanted(), "the incumbent is held up");
    newcomer.shows(ALIASED).await?;
    ensure!(newcomer.jobs(Kind::Refresh).await? == 1, "a refused newcomer went on reading");
    newcomer.has_applied(0).await?;
    incumbent.has_applied(2).await?;
    managed.end().await
}

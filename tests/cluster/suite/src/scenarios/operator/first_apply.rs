//! first-apply: from an empty database to the declared one.

use anyhow::{Result, ensure};
use ptah_cluster_tests::scripted::{Content, Objects};
use serde_json::json;

use crate::managed::{Managed, NAME, schema};
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/billing:1";

pub(super) async fn converges(world: World) -> Result<()> {
    let mut script = Managed::empty("first");
    let wanted = Objects::from([("table:users".to_owned(), "id, name".to_owned())]);
    script.registry.push(REFERENCE, Content::Schema(wanted.clone()))?;
    let managed = Managed::start(&world, script).await?;
    managed.world.admin.create(&managed.ours("ptahschemas"), &schema(REFERENCE, "Always")).await?;
    let path = managed.ours(&format!("ptahschemas/{NAME}"));
    let in_sync =
        managed.status(&path, "the database being in sync", |status| status["phase"] == json!("InSync")).await?;
    ensure!(managed.store.read()?.database.objects == wanted, "the database is another one");
    ensure!(
        in_sync["status"]["applied"]["binding"]["artifactDigest"].is_string(),
        "nobody says what was applied: {in_sync:#}"
    );
    managed.end().await
}

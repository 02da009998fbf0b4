//! mysql-partial-failure: a migration without a transaction stops after two of three statements, and only a person's word ends
//! the question.

use anyhow::{Context as _, Result, ensure};
use ptah_cluster_tests::scripted::{Content, Kind, Migration, Step, Trouble};
use ptah_records::operator::latest::StepTransaction;
use serde_json::{Value, json};

use crate::managed::{IN_SYNC, Managed, UNKNOWN, migration};
use crate::world::World;

const RELEASES: [&str; 3] = [
    "oci://registry.acme.test/db/invoices:r1",
    "oci://registry.acme.test/db/invoices:r2",
    "oci://registry.acme.test/db/invoices:r3",
];

fn put(name: &str) -> Step {
    Step::Put(name.to_owned(), "id".to_owned())
}

/// The statement is refused: what was done is known, and reported.
pub(super) async fn stops(world: World) -> Result<()> {
    half_applied(&world, "stops", Trouble::Fails { after_units: 2 }, json!("Partial"), json!(2)).await
}

/// The work dies: nobody knows what was done.
pub(super) async fn dies(world: World) -> Result<()> {
    let trouble = Trouble::Dies { after_units: 2, goes_on: None };
    half_applied(&world, "dies", trouble, Value::Null, Value::Null).await
}

async fn half_applied(world: &World, name: &str, trouble: Trouble, reported: Value, units: Value) -> Result<()> {
    let mut script = Managed::empty(name);
    let mut second = Migration::new("2", vec![put("index:a"), put("index:b"), put("index:c")])?;
    second.transaction = Some(StepTransaction::None);
    let all =
        [Migration::new("1", vec![put("table:invoices")])?, second, Migration::new("3", vec![put("table:paid")])?];
    for (index, release) in RELEASES.iter().enumerate() {
        script.registry.push(release, Content::Migrations(all[..=index].to_vec()))?;
    }
    let managed = Managed::start(world, script).await?;
    let resource = managed.make(&migration(RELEASES[0], "Always")).await?;
    resource.shows(IN_SYNC).await?;

    managed.trouble(Kind::Apply, trouble)?;
    let points_at = |release: &str| json!({ "spec": { "artifact": { "ociRef": release } } });
    resource.edit(&points_at(RELEASES[1])).await?;
    let stuck = resource.shows(UNKNOWN).await?;
    let run = &stuck["unresolvedRun"];
    ensure!(
        run["outcome"] == "Unknown" && run["attempts"]["count"] == 1 && run["lastAnswer"]["code"] == "not_settled",
        "{run:#}"
    );
    ensure!(run["reported"] == reported && run["reportedUnits"] == units, "{run:#}");
    let names: Vec<String> = managed.database()?.objects.into_keys().collect();
    ensure!(names == ["index:a", "index:b", "table:invoices"], "another half: {names:?}");
    let readings = resource.jobs(Kind::Refresh).await?;

    // An older artifact has nothing pending, and clears nothing. The answer to a word on another run shows that this was seen.
    resource.edit(&points_at(RELEASES[0])).await?;
    let other =
        resource.acknowledge(&json!("01890a5d-ac96-774b-bcce-b302099a8001"), "Repaired", "of-another-run").await?;
    resource.is_answered(&other, "Stale", "RunNotUnresolved").await?;
    let still = resource.shows(UNKNOWN).await?;
    ensure!(still["unresolvedRun"]["operationID"] == run["operationID"], "{still:#}");
    ensure!(resource.jobs(Kind::Refresh).await? == readings, "something else was begun on a half-applied database");
    resource.has_applied(2).await?;

    // A person ends what was begun, says so, and the next release goes on from there.
    managed.change(|script| {
        script.database.objects.insert("index:c".to_owned(), "id".to_owned());
        script.database.history.last_mut().context("a history")?.dirty = false;
        Ok(())
    })?;
    resource.edit(&points_at(RELEASES[2])).await?;
    let word = resource.acknowledge(&run["operationID"], "Repaired", "repaired").await?;
    resource.is_answered(&word, "Consumed", "Spent").await?;
    let status = resource.shows(IN_SYNC).await?;
    ensure!(status["unresolvedRun"].is_null() && status["lastRun"]["appliedVersions"] == json!(["3"]), "{status:#}");
    let database = managed.database()?;
    let versions: Vec<String> = database.history.iter().map(|row| row.version.to_string()).collect();
    ensure!(versions == ["1", "2", "3"] && database.history.iter().all(|row| !row.dirty), "{:?}", database.history);
    ensure!(database.objects.len() == 5, "something was lost: {:?}", database.objects);
    ensure!(database.runs.len() == 3 && database.runs.iter().all(|run| run.finished), "{:?}", database.runs);
    resource.has_applied(3).await?;
    managed.end().await
}

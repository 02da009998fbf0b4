//! Every write of a first apply, each failing once: before it took effect and after, with the manager's death or without.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail, ensure};
use ptah_admission::cases::Actor;
use ptah_cluster_tests::scripted::{Content, Objects};
use serde_json::Value;
use tokio::task::{JoinError, JoinSet};

use crate::faulty::{Fault, Faults};
use crate::managed::{IN_SYNC, Managed, schema};
use crate::world::World;

const REFERENCE: &str = "oci://registry.acme.test/db/billing:1";
/// The variable that asks for every write with every fault: `make test-cluster-faults`.
const ALL: &str = "PTAH_EVERY_FAULT";
/// How many ways are gone at the same time.
const AT_ONCE: usize = 8;

pub(super) async fn deaths(world: World) -> Result<()> {
    every(&world, &[Fault::DiesBefore, Fault::DiesAfter]).await
}

pub(super) async fn losses(world: World) -> Result<()> {
    every(&world, &[Fault::LostBefore, Fault::LostAfter, Fault::TooMany]).await
}

/// Goes the way once without a fault, to count its writes, and then once for each write and fault.
async fn every(world: &World, faults: &[Fault]) -> Result<()> {
    let writes = way(world, None).await.context("without a fault")?;
    ensure!(writes > 20, "the way has only {writes} writes");
    let all = chosen(writes, faults, std::env::var_os(ALL).is_some());
    let count = all.len();
    let ended = some_at_a_time(world, all, writes).await;
    let broken: Vec<String> = ended.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
    if !broken.is_empty() {
        bail!("{} of {count} ways: {}", broken.len(), broken.join("\n"));
    }
    Ok(())
}

/// Every write with every fault; where there are more than two of these, every write with one of them, in turn, unless all are asked
/// for.
fn chosen(writes: usize, faults: &[Fault], all: bool) -> Vec<(usize, Fault)> {
    let mut chosen = Vec::new();
    for write in 1..=writes {
        let in_turn =
            |(place, _): &(usize, &Fault)| all || faults.len() <= 2 || place % faults.len() == write % faults.len();
        chosen.extend(faults.iter().enumerate().filter(in_turn).map(|(_, fault)| (write, *fault)));
    }
    chosen
}

async fn some_at_a_time(world: &World, all: Vec<(usize, Fault)>, writes: usize) -> Vec<Result<()>> {
    let (mut under_way, mut ended) = (JoinSet::new(), Vec::new());
    for (write, fault) in all {
        let world = world.clone();
        under_way.spawn(async move {
            let at = format!("{fault:?} at write {write} of {writes}");
            way(&world, Some((write, fault))).await.context(at).map(drop)
        });
        while under_way.len() >= AT_ONCE {
            ended.extend(under_way.join_next().await.map(flat));
        }
    }
    while let Some(one) = under_way.join_next().await {
        ended.push(flat(one));
    }
    ended
}

fn flat(ended: Result<Result<()>, JoinError>) -> Result<()> {
    ended?
}

/// From an empty database to the declared one, with one fault; how many writes the first manager made.
async fn way(world: &World, at: Option<(usize, Fault)>) -> Result<usize> {
    let mut script = Managed::empty("first");
    let wanted = Objects::from([("table:users".to_owned(), "id, name".to_owned())]);
    script.registry.push(REFERENCE, Content::Schema(wanted.clone()))?;
    let managed = Managed::without(world, script).await?;
    let faults = Faults::at(at);
    managed.begin_with(faults.client(world.config(Actor::Manager.user(), Actor::Manager.groups()))?).await?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    let in_sync =
        |status: &Value| IN_SYNC.is(status) && status["applied"].is_object() && status["pendingLockRelease"].is_null();
    let what = "the database being in sync";
    let settled = tokio::select! {
        settled = resource.reaches(what, in_sync) => Some(settled?),
        () = faults.died() => None,
    };
    let settled = if let Some(settled) = settled {
        settled
    } else {
        managed.kill().await?;
        managed.begin().await?;
        resource.reaches(what, in_sync).await?
    };
    let writes = faults.writes();
    check(&managed, &settled, &wanted).await?;
    managed.end().await?;
    Ok(writes)
}

/// What has to hold at the end, whatever happened on the way.
async fn check(managed: &Managed, settled: &Value, wanted: &Objects) -> Result<()> {
    let database = managed.store.read()?.database;
    ensure!(database.objects == *wanted, "the database is another one: {:?}", database.objects);
    ensure!(database.runs.iter().all(|run| run.finished), "a run is open in the database: {:?}", database.runs);
    let operations: BTreeSet<&str> = database.runs.iter().map(|run| run.operation.as_str()).collect();
    ensure!(operations.len() == database.runs.len(), "a run was spent twice: {:?}", database.runs);
    // What ran left its account: the last run in the status, each of them on the database's Lease.
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", managed.namespace);
    let leases = managed.world.admin.get(&path).await?;
    let lease = leases["items"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|lease| lease["metadata"]["name"].as_str().is_some_and(|name| name.starts_with("ptah-d-")));
    let lease = lease.context("the database has no Lease")?;
    let annotations = &lease["metadata"]["annotations"];
    ensure!(annotations["operator.ptah.run/hold"].is_null(), "a hold is left: {annotations}");
    let noted = annotations["operator.ptah.run/settled"].as_str().unwrap_or_default();
    ensure!(operations.iter().all(|run| noted.contains(run)), "a run is not settled: {operations:?} and {noted}");
    let last = settled["resolvedRun"]["operationID"].as_str().context("no run was resolved")?;
    ensure!(operations.contains(last) || noted.contains(last), "nobody knows the run {last}");
    Ok(())
}

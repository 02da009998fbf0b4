//! A resource that is deleted while its run may write, and one that is made again before that run is settled.

use anyhow::{Context as _, Result, ensure};
use ptah_cluster_tests::scripted::{Content, Kind, Trouble};
use serde_json::{Value, json};

use crate::managed::{IN_SYNC, Managed, SETTLING, objects, schema};
use crate::wait::until;
use crate::world::{JSON, World};

const REFERENCE: &str = "oci://registry.acme.test/db/billing:stable";

pub(super) async fn during_a_run(world: World) -> Result<()> {
    let mut script = Managed::empty("deletion");
    let wanted = objects(&[("table:a", "id"), ("table:b", "id")]);
    script.registry.push(REFERENCE, Content::Schema(wanted.clone()))?;
    let managed = Managed::start(&world, script).await?;
    managed.trouble(Kind::Apply, Trouble::Hangs { after_units: 1 })?;
    let mut object = schema(REFERENCE, "Always");
    object["spec"]["policy"] = json!({ "apply": "Always", "transactionMode": "none", "lockTimeout": "5s" });
    let first = managed.make(&object).await?;
    until("half of a run", || async { Ok((managed.database()?.objects.len() == 1).then_some(())) }).await?;
    let operation = first.get().await?["status"]["activeOperation"]["id"].clone();

    first.delete().await?;
    let deleted = first.get().await?;
    ensure!(
        deleted["metadata"]["finalizers"] == json!(["operator.ptah.run/active-operation"]),
        "{}",
        deleted["metadata"]["finalizers"]
    );
    end_pods(&managed).await?;
    first.is_gone().await?;
    ensure!(held(&managed).await? == [operation.clone()], "no hold says what may be in the database");
    first.has_applied(1).await?;

    // Nothing is begun for the one that comes after it but the reading that says what the run did.
    let second = managed.make(&object).await?;
    let took_over = |status: &Value| SETTLING.is(status) && status["pendingObservation"]["operationID"] == operation;
    let status = second.reaches("the run being taken over", took_over).await?;
    let run = &status["pendingObservation"];
    ensure!(run["inherited"] == true && run["outcome"] == "Unknown" && run["attempts"].is_null(), "{status:#}");
    second.has_applied(0).await?;
    ensure!(managed.database()?.objects.len() == 1, "something ran before the run was settled");
    let settled = |status: &Value| status["resolvedRun"]["operationID"] == operation;
    let status = second.reaches("the run being settled", settled).await?;
    ensure!(status["resolvedRun"]["resolution"] == "Reading", "{status:#}");
    second.shows(IN_SYNC).await?;
    ensure!(managed.database()?.objects == wanted, "the database is another one");
    ensure!(held(&managed).await?.is_empty(), "the hold stands for ever");
    second.has_applied(1).await?;
    managed.end().await
}

/// Ends the Pods that run, as whoever drains a node does.
async fn end_pods(managed: &Managed) -> Result<()> {
    for pod in managed.list(&managed.core("pods")).await? {
        if pod["status"]["phase"] == "Running" {
            let path = managed.core(&format!("pods/{}", pod["metadata"]["name"].as_str().context("a Pod's name")?));
            managed.world.admin.send("DELETE", &path, JSON, Vec::new()).await?.accepted(&path)?;
        }
    }
    Ok(())
}

/// The runs for which a hold stands.
async fn held(managed: &Managed) -> Result<Vec<Value>> {
    let leases = managed.list(&format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", managed.namespace)).await?;
    let holds = leases.iter().filter_map(|lease| lease["metadata"]["annotations"]["operator.ptah.run/hold"].as_str());
    let operation = |text: &str| Ok(serde_json::from_str::<Value>(text)?["body"]["operationID"].clone());
    holds.map(operation).collect()
}

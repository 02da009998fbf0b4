//! What belongs to no pass: a Pod of an operation that nobody knows, and a plan that nothing names.

use anyhow::{Context as _, Result, ensure};
use ptah_admission::cases::Actor;
use ptah_cluster_tests::scripted::{Content, Objects};
use ptah_records::operator::names::{EVIDENCE, OPERATION_ID, UNNAMED_SINCE};
use serde_json::{Value, json};

use crate::managed::{IN_SYNC, Managed, schema};
use crate::wait::until;
use crate::world::{JSON, World};

const REFERENCE: &str = "oci://registry.acme.test/db/billing:1";
const OPERATION: &str = "01890a5d-ac96-774b-bcce-b302099a8061";

pub(super) async fn go(world: World) -> Result<()> {
    let mut script = Managed::empty("leftovers");
    let first = Objects::from([("table:users".to_owned(), "id".to_owned())]);
    script.registry.push(REFERENCE, Content::Schema(first.clone()))?;
    let managed = Managed::start(&world, script).await?;
    pods(&managed).await?;
    let resource = managed.make(&schema(REFERENCE, "Always")).await?;
    resource.shows(IN_SYNC).await?;
    let older = plans(&managed).await?;
    let wanted = Objects::from([("table:users".to_owned(), "id, name".to_owned())]);
    managed.store.update(|script| script.registry.push(REFERENCE, Content::Schema(wanted.clone())))?;
    until("the second plan being applied", || async {
        Ok((managed.store.read()?.database.objects == wanted).then_some(()))
    })
    .await?;
    until("the first plan being noted as named by nothing, and no other", || async {
        let all = plans(&managed).await?;
        let is_noted = |plan: &&Value| plan["metadata"]["annotations"][UNNAMED_SINCE].is_string();
        let noted: Vec<&Value> = all.iter().filter(is_noted).map(|plan| &plan["metadata"]["uid"]).collect();
        Ok((all.len() == 2 && noted == [&older[0]["metadata"]["uid"]]).then_some(()))
    })
    .await?;
    // The player has nothing to play for the two Pods of nobody's operation, and says so; that is no fault here.
    managed.stop().await
}

async fn plans(managed: &Managed) -> Result<Vec<Value>> {
    let found = managed.world.admin.get(&managed.ours("ptahschemaplans")).await?;
    Ok(found["items"].as_array().cloned().unwrap_or_default())
}

/// Two Pods of an operation that no status names: one has ended and is let go, of the other nobody knows whether it has.
async fn pods(managed: &Managed) -> Result<()> {
    let (jobs, kubelet) = (managed.world.user(Actor::JobController)?, managed.world.user(Actor::Kubelet)?);
    for (name, ended) in [("over", true), ("lost", false)] {
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "labels": { "app.kubernetes.io/managed-by": "ptah-operator" },
                "annotations": { OPERATION_ID: OPERATION },
                "finalizers": [EVIDENCE],
            },
            "spec": {
                "restartPolicy": "Never",
                "nodeName": "node-1",
                "containers": [{ "name": "ptah", "image": "registry.acme.test/x:1" }],
            },
        });
        jobs.create(&managed.core("pods"), &pod).await?;
        let path = managed.core(&format!("pods/{name}"));
        let mut stored = kubelet.get(&path).await?;
        let end = json!({ "terminated": { "exitCode": 0, "reason": "Completed" } });
        let state = if ended { end } else { json!({ "running": {} }) };
        let container = json!({
            "name": "ptah", "image": "x", "imageID": "", "ready": false, "restartCount": 0, "state": state,
        });
        stored["status"] =
            json!({ "phase": if ended { "Succeeded" } else { "Running" }, "containerStatuses": [container] });
        let written = stored.to_string().into_bytes();
        kubelet.send("PUT", &format!("{path}/status"), JSON, written).await?.accepted("the Pod's status")?;
    }
    let over = managed.core("pods/over");
    until("the Pod that ended being let go", || async {
        let pod = managed.world.admin.get(&over).await?;
        Ok(pod["metadata"]["finalizers"].as_array().is_none_or(Vec::is_empty).then_some(()))
    })
    .await?;
    let lost = managed.world.admin.get(&managed.core("pods/lost")).await?;
    let kept = lost["metadata"]["finalizers"].as_array().context("finalizers")?;
    ensure!(kept.contains(&json!(EVIDENCE)), "a Pod whose end nobody saw was let go");
    Ok(())
}

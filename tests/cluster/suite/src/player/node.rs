//! The node: registered, alive, and given its Pods.

use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use ptah_records::operator::time::Moment;
use serde_json::json;

use crate::world::User;

/// Its name, which is that of [the kubelet](ptah_admission::cases::Actor::Kubelet).
pub(super) const NODE: &str = "node-1";

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
/// As often as a kubelet does.
const BEAT: Duration = Duration::from_secs(10);

/// Now, in whole seconds.
pub(super) fn now() -> Result<String> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(Moment::from_milliseconds(since.as_secs() * 1_000)?.to_string())
}

/// Registers the node, if it is not there. Pods of a node that does not exist are collected.
pub(super) async fn register(kubelet: &User) -> Result<()> {
    let at = now()?;
    let ready = json!({
        "type": "Ready", "status": "True", "reason": "Played", "message": "",
        "lastHeartbeatTime": at, "lastTransitionTime": at,
    });
    let node = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": NODE }, "status": { "conditions": [ready] },
    });
    let answer = kubelet.try_create("/api/v1/nodes", &node).await?;
    if answer.status != 409 {
        answer.accepted("the node")?;
    }
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": NODE },
        "spec": { "holderIdentity": NODE, "leaseDurationSeconds": 40 },
    });
    let answer = kubelet.try_create(LEASES, &lease).await?;
    if answer.status != 409 {
        answer.accepted("the node's Lease")?;
    }
    renew(kubelet).await
}

/// Says again and again that the node is alive.
pub(super) async fn beat(kubelet: User) {
    loop {
        tokio::time::sleep(BEAT).await;
        // What is missed once is made good by the next; a node is believed dead after four.
        drop(renew(&kubelet).await);
    }
}

async fn renew(kubelet: &User) -> Result<()> {
    let at = now()?.replace('Z', ".000000Z");
    kubelet.merge(&format!("{LEASES}/{NODE}"), &json!({ "spec": { "renewTime": at } })).await?;
    Ok(())
}

/// Gives a Pod to the node, as the scheduler does.
pub(super) async fn bind(scheduler: &User, path: &str, name: &str, uid: &str) -> Result<()> {
    let binding = json!({
        "apiVersion": "v1", "kind": "Binding", "metadata": { "name": name, "uid": uid },
        "target": { "apiVersion": "v1", "kind": "Node", "name": NODE },
    });
    scheduler.create(&format!("{path}/binding"), &binding).await.context("the Pod is not bound")?;
    Ok(())
}

//! Brings the policies into force, with users whose roles refuse nothing that the cases try.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use ptah_admission::cases::{self, Actor};
use ptah_admission::{canary, names};
use serde_json::{Value, json};

use crate::objects::{collection, names as names_of, objects, text};
use crate::scenarios::definitions::establish;
use crate::wait::until;
use crate::world::{JSON, User, World};

/// The role of those who have every verb.
const WILDCARD: &str = "test-wildcard";

/// Applies `deploy/admission/` with the settings of the cases, and waits until all of it is in force.
pub(crate) async fn install(world: &World) -> Result<()> {
    establish(&world.admin).await?;
    apply_files(world, "deploy/admission").await?;
    apply(&world.admin, &cases::settings().config_map()).await?;
    rights(world).await?;
    in_force(world).await
}

/// Applies every file of a folder, in the order of their names.
pub(crate) async fn apply_files(world: &World, folder: &str) -> Result<()> {
    for file in names_of(folder)? {
        for object in objects(&text(&format!("{folder}/{file}"))?)? {
            apply(&world.admin, &object).await?;
        }
    }
    Ok(())
}

/// From here on the manager has the rights of `deploy/operator/` and no other, with `own` as its own namespace.
pub(crate) async fn only_its_rights(world: &World, own: &str) -> Result<()> {
    for mut object in objects(&text("deploy/operator/40-rights.yaml")?)? {
        apply(&world.admin, &object).await?;
        // A manager of a test keeps its Leases and its Secret in a namespace of its own.
        if matches!(object["kind"].as_str(), Some("Role" | "RoleBinding")) {
            object["metadata"]["namespace"] = json!(own);
            apply(&world.admin, &object).await?;
        }
    }
    bind(world, WILDCARD, everything(&["*"]), &[Actor::Robot, Actor::TrustedRobot]).await?;
    let manager = world.user(Actor::Manager)?;
    // Roles are read through a cache of the API server. Both requests are dry runs, or of what is not there.
    let lease = format!("/apis/coordination.k8s.io/v1/namespaces/{own}/leases/not-there");
    let deleted = format!("/apis/batch/v1/namespaces/{own}/jobs/not-there");
    until("the manager having its own rights and no other", || async {
        let has = manager.send("GET", &lease, JSON, Vec::new()).await?.status == 404;
        let more = manager.send("DELETE", &deleted, JSON, Vec::new()).await?.status != 403;
        Ok((has && !more).then_some(()))
    })
    .await
}

pub(crate) async fn apply(admin: &User, object: &Value) -> Result<()> {
    let namespace = object["metadata"]["namespace"].as_str().unwrap_or(names::NAMESPACE);
    let path = collection(object, namespace)?;
    let name = object["metadata"]["name"].as_str().context("an object without a name")?;
    admin.apply(&format!("{path}/{name}"), &object.to_string()).await?;
    Ok(())
}

/// Rights that are so wide that no role refuses what the cases try; our three verbs as the cases say.
async fn rights(world: &World) -> Result<()> {
    let verbs = ["approve", "acknowledge", "automate"];
    let every = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
    let ours = |names: Value| {
        let mut rule = json!({ "apiGroups": ["operator.ptah.run"], "resources": ["ptahschemas", "ptahmigrations"], "verbs": verbs });
        rule["resourceNames"] = names;
        json!([rule])
    };
    let people = [Actor::Author, Actor::Approver, Actor::ApproverOfInvoices];
    let controllers = [Actor::JobController, Actor::GarbageCollector, Actor::NamespaceController, Actor::Kubelet];
    let robots = [Actor::Robot, Actor::TrustedRobot, Actor::Manager];
    bind(world, "test-everything", everything(&every), &[&people[..], &controllers[..]].concat()).await?;
    bind(world, WILDCARD, everything(&["*"]), &robots).await?;
    bind(world, "test-approve", ours(json!([])), &[Actor::Approver]).await?;
    bind(world, "test-approve-invoices", ours(json!(["invoices"])), &[Actor::ApproverOfInvoices]).await
}

fn everything(verbs: &[&str]) -> Value {
    json!([{ "apiGroups": ["*"], "resources": ["*"], "verbs": verbs }])
}

async fn bind(world: &World, name: &str, rules: Value, actors: &[Actor]) -> Result<()> {
    let version = "rbac.authorization.k8s.io/v1";
    let subject =
        |actor: &Actor| json!({ "kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": actor.user() });
    apply(
        &world.admin,
        &json!({ "apiVersion": version, "kind": "ClusterRole", "metadata": { "name": name }, "rules": rules }),
    )
    .await?;
    apply(
        &world.admin,
        &json!({
            "apiVersion": version,
            "kind": "ClusterRoleBinding",
            "metadata": { "name": name },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name },
            "subjects": actors.iter().map(subject).collect::<Vec<Value>>(),
        }),
    )
    .await
}

/// What the canaries prove now, policy by policy.
pub(super) async fn proofs(world: &World) -> Result<BTreeMap<&'static str, Result<(), canary::CanaryProblem>>> {
    let manager = world.user(Actor::Manager)?;
    let mut found = BTreeMap::new();
    for canary in canary::canaries(names::NAMESPACE) {
        let answer = manager.try_create(&canary.path, &canary.object).await?;
        found.insert(canary.policy, canary::judge(&canary, answer.status, answer.message()));
    }
    Ok(found)
}

/// Waits until every policy is proven.
async fn in_force(world: &World) -> Result<()> {
    let mut last = BTreeMap::new();
    let proven = until("every policy being in force", || async {
        let proofs = proofs(world).await?;
        Ok(proofs.values().all(Result::is_ok).then_some(()))
    })
    .await;
    if proven.is_err() {
        last = proofs(world).await?;
    }
    proven.with_context(|| format!("{last:?}"))
}

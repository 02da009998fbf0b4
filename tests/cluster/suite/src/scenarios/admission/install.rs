//! Brings the policies into force, with users whose roles refuse nothing that the cases try.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use ptah_admission::cases::{self, Actor};
use ptah_admission::{canary, files, names};
use serde_json::{Value, json};

use crate::objects::{collection, objects, text};
use crate::scenarios::definitions::establish;
use crate::wait::until;
use crate::world::{User, World};

/// Applies `deploy/admission/` with the settings of the cases, and waits until all of it is in force.
pub(crate) async fn install(world: &World) -> Result<()> {
    establish(&world.admin).await?;
    for file in files() {
        for object in objects(&text(&format!("deploy/admission/{}", file.name))?)? {
            apply(&world.admin, &object).await?;
        }
    }
    apply(&world.admin, &cases::settings().config_map()).await?;
    rights(world).await?;
    in_force(world).await
}

async fn apply(admin: &User, object: &Value) -> Result<()> {
    let path = collection(object, names::NAMESPACE)?;
    let name = object["metadata"]["name"].as_str().context("an object without a name")?;
    admin.apply(&format!("{path}/{name}"), &object.to_string()).await?;
    Ok(())
}

/// Rights that are so wide that no role refuses what the cases try; our three verbs as the cases say.
async fn rights(world: &World) -> Result<()> {
    let verbs = ["approve", "acknowledge", "automate"];
    let every = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
    let all = |verbs: &[&str]| json!([{ "apiGroups": ["*"], "resources": ["*"], "verbs": verbs }]);
    let ours = |names: Value| {
        let mut rule = json!({ "apiGroups": ["operator.ptah.run"], "resources": ["ptahschemas", "ptahmigrations"], "verbs": verbs });
        rule["resourceNames"] = names;
        json!([rule])
    };
    let people = [Actor::Author, Actor::Approver, Actor::ApproverOfInvoices];
    let controllers = [Actor::JobController, Actor::GarbageCollector, Actor::NamespaceController, Actor::Kubelet];
    let robots = [Actor::Robot, Actor::TrustedRobot, Actor::Manager];
    bind(world, "test-everything", all(&every), &[&people[..], &controllers[..]].concat()).await?;
    bind(world, "test-wildcard", all(&["*"]), &robots).await?;
    bind(world, "test-approve", ours(json!([])), &[Actor::Approver]).await?;
    bind(world, "test-approve-invoices", ours(json!(["invoices"])), &[Actor::ApproverOfInvoices]).await
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

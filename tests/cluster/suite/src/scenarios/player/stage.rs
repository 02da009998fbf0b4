//! What the scenarios of the player have in common: a namespace, operations, Jobs as the manager makes them.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result, ensure};
use ptah_admission::cases::{self, Actor};
use ptah_records::operator::latest::{OperationSpec, Work};
use ptah_records::operator::names::{ENABLED, EVIDENCE, OPERATION, OPERATION_ID};
use ptah_records::operator::seal;
use ptah_records::operator::text::OperationId;
use serde_json::{Value, json};

use super::results::Results;
use crate::objects::text;
use crate::player::Player;
use crate::scenarios::admission::install;
use crate::wait::until;
use crate::world::World;

/// A namespace with a player and a server for its results.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) namespace: String,
    pub(super) player: Player,
    pub(super) results: Results,
    next: AtomicU32,
}

/// A Job's Pod, as it is now.
pub(super) struct Cast {
    pub(super) job: String,
    pub(super) pod: String,
    pub(super) uid: String,
}

impl Stage {
    pub(super) async fn new(world: World) -> Result<Self> {
        install(&world).await?;
        let namespace = world.namespace(json!({ ENABLED: "true" })).await?;
        let account = format!("/api/v1/namespaces/{namespace}/serviceaccounts/default");
        until("the namespace's service account", || async { Ok(world.admin.get(&account).await.ok()) }).await?;
        let player = Player::start(&world, &namespace).await?;
        let results = Results::serve(&world, &namespace).await?;
        Ok(Self { world, namespace, player, results, next: AtomicU32::new(1) })
    }

    /// An operation of a golden file, with an ID of its own, that reports here.
    pub(super) fn operation(&self, golden: &str) -> Result<OperationSpec> {
        let golden = text(&format!("crates/records/src/operator/v1/golden/{golden}.json"))?;
        let mut spec: OperationSpec = seal::read(golden.trim_end().as_bytes())?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        spec.operation_id = OperationId::new(format!("01890a5d-ac96-774b-bcce-b3020{number:07x}"))?;
        self.results.addressed(&mut spec)?;
        Ok(spec)
    }

    /// Has the manager make the Job of an operation, with these volumes besides, and waits for its Pod.
    pub(super) async fn cast(&self, spec: &OperationSpec, volumes: &[Value]) -> Result<Cast> {
        let jobs = self.jobs();
        let made =
            self.world.user(Actor::Manager)?.create(&jobs, &job(spec, volumes)?).await.context("an operation's Job")?;
        let job = made["metadata"]["name"].as_str().context("a Job without a name")?.to_owned();
        let selector = format!("?labelSelector=batch.kubernetes.io/job-name={job}");
        let pods = format!("/api/v1/namespaces/{}/pods{selector}", self.namespace);
        let pod = until("the Job controller making a Pod", || async {
            Ok(self.world.admin.get(&pods).await?["items"].get(0).cloned())
        })
        .await?;
        let field = |name: &str| pod["metadata"][name].as_str().map(str::to_owned).context("a Pod's metadata");
        Ok(Cast { job, pod: field("name")?, uid: field("uid")? })
    }

    fn jobs(&self) -> String {
        format!("/apis/batch/v1/namespaces/{}/jobs", self.namespace)
    }

    pub(super) fn pod_path(&self, cast: &Cast) -> String {
        format!("/api/v1/namespaces/{}/pods/{}", self.namespace, cast.pod)
    }

    /// Waits until the Job has this condition, and says how its container ended.
    pub(super) async fn ended(&self, cast: &Cast, condition: &str) -> Result<Value> {
        let path = format!("{}/{}", self.jobs(), cast.job);
        until(&format!("{} being {condition}", cast.job), || async {
            self.player.played()?;
            let live = self.world.admin.get(&path).await?;
            let conditions = live["status"]["conditions"].as_array().cloned().unwrap_or_default();
            let is_so = |one: &Value| one["type"] == *condition && one["status"] == "True";
            Ok(conditions.iter().any(is_so).then_some(()))
        })
        .await?;
        let pod = self.world.admin.get(&self.pod_path(cast)).await?;
        ensure!(pod["metadata"]["finalizers"] == json!([EVIDENCE]), "the evidence stays: {}", pod["metadata"]);
        Ok(pod["status"]["containerStatuses"][0]["state"]["terminated"].clone())
    }

    /// Has the manager let the Pod go.
    pub(super) async fn let_go(&self, cast: &Cast) -> Result<()> {
        let none = json!({ "metadata": { "finalizers": null } });
        self.world.user(Actor::Manager)?.merge(&self.pod_path(cast), &none).await?;
        Ok(())
    }
}

/// A Job as the manager makes it.
fn job(spec: &OperationSpec, volumes: &[Value]) -> Result<Value> {
    let case = cases::cases().into_iter().find(|case| {
        case.rule == "manager-makes-jobs" && case.attempt == "makes one" && case.request.actor == Actor::Manager
    });
    let mut job = case.context("no such case")?.request.body;
    let id = spec.operation_id.as_str();
    job["metadata"]["name"] = json!(format!("ptah-{id}"));
    job["metadata"]["annotations"][OPERATION_ID] = json!(id);
    job["spec"]["podReplacementPolicy"] = json!("Failed");
    let template = &mut job["spec"]["template"];
    template["metadata"]["annotations"][OPERATION_ID] = json!(id);
    template["metadata"]["annotations"][OPERATION] = json!(String::from_utf8(seal::write(spec)?)?);
    template["metadata"]["finalizers"] = json!([EVIDENCE]);
    if matches!(spec.work, Work::Refresh { .. }) {
        let mut fetch = template["spec"]["containers"][0].clone();
        fetch["name"] = json!("fetch");
        fetch["volumeMounts"] = json!([]);
        template["spec"]["initContainers"] = json!([fetch]);
    }
    if let Some(all) = template["spec"]["volumes"].as_array_mut() {
        all.extend(volumes.iter().cloned());
    }
    Ok(job)
}

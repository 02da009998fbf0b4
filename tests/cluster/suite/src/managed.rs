//! A namespace that a manager drives, with a player for its Pods: what a scenario about the whole operator begins with.
//!
//! Each one has a manager of its own, which drives its own namespace alone and keeps its Leases there, so what earlier scenarios
//! left behind moves nobody.

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use kube::Client;
use ptah_admission::cases::{self, Actor};
use ptah_cluster_tests::scripted::{Database, Script, Store};
use ptah_mirror::Components;
use ptah_operator::cluster::Cluster;
use ptah_operator::manager::{Manager, Settings, Stopped};
use ptah_records::operator::latest::ManagerRecord;
use ptah_records::operator::text::{HostName, Image, LabelName, Uid, VersionText};
use ptah_records::operator::whole::Whole;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::player::Player;
use crate::scenarios::admission::install;
use crate::wait::until;
use crate::world::{MERGE, World};

/// How long anything may take. The slowest is a run that nobody may create any more: its window and its horizon, 90 seconds.
const PATIENCE: Duration = Duration::from_secs(150);

/// The name of every scenario's resource, unless it has several.
pub(crate) const NAME: &str = "billing";

/// A namespace, its player, and its manager while one runs.
pub(crate) struct Managed {
    pub(crate) world: World,
    pub(crate) namespace: String,
    pub(crate) player: Player,
    pub(crate) store: Store,
    manager: Option<Running>,
    /// Where its managers listen; 0 before the first.
    port: u16,
}

/// A manager that runs.
struct Running {
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), Stopped>>,
}

impl Managed {
    /// A namespace with the script of one database, and a manager that drives it.
    pub(crate) async fn start(world: &World, script: Script) -> Result<Self> {
        install(world).await?;
        let mut managed = Self::without(world, script).await?;
        managed.begin().await?;
        Ok(managed)
    }

    /// The same, and no manager yet. The policies have to be in force.
    pub(crate) async fn without(world: &World, script: Script) -> Result<Self> {
        let namespace = world.namespace(json!({ "operator.ptah.run/enabled": "true" })).await?;
        let player = Player::start(world).await?;
        let store = player.script(&namespace, None, &script)?;
        let managed = Self { world: world.clone(), namespace, player, store, manager: None, port: 0 };
        managed.furnish().await?;
        Ok(managed)
    }

    /// What the resources of the namespace name.
    async fn furnish(&self) -> Result<()> {
        let policy = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "verify" }, "data": { "policy.yaml": "trust: all\n" },
        });
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "db" }, "stringData": { "dsn": "postgres://db.test/x" },
        });
        self.world.admin.create(&self.core("configmaps"), &policy).await?;
        self.world.admin.create(&self.core("secrets"), &secret).await?;
        let account = self.core("serviceaccounts/default");
        until("the namespace's service account", || async { Ok(self.world.admin.get(&account).await.ok()) }).await?;
        Ok(())
    }

    /// An empty database of this name.
    pub(crate) fn empty(name: &str) -> Script {
        Script { database: Database::named(name), ..Script::default() }
    }

    /// Starts a manager, as another replica would.
    pub(crate) async fn begin(&mut self) -> Result<()> {
        self.begin_with(self.world.user(Actor::Manager)?.client()).await
    }

    /// Starts a manager that asks by this client.
    pub(crate) async fn begin_with(&mut self, client: Client) -> Result<()> {
        // At the same port again, as behind a Service: a Pod of before reports to whoever runs now.
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await?;
        let port = listener.local_addr()?.port();
        self.port = port;
        let settings = settings(&self.world, &self.namespace, port).await?;
        let manager = Manager::open(Cluster::new(client, Duration::from_secs(10)), settings).await?;
        let (stop, stopped) = oneshot::channel();
        let stopped = async { drop(stopped.await) };
        let ended = tokio::spawn(manager.run(listener, stopped));
        self.manager = Some(Running { stop, ended });
        Ok(())
    }

    /// Kills the manager, as a lost machine would: it gives nothing back. Whoever comes next need not wait for its lead to run out,
    /// because it is known to be dead.
    pub(crate) async fn kill(&mut self) -> Result<()> {
        let Some(running) = self.manager.take() else { return Ok(()) };
        running.ended.abort();
        let _ = running.ended.await;
        let lease = format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases/ptah-operator", self.namespace);
        let nobody = json!({ "spec": { "holderIdentity": "" } }).to_string().into_bytes();
        let answer = self.world.admin.send("PATCH", &lease, MERGE, nobody).await?;
        if answer.status != 404 {
            answer.accepted(&lease)?;
        }
        Ok(())
    }

    /// Asks the manager to end, and waits for it.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        let Some(running) = self.manager.take() else { return Ok(()) };
        let _ = running.stop.send(());
        Ok(running.ended.await??)
    }

    /// A path of the core group in the namespace.
    pub(crate) fn core(&self, rest: &str) -> String {
        format!("/api/v1/namespaces/{}/{rest}", self.namespace)
    }

    /// A path of our group in the namespace.
    pub(crate) fn ours(&self, rest: &str) -> String {
        format!("/apis/operator.ptah.run/v1alpha1/namespaces/{}/{rest}", self.namespace)
    }

    /// Waits until the status of a resource is as wanted, and gives the resource.
    pub(crate) async fn status(&self, path: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let end = tokio::time::Instant::now() + PATIENCE;
        loop {
            let object = self.world.admin.get(path).await?;
            if wanted(&object["status"]) {
                return Ok(object);
            }
            let over = tokio::time::Instant::now() > end;
            if over || self.manager.as_ref().is_some_and(|running| running.ended.is_finished()) {
                let why = if over { "in time" } else { "before the manager ended" };
                bail!("{what} did not happen {why}; {:#}; played: {:?}", object["status"], self.player.played());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Ends the scenario: nothing that the player could not do stays unsaid.
    pub(crate) async fn end(mut self) -> Result<()> {
        self.stop().await?;
        for played in self.player.played()? {
            ensure!(!played.log.contains("panicked"), "a Pod broke off: {}", played.log);
        }
        Ok(())
    }
}

/// The settings of a manager that listens on this port of this machine.
async fn settings(world: &World, namespace: &str, port: u16) -> Result<Settings> {
    let system = world.admin.get("/api/v1/namespaces/kube-system").await?;
    let image = cases::settings().images.into_iter().next().context("an image")?;
    let (image, version) = (Image::new(image)?, VersionText::new(concat!("v", env!("CARGO_PKG_VERSION")))?);
    Ok(Settings {
        components: Components {
            ptah_version: version.clone(),
            executor_image: image.clone(),
            protocol: Whole::new(1)?,
        },
        manager: ManagerRecord { controller_image: image.clone(), controller_revision: version, runner_image: image },
        namespace: LabelName::new(namespace)?,
        cluster: Uid::new(system["metadata"]["uid"].as_str().context("a UID")?)?,
        host: HostName::new("localhost")?,
        port: Whole::new(u64::from(port))?,
        watched: Some(LabelName::new(namespace)?),
        tidied: Duration::from_secs(1),
        two_people: false,
    })
}

/// A schema whose target is found by a key of its own.
pub(crate) fn schema(reference: &str, apply: &str) -> Value {
    json!({
        "apiVersion": "operator.ptah.run/v1alpha1",
        "kind": "PtahSchema",
        "metadata": { "name": NAME },
        "spec": {
            "target": { "engine": "PostgreSQL", "coordinationKey": NAME, "urlFrom": { "name": "db", "key": "dsn" } },
            "desired": { "ociRef": reference, "verificationPolicyFrom": { "name": "verify", "key": "policy.yaml" } },
            "policy": { "apply": apply },
            "interval": "10s",
            "execution": { "activeDeadlineSeconds": 30, "failureRetryInterval": "5s" },
        },
    })
}

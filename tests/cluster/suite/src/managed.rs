//! A namespace that a manager drives, with a player for its Pods: what a scenario about the whole operator begins with.
//!
//! Each one has a manager of its own, which drives its own namespace alone and keeps its Leases there, so what other scenarios
//! do or left behind moves nobody, and several run at the same time.

mod look;
mod manifest;
mod people;
mod resource;

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use kube::Client;
use ptah_admission::cases::{self, Actor};
use ptah_cluster_tests::scripted::{Database, Kind, Misbehaviour, Script, Store, Trouble};
use ptah_mirror::Components;
use ptah_operator::cluster::Cluster;
use ptah_operator::manager::{Manager, Settings, Stopped};
use ptah_records::operator::latest::ManagerRecord;
use ptah_records::operator::text::{HostName, Image, LabelName, Uid, VersionText};
use ptah_records::operator::whole::Whole;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::player::Player;
use crate::scenarios::admission::{install, only_its_rights};
use crate::wait::until;
use crate::world::{MERGE, World};

pub(crate) use self::look::*;
pub(crate) use self::manifest::{NAME, migration, named, objects, schema};
pub(crate) use self::resource::Resource;

/// A namespace, its player, and its managers while they run.
pub(crate) struct Managed {
    pub(crate) world: World,
    pub(crate) namespace: String,
    pub(crate) player: Player,
    pub(crate) store: Store,
    managers: Mutex<Vec<Running>>,
    /// Where its managers listen; 0 before the first.
    port: AtomicU16,
}

/// A manager that runs.
struct Running {
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), Stopped>>,
}

impl Managed {
    /// A namespace with the script of one database, and a manager that drives it.
    pub(crate) async fn start(world: &World, script: Script) -> Result<Self> {
        let managed = Self::without(world, script).await?;
        managed.begin().await?;
        Ok(managed)
    }

    /// The same before anybody drives it.
    pub(crate) async fn without(world: &World, script: Script) -> Result<Self> {
        // No scenario of the operator changes a policy, and they are the last.
        world.policies.get_or_try_init(|| install(world)).await?;
        let namespace = world.namespace(json!({ "operator.ptah.run/enabled": "true" })).await?;
        only_its_rights(world, &namespace).await?;
        let player = Player::start(world, &namespace).await?;
        let store = player.script(&namespace, None, &script)?;
        let managed = Self {
            world: world.clone(),
            namespace,
            player,
            store,
            managers: Mutex::default(),
            port: AtomicU16::default(),
        };
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
    pub(crate) async fn begin(&self) -> Result<()> {
        self.begin_with(self.world.user(Actor::Manager)?.client()).await
    }

    /// Starts a manager that asks by this client.
    pub(crate) async fn begin_with(&self, client: Client) -> Result<()> {
        // At the same port again, as behind a Service: a Pod of before reports to whoever runs now.
        let is_alone = self.managers().is_empty();
        let port = if is_alone { self.port.load(Ordering::SeqCst) } else { 0 };
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let port = listener.local_addr()?.port();
        if is_alone {
            self.port.store(port, Ordering::SeqCst);
        }
        let settings = settings(&self.world, &self.namespace, port).await?;
        let manager = Manager::open(Cluster::new(client, Duration::from_secs(10)), settings).await?;
        let (stop, stopped) = oneshot::channel();
        let stopped = async { drop(stopped.await) };
        let ended = tokio::spawn(manager.run(listener, stopped));
        self.managers().push(Running { stop, ended });
        Ok(())
    }

    /// The oldest manager is gone, as with its machine: it gives nothing back, and whoever comes next waits until its lead ran out.
    pub(crate) async fn lose(&self) -> Result<()> {
        ensure!(!self.managers().is_empty(), "no manager runs");
        let running = self.managers().remove(0);
        running.ended.abort();
        // That it is over, and its port free.
        let _ = running.ended.await;
        Ok(())
    }

    /// The same, and it is known to be dead: whoever comes next need not wait.
    pub(crate) async fn kill(&self) -> Result<()> {
        self.lose().await?;
        let lease = format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases/ptah-operator", self.namespace);
        let nobody = json!({ "spec": { "holderIdentity": "" } }).to_string().into_bytes();
        let answer = self.world.admin.send("PATCH", &lease, MERGE, nobody).await?;
        if answer.status != 404 {
            answer.accepted(&lease)?;
        }
        Ok(())
    }

    /// Asks the managers to end, and waits for them.
    pub(crate) async fn stop(&self) -> Result<()> {
        let all = std::mem::take(&mut *self.managers());
        for Running { stop, ended, .. } in all {
            let _ = stop.send(());
            ended.await??;
        }
        Ok(())
    }

    /// Whether a manager ended that nobody asked to.
    fn has_lost_a_manager(&self) -> bool {
        self.managers().iter().any(|running| running.ended.is_finished())
    }

    fn managers(&self) -> MutexGuard<'_, Vec<Running>> {
        self.managers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is in the database or the registry, as others would.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Script) -> Result<()>) -> Result<()> {
        self.store.update(change)
    }

    /// What goes wrong with the next operation of this kind.
    pub(crate) fn trouble(&self, kind: Kind, trouble: Trouble) -> Result<()> {
        self.change(|script| {
            script.misbehaviours.push(Misbehaviour::next(kind, trouble));
            Ok(())
        })
    }

    /// What is in the database now.
    pub(crate) fn database(&self) -> Result<Database> {
        Ok(self.store.read()?.database)
    }

    /// A path of the core group in the namespace.
    pub(crate) fn core(&self, rest: &str) -> String {
        format!("/api/v1/namespaces/{}/{rest}", self.namespace)
    }

    /// A path of our group in the namespace.
    pub(crate) fn ours(&self, rest: &str) -> String {
        format!("/apis/operator.ptah.run/v1alpha1/namespaces/{}/{rest}", self.namespace)
    }

    /// Ends the scenario: nothing that the player could not do stays unsaid.
    pub(crate) async fn end(self) -> Result<()> {
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

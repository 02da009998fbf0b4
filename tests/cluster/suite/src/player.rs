//! The player: it stands in for the scheduler, the kubelet and the containers of operation Pods on an API server without a
//! node. The Job controller is the real one, and so is the supervisor in the Pod; what that one supervises is
//! `ptah-scripted-work` on a [script](ptah_cluster_tests::scripted).
//!
//! ```text
//! Pod ─► bound ─► mounts on disk ─► fetch ─► supervise ─► its end in the Pod's status ─► the Job controller
//! ```
//!
//! Pods are those with the mark of an operation, in one namespace. What a kubelet does not do on demand is a
//! [`Treatment`].

mod life;
mod mounts;
mod node;
mod process;
mod status;
mod treatment;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result, bail, ensure};
use futures::TryStreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{ListParams, WatchEvent, WatchParams};
use ptah_admission::cases::Actor;
use ptah_cluster_tests::scripted::{Kind, Script, Store};
use ptah_records::operator::names::OPERATION_ID;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::world::{User, World};

pub(crate) use self::treatment::Treatment;

/// How many Pods have processes at the same time. The others wait as if the node were full.
const AT_ONCE: usize = 16;

/// Plays until it is dropped; then its processes are killed.
pub(crate) struct Player {
    shared: Arc<Shared>,
    playing: JoinHandle<()>,
    beating: JoinHandle<()>,
}

/// A Pod that was played to its end.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    /// Its UID.
    pub(crate) pod: String,
    /// The kind of its operation.
    pub(crate) kind: Kind,
    /// How its supervisor ended; nothing where a signal ended it.
    pub(crate) exit: Option<i32>,
    /// What its supervisor said.
    pub(crate) log: String,
}

/// What the Pods have in common.
struct Shared {
    admin: User,
    kubelet: User,
    scheduler: User,
    runner: PathBuf,
    work: PathBuf,
    scripts: tempfile::TempDir,
    slots: Semaphore,
    released: watch::Sender<u64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What Pods that come are treated to, in order.
    treatments: Vec<(Kind, Treatment)>,
    /// The Pods that were met, by UID, with the bell that asks them to end.
    pods: HashMap<String, Arc<Notify>>,
    played: Vec<Played>,
    problems: Vec<String>,
}

impl Player {
    /// Starts to play in a namespace. The admission rules have to be installed: with them come the rights of a kubelet.
    pub(crate) async fn start(world: &World, namespace: &str) -> Result<Self> {
        let shared = Arc::new(Shared {
            admin: world.admin.clone(),
            kubelet: world.user(Actor::Kubelet)?,
            scheduler: world.impersonating("system:kube-scheduler", &[])?,
            runner: built(world, "ptah-runner")?,
            work: built(world, "ptah-scripted-work")?,
            scripts: tempfile::tempdir()?,
            slots: Semaphore::new(AT_ONCE),
            released: watch::Sender::new(0),
            state: Mutex::default(),
        });
        node::register(&shared.kubelet).await?;
        let beating = tokio::spawn(node::beat(shared.kubelet.clone()));
        let playing = tokio::spawn(play(shared.clone(), namespace.to_owned()));
        Ok(Self { shared, playing, beating })
    }

    /// Gives a resource its script; without a name, all resources of the namespace that have none of their own.
    pub(crate) fn script(&self, namespace: &str, resource: Option<&str>, script: &Script) -> Result<Store> {
        Store::create(&self.shared.script_file(namespace, resource), script)
    }

    /// Gives a resource the script that another one has: two names of one database.
    pub(crate) fn alias(&self, namespace: &str, resource: &str, store: &Store) -> Result<()> {
        Ok(std::os::unix::fs::symlink(store.file(), self.shared.script_file(namespace, Some(resource)))?)
    }

    /// The next Pod of this kind is treated so.
    pub(crate) fn treat(&self, kind: Kind, treatment: Treatment) {
        self.shared.state().treatments.push((kind, treatment));
    }

    /// Lets Pods start that are held back.
    pub(crate) fn release(&self) {
        self.shared.released.send_modify(|count| *count += 1);
    }

    /// The Pods that were played to their ends, in that order. What the player itself could not do is an error.
    pub(crate) fn played(&self) -> Result<Vec<Played>> {
        let state = self.shared.state();
        ensure!(state.problems.is_empty(), "the player: {}", state.problems.join("; "));
        Ok(state.played.clone())
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.playing.abort();
        self.beating.abort();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn script_file(&self, namespace: &str, resource: Option<&str>) -> PathBuf {
        let name = resource.map_or_else(|| namespace.to_owned(), |resource| format!("{namespace}.{resource}"));
        self.scripts.path().join(format!("{name}.json"))
    }

    /// The script of a resource.
    fn script(&self, namespace: &str, resource: &str) -> Result<PathBuf> {
        let own = self.script_file(namespace, Some(resource));
        let file = if own.exists() { own } else { self.script_file(namespace, None) };
        file.exists().then_some(file).with_context(|| format!("no script for {namespace}/{resource}"))
    }
}

fn built(world: &World, name: &str) -> Result<PathBuf> {
    let program = world.program(name);
    ensure!(Path::new(&program).exists(), "{name} was not built; run `make test-cluster`");
    Ok(program)
}

/// Meets every Pod, and plays each on a task of its own. When a watch ends, as it does by itself after some minutes, the list
/// that follows has what was missed.
async fn play(shared: Arc<Shared>, namespace: String) {
    let pods: Api<Pod> = Api::namespaced(shared.admin.client(), &namespace);
    let mut lives = JoinSet::new();
    loop {
        if follow(&shared, &pods, &mut lives).await.is_err() {
            // An API server that is started again is met again.
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        while lives.try_join_next().is_some() {}
    }
}

async fn follow(shared: &Arc<Shared>, pods: &Api<Pod>, lives: &mut JoinSet<()>) -> Result<()> {
    let listed = pods.list(&ListParams::default()).await?;
    for pod in listed.items {
        meet(shared, pod, lives);
    }
    let version = listed.metadata.resource_version.unwrap_or_default();
    let mut events = std::pin::pin!(pods.watch(&WatchParams::default(), &version).await?);
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(pod) | WatchEvent::Modified(pod) => meet(shared, pod, lives),
            WatchEvent::Deleted(pod) => {
                let bell = pod.metadata.uid.and_then(|uid| shared.state().pods.remove(&uid));
                bell.inspect(|bell| bell.notify_one());
            }
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(status) => bail!("{status:?}"),
        }
    }
    Ok(())
}

/// Plays a Pod that is new, and asks one to end that is to go.
fn meet(shared: &Arc<Shared>, pod: Pod, lives: &mut JoinSet<()>) {
    let marks = pod.metadata.annotations.as_ref();
    let (Some(true), Some(uid)) = (marks.map(|all| all.contains_key(OPERATION_ID)), pod.metadata.uid.clone()) else {
        return;
    };
    let is_ending = pod.metadata.deletion_timestamp.is_some();
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    let is_over = matches!(phase, Some("Succeeded" | "Failed"));
    let mut state = shared.state();
    if let Some(bell) = state.pods.get(&uid) {
        if is_ending {
            bell.notify_one();
        }
        return;
    }
    if is_ending || is_over {
        return;
    }
    let bell = Arc::new(Notify::new());
    state.pods.insert(uid, bell.clone());
    drop(state);
    let shared = shared.clone();
    lives.spawn(async move {
        if let Err(problem) = life::live(&shared, &pod, &bell).await {
            shared.state().problems.push(format!("{problem:#}"));
        }
    });
}

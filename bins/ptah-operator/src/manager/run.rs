//! The manager's tasks, from the start to the end of a process.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ptah_intake::{ClusterReviewer, ClusterStore, Intake, serve};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch as cell};
use tokio::task::JoinSet;

use crate::cluster::Cluster;
use crate::manager::authority::{AuthorityProblem, Keeper};
use crate::manager::directory::Directory;
use crate::manager::election::{Election, give_back};
use crate::manager::gate::Gate;
use crate::manager::hints::Policies;
use crate::manager::key::Key;
use crate::manager::lead::Lead;
use crate::manager::pass::{Around, Begun, Passed, Shared};
use crate::manager::policies;
use crate::manager::queue::Queue;
use crate::manager::settings::Settings;
use crate::manager::sweep;
use crate::manager::watch::{Told, watch};
use crate::manager::witness::Witness;

/// How many passes run at once. Each waits for the API server most of its time.
const PASSES: usize = 64;
/// How long one answer of the API server may take in a pass.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the authority is looked at.
const AUTHORITY: Duration = Duration::from_mins(1);

/// Why a manager could not go on.
#[derive(Debug, Error)]
pub enum Stopped {
    /// There is no clock or no randomness.
    #[error("the machine has no clock or no randomness")]
    Machine,
    /// The authority of the server for permits and results is not there.
    #[error("the authority for permits and results is not there")]
    Authority(#[from] AuthorityProblem),
    /// The server for permits and results cannot show its certificates.
    #[error("the server for permits and results cannot be set up")]
    Names(#[from] ptah_intake::NamesProblem),
}

/// A manager that was set up, and drives nothing yet.
pub struct Manager {
    shared: Arc<Shared>,
    identity: String,
    keeper: Keeper,
    around: cell::Sender<Around>,
    directory: Arc<Mutex<Directory>>,
}

impl std::fmt::Debug for Manager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manager").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl Manager {
    /// Reads or makes what a manager needs before it drives anything.
    ///
    /// # Errors
    /// [`Stopped`]: it cannot begin; nothing but the authority's Secret was written.
    pub async fn open(cluster: Cluster, settings: Settings) -> Result<Self, Stopped> {
        let cluster = cluster.patient(PATIENCE);
        let begun = Begun::now().ok_or(Stopped::Machine)?;
        let keeper = Keeper::open(cluster.client(), cluster.clone(), &settings, begun.now).await?;
        let deliveries = Arc::new(keeper.deliveries(&settings));
        let (lead, policies) = (Lead::new(), Policies::default());
        let shared = Arc::new(Shared { cluster, settings, lead, witness: Witness, policies });
        Ok(Self {
            shared,
            identity: uuid::Uuid::now_v7().to_string(),
            keeper,
            around: cell::Sender::new(Around { deliveries, proven: false }),
            directory: Arc::default(),
        })
    }

    /// Drives every resource until `stop`, and then gives the lead back.
    ///
    /// Dropping it ends everything at once, as a crash would: what was under way is found again by whoever leads next.
    ///
    /// # Errors
    /// [`Stopped`]: a part of it cannot go on.
    pub async fn run(self, listener: TcpListener, stop: impl Future<Output = ()> + Send) -> Result<(), Stopped> {
        let Self { shared, identity, keeper, around, directory } = self;
        let Shared { cluster, settings, lead, witness, .. } = &*shared;
        let gate = Gate { shared: shared.clone(), directory: directory.clone(), around: around.subscribe() };
        let (reviewer, store) = (ClusterReviewer::new(cluster.client()), ClusterStore::new(cluster.client()));
        let witness = witness.clone();
        let intake = Arc::new(Intake::new(reviewer, gate, store).watched(move |note| witness.asked(note)));
        let names = keeper.names();
        let (told, tells) = mpsc::unbounded_channel();
        let election = Election::new(cluster.clone(), &settings.namespace, identity.clone(), lead.clone());
        let ended = tokio::select! {
            () = stop => Ok(()),
            () = election.run() => Ok(()),
            () = watch(cluster.client(), settings.watched.as_ref(), told) => Ok(()),
            () = keep(keeper, &shared, &around) => Ok(()),
            () = prove(&shared, &around) => Ok(()),
            () = tidy(&shared) => Ok(()),
            () = drive(&shared, &directory, around.subscribe(), tells) => Ok(()),
            served = serve(listener, &names, intake, std::future::pending()) => served.map_err(Stopped::from),
        };
        lead.end();
        if let Err(problem) = give_back(cluster, &settings.namespace, &identity).await {
            tracing::warn!(%problem, "the lead was not given back; the next manager waits for it");
        }
        ended
    }
}

/// Keeps the authority.
async fn keep(mut keeper: Keeper, shared: &Shared, around: &cell::Sender<Around>) {
    loop {
        tokio::time::sleep(AUTHORITY).await;
        let Some(begun) = Begun::now() else { continue };
        match keeper.refresh(shared.lead.holds(), begun.now).await {
            Ok(()) => {
                let deliveries = Arc::new(keeper.deliveries(&shared.settings));
                around.send_if_modified(|around| {
                    let is_new = around.deliveries != deliveries;
                    around.deliveries = deliveries;
                    is_new
                });
            }
            Err(problem) => {
                tracing::warn!(why = crate::failure::causes(&problem), "the authority was not looked at");
            }
        }
    }
}

/// Proves the policies, again and again.
async fn prove(shared: &Shared, around: &cell::Sender<Around>) {
    loop {
        let proven = match policies::prove(&shared.cluster, &shared.settings.namespace).await {
            Ok(proven) => proven,
            Err(problem) => {
                tracing::warn!(%problem, "the policies were not proven");
                false
            }
        };
        around.send_if_modified(|around| std::mem::replace(&mut around.proven, proven) != proven);
        tokio::time::sleep(if proven { policies::EVERY } else { policies::AGAIN }).await;
    }
}

/// Removes what nobody needs any more, while this process leads.
async fn tidy(shared: &Shared) {
    loop {
        tokio::time::sleep(shared.settings.tidied).await;
        if !shared.lead.holds() {
            continue;
        }
        if let Err(fault) = Box::pin(sweep::sweep(shared)).await {
            tracing::warn!(why = crate::failure::causes(&fault), "what nobody needs was not all removed");
        }
    }
}

/// Runs passes while this process leads.
async fn drive(
    shared: &Arc<Shared>,
    directory: &Mutex<Directory>,
    around: cell::Receiver<Around>,
    mut tells: mpsc::UnboundedReceiver<Told>,
) {
    let mut queue = Queue::default();
    let mut passes: JoinSet<(Key, Passed)> = JoinSet::new();
    let mut leads = shared.lead.changes();
    loop {
        while passes.len() < PASSES && shared.lead.holds() {
            let Some((key, kept)) = queue.take(Instant::now()) else { break };
            let (shared, around) = (shared.clone(), around.borrow().clone());
            let silent = directory.lock().unwrap_or_else(PoisonError::into_inner).is_silent(&key.uid);
            passes.spawn(async move {
                let passed = Box::pin(shared.look(&key, &around, kept, silent)).await;
                (key, passed)
            });
        }
        let idle = !shared.lead.holds() || passes.len() >= PASSES;
        let due = queue.next().filter(|_| !idle);
        tokio::select! {
            Some(ended) = passes.join_next(), if !passes.is_empty() => match ended {
                Ok((key, passed)) => {
                    queue.done(&key, passed.kept, passed.seen, passed.next, Instant::now());
                }
                Err(problem) => tracing::error!(%problem, "a pass broke off; its resource waits for the next change"),
            },
            Some(told) = tells.recv() => take_in(told, &mut queue, directory),
            changed = leads.changed() => {
                match changed.map(|()| *leads.borrow_and_update()) {
                    Ok(true) => {
                        tracing::info!(resources = queue.len(), "this manager leads");
                        queue.begin_anew(Instant::now());
                    }
                    Ok(false) => tracing::info!("this manager does not lead any more"),
                    Err(_) => {}
                }
            }
            () = sleep_until(due), if due.is_some() => {}
        }
    }
}

async fn sleep_until(due: Option<Instant>) {
    if let Some(due) = due {
        tokio::time::sleep_until(due.into()).await;
    }
}

/// Takes in what a watch told.
fn take_in(told: Told, queue: &mut Queue, directory: &Mutex<Directory>) {
    let mut directory = directory.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    match told {
        Told::Changed(key, version, status) => {
            directory.put(&key, &status);
            queue.changed(&key, version, now);
        }
        // Its pass finds it gone; a run of it may still have to be followed by others.
        Told::Gone(uid) => {
            if let Some(key) = directory.resource(uid.as_str()).cloned() {
                queue.wake(&key, now);
            }
            directory.remove(&uid);
        }
        Told::All(family) => directory.synced(family),
        Told::AllWords => directory.words_synced(),
        Told::Word(resource, object, is_there) => {
            directory.word(&resource, &object, is_there);
            if let Some(key) = directory.resource(&resource) {
                queue.wake(key, now);
            }
        }
        Told::Of(uid) => {
            if let Some(key) = directory.resource(&uid) {
                queue.wake(key, now);
            }
        }
    }
}

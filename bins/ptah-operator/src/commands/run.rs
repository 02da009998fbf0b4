//! `run`: the manager, until it is told to end.

use std::future::Future;
use std::time::Duration;

use ptah_crds::published;
use ptah_mirror::Components;
use ptah_records::operator::latest::ManagerRecord;
use ptah_records::operator::text::{Uid, VersionText};
use ptah_records::operator::whole::Whole;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::look::look;
use crate::arguments::Run;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::manager::{Manager, Settings};

/// How often what nobody needs any more is removed. Nothing waits for it.
const TIDIED: Duration = Duration::from_mins(5);
/// The version of the documents that this manager and its runners exchange.
const PROTOCOL: u64 = 1;

pub(super) async fn run(cluster: &Cluster, flags: &Run) -> Result<(), Failure> {
    crate::logs::install(flags.log_level);
    // Nothing of ours is written, and no task begun, where a newer release wrote what is stored.
    look(cluster, &published()).await?;
    let settings = settings(cluster, flags).await?;
    let listener = TcpListener::bind(flags.listen).await.map_err(Failure::Listen)?;
    let stop = stop().map_err(Failure::Listen)?;
    let stopped = |why| Failure::Stopped(Box::new(why));
    let manager = Manager::open(cluster.clone(), settings).await.map_err(stopped)?;
    Box::pin(manager.run(listener, stop)).await.map_err(stopped)
}

async fn settings(cluster: &Cluster, flags: &Run) -> Result<Settings, Failure> {
    let system = cluster.get("/api/v1/namespaces/kube-system").await?;
    let uid = system.as_ref().and_then(|found| found["metadata"]["uid"].as_str()).unwrap_or_default();
    let cluster = Uid::new(uid).map_err(|_| Failure::Cluster)?;
    let version = VersionText::new(env!("CARGO_PKG_VERSION")).map_err(|_| Failure::Cluster)?;
    Ok(Settings {
        components: Components {
            ptah_version: version.clone(),
            executor_image: flags.runner_image.clone(),
            protocol: Whole::new(PROTOCOL).map_err(|_| Failure::Cluster)?,
        },
        manager: ManagerRecord {
            controller_image: flags.image.clone(),
            controller_revision: version,
            runner_image: flags.runner_image.clone(),
        },
        namespace: flags.namespace.clone(),
        cluster,
        host: flags.host.clone(),
        port: Whole::new(u64::from(flags.port)).map_err(|_| Failure::Cluster)?,
        watched: flags.watch_namespace.clone(),
        tidied: TIDIED,
        two_people: flags.two_people,
    })
}

/// Ends when somebody asks this process to end.
fn stop() -> std::io::Result<impl Future<Output = ()> + Send> {
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
    })
}

//! The life of one Pod.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use k8s_openapi::api::core::v1::Pod;
use tokio::sync::Notify;

use super::mounts::Mounts;
use super::process::{End, Supervisor, fetch, hangs};
use super::status::{Report, Told};
use super::{Played, Shared, Treatment, node};
use crate::world::JSON;

/// Plays a Pod from its scheduling to its end. `bell` rings when it is to go.
pub(super) async fn live(shared: &Shared, pod: &Pod, bell: &Notify) -> Result<()> {
    let (Some(namespace), Some(name), Some(uid)) = (&pod.metadata.namespace, &pod.metadata.name, &pod.metadata.uid)
    else {
        return Ok(());
    };
    let mounts = Mounts::of(pod).with_context(|| format!("{namespace}/{name}"))?;
    let treatment = shared.state().take(mounts.kind());
    let scene = Scene {
        shared,
        uid,
        mounts: &mounts,
        treatment,
        bell,
        report: Report { kubelet: &shared.kubelet, path: format!("/api/v1/namespaces/{namespace}/pods/{name}"), pod },
    };
    let mut released = shared.released.subscribe();
    if treatment == Some(Treatment::HeldBack) {
        tokio::select! {
            _ = released.changed() => {}
            () = bell.notified() => return Ok(()),
        }
    }
    let _slot = tokio::select! {
        slot = shared.slots.acquire() => slot?,
        () = bell.notified() => return Ok(()),
    };
    let script = shared.script(namespace, mounts.spec.resource.name.as_str())?;
    match scene.play(&script, name).await {
        // Whatever failed, failed because it is gone.
        Err(_) if scene.report.is_gone().await? => Ok(()),
        played => played.with_context(|| format!("{namespace}/{name}")),
    }
}

struct Scene<'a> {
    shared: &'a Shared,
    uid: &'a str,
    mounts: &'a Mounts,
    treatment: Option<Treatment>,
    bell: &'a Notify,
    report: Report<'a>,
}

/// Why a Pod ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    ByItself,
    Asked,
    OutOfTime,
}

impl Scene<'_> {
    async fn play(&self, script: &Path, name: &str) -> Result<()> {
        tokio::select! {
            begun = self.begin(script, name) => begun?,
            () = self.bell.notified() => return self.report.remove().await,
        }
        let mut supervisor = self.supervisor(script, "first")?;
        if self.treatment == Some(Treatment::Twice) {
            let second = self.supervisor(script, "second")?;
            return self.twice(supervisor, second).await;
        }
        let cause = self.watch(&mut supervisor).await?;
        let end = supervisor.end().await?;
        self.tell(cause, &end).await?;
        self.played(end);
        // A Pod that ended by itself the API server removes without its kubelet.
        if cause == Cause::Asked { self.report.remove().await } else { Ok(()) }
    }

    /// Two at the same time. The other one goes on after the Pod's end was told.
    async fn twice(&self, mut first: Supervisor, mut second: Supervisor) -> Result<()> {
        tokio::select! {
            ended = first.end() => drop(ended?),
            ended = second.end() => {
                ended?;
                std::mem::swap(&mut first, &mut second);
            }
        }
        let end = first.end().await?;
        self.tell(Cause::ByItself, &end).await?;
        self.played(end);
        self.played(second.end().await?);
        Ok(())
    }

    /// All that comes before the main container.
    async fn begin(&self, script: &Path, name: &str) -> Result<()> {
        node::bind(&self.shared.scheduler, &self.report.path, name, self.uid).await?;
        self.mounts.fill(self.shared, self.report.pod).await?;
        if self.mounts.fetches {
            self.report.fetching().await?;
            fetch(self.shared, self.mounts, script).await?;
        }
        self.report.running().await
    }

    fn supervisor(&self, script: &Path, folder: &str) -> Result<Supervisor> {
        Supervisor::start(self.shared, self.mounts, script, folder, self.uid)
    }

    /// Waits for the supervisor's end, and brings it about where somebody asks for it.
    async fn watch(&self, supervisor: &mut Supervisor) -> Result<Cause> {
        let spec = self.report.pod.spec.as_ref();
        let seconds = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        let deadline = seconds(spec.and_then(|spec| spec.active_deadline_seconds)).map(Duration::from_secs);
        let grace = seconds(spec.and_then(|spec| spec.termination_grace_period_seconds)).unwrap_or(30);
        let strikes = matches!(self.treatment, Some(Treatment::Killed | Treatment::Orphaned));
        let folder = supervisor.folder();
        let cause = tokio::select! {
            ended = supervisor.end() => return ended.map(|_| Cause::ByItself),
            () = hangs(&folder), if strikes => return self.strike(supervisor).await,
            () = self.bell.notified() => Cause::Asked,
            () = tokio::time::sleep(deadline.unwrap_or_default()), if deadline.is_some() => Cause::OutOfTime,
        };
        supervisor.stop(Duration::from_secs(grace)).await?;
        Ok(cause)
    }

    /// Does in the middle what the treatment says.
    async fn strike(&self, supervisor: &mut Supervisor) -> Result<Cause> {
        if self.treatment == Some(Treatment::Killed) {
            supervisor.kill().await?;
            return Ok(Cause::ByItself);
        }
        let gone = format!("{}?gracePeriodSeconds=0", self.report.path);
        self.shared.admin.send("DELETE", &gone, JSON, Vec::new()).await?.accepted(&gone)?;
        // Its node is reached by nobody: it ends when its own time is over.
        supervisor.end().await.map(|_| Cause::ByItself)
    }

    async fn tell(&self, cause: Cause, end: &End) -> Result<()> {
        let told = match (self.treatment, cause) {
            (Some(Treatment::Orphaned), _) => return Ok(()),
            (Some(Treatment::MessageLost), _) => Told::Silent(end),
            (Some(Treatment::EndUnknown), _) => Told::NotFound,
            (_, Cause::OutOfTime) => Told::OutOfTime(end),
            (_, Cause::ByItself | Cause::Asked) => Told::Seen(end),
        };
        self.report.ended(&told).await
    }

    fn played(&self, end: End) {
        let played = Played { pod: self.uid.to_owned(), kind: self.mounts.kind(), exit: end.exit, log: end.log };
        self.shared.state().played.push(played);
    }
}

//! One resource of a scenario: what is done to it, what it looks like, and which Jobs were made for it.

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptah_cluster_tests::scripted::Kind;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Look, Managed};
use crate::objects::collection;
use crate::world::JSON;

/// How long anything may take. The slowest is a run that nobody may create any more: its window and its horizon, 90 seconds; on a busy
/// machine the next one may meet the same end.
const PATIENCE: Duration = Duration::from_mins(5);

/// A resource that was made.
pub(crate) struct Resource<'a> {
    pub(super) managed: &'a Managed,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) uid: String,
    path: String,
}

impl Managed {
    /// Makes a resource.
    pub(crate) async fn make(&self, object: &Value) -> Result<Resource<'_>> {
        let collection = collection(object, &self.namespace)?;
        let made = self.world.admin.create(&collection, object).await?;
        let text = |value: &Value| value.as_str().map(str::to_owned).context("an object without a name");
        let name = text(&made["metadata"]["name"])?;
        let path = format!("{collection}/{name}");
        Ok(Resource { managed: self, kind: text(&made["kind"])?, name, uid: text(&made["metadata"]["uid"])?, path })
    }

    /// What there is of a kind in the namespace.
    pub(crate) async fn list(&self, path: &str) -> Result<Vec<Value>> {
        let found = self.world.admin.get(path).await?;
        found["items"].as_array().cloned().with_context(|| format!("{path} is no list"))
    }

    /// All Jobs that were made for anybody here.
    pub(crate) async fn jobs(&self) -> Result<Vec<Value>> {
        self.list(&format!("/apis/batch/v1/namespaces/{}/jobs", self.namespace)).await
    }
}

impl Resource<'_> {
    /// As it is now.
    pub(crate) async fn get(&self) -> Result<Value> {
        self.managed.world.admin.get(&self.path).await
    }

    /// Changes a part of it.
    pub(crate) async fn edit(&self, patch: &Value) -> Result<()> {
        self.managed.world.admin.merge(&self.path, patch).await.map(drop)
    }

    /// Asks for its deletion, and does not wait for it.
    pub(crate) async fn delete(&self) -> Result<()> {
        self.managed.world.admin.send("DELETE", &self.path, JSON, Vec::new()).await?.accepted(&self.path).map(drop)
    }

    /// Waits until it is gone.
    pub(crate) async fn is_gone(&self) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            let answer = self.managed.world.admin.send("GET", &self.path, JSON, Vec::new()).await?;
            if answer.status == 404 {
                return Ok(());
            }
            self.go_on("its end", end, &answer.body).await?;
        }
    }

    /// Waits until it looks so, and gives its status.
    pub(crate) async fn shows(&self, look: Look) -> Result<Value> {
        self.reaches(&format!("{look:?}"), |status| look.is(status)).await
    }

    /// Waits until its status is as wanted, and gives that.
    pub(crate) async fn reaches(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let end = Instant::now() + PATIENCE;
        loop {
            let object = self.get().await?;
            if wanted(&object["status"]) {
                return Ok(object["status"].clone());
            }
            self.go_on(what, end, &object["status"]).await?;
        }
    }

    /// A pause, if there is still something to be waited for.
    async fn go_on(&self, what: &str, end: Instant, found: &Value) -> Result<()> {
        let over = Instant::now() > end;
        if over || self.managed.has_lost_a_manager() {
            let why = if over { "in time" } else { "before a manager ended" };
            let played = self.managed.player.played();
            bail!("{}: {what} did not come {why}; {:#}; played: {played:?}", self.name, brief(found));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        Ok(())
    }

    /// Waits until it was read once more, from the beginning to the end, and looks so.
    pub(crate) async fn shows_after_a_reading(&self, look: Look) -> Result<Value> {
        let before = self.get().await?["status"]["target"]["lastObservedAt"].clone();
        let newer = |status: &Value| status["target"]["lastObservedAt"].as_str() > before.as_str();
        self.reaches(&format!("a reading, and {look:?}"), |status| newer(status) && look.is(status)).await
    }

    /// The Jobs of a kind that were made for it. They are kept for minutes, so none is missed.
    pub(crate) async fn jobs(&self, kind: Kind) -> Result<usize> {
        let component = match kind {
            Kind::Refresh => "refresh",
            Kind::Settle => "settle",
            Kind::Apply => "apply",
        };
        let mut count = 0;
        for job in self.managed.jobs().await? {
            let metadata = &job["metadata"];
            let is_of_it = metadata["annotations"]["operator.ptah.run/resource-uid"] == self.uid.as_str();
            if !is_of_it || metadata["labels"]["app.kubernetes.io/component"] != component {
                continue;
            }
            count += 1;
            let is_owned = metadata["ownerReferences"].is_array();
            ensure!(is_owned == (kind != Kind::Apply), "who owns the Job: {metadata:#}");
        }
        Ok(count)
    }

    /// Waits until so many Jobs of a kind were made for it, and sees to it that there are not more.
    pub(crate) async fn has_applied(&self, times: usize) -> Result<()> {
        let found = self.jobs(Kind::Apply).await?;
        ensure!(found == times, "{}: {found} Apply Jobs and not {times}", self.name);
        Ok(())
    }
}

/// What of a status says where it stands.
fn brief(status: &Value) -> Value {
    let ready = status["conditions"].as_array().into_iter().flatten().find(|one| one["type"] == "Ready");
    let mut brief = json!({ "phase": status["phase"], "reason": ready.map(|ready| &ready["reason"]) });
    for (part, fields) in [
        ("activeOperation", &["type", "id", "jobUID", "startedBy"][..]),
        ("lastRun", &["operationID", "outcome", "code"]),
        ("resolvedRun", &["operationID", "resolution"]),
        ("plan", &["uid"]),
        ("pendingObservation", &["operationID", "outcome", "attempts", "lastAnswer"]),
        ("unresolvedRun", &["operationID", "outcome", "attempts", "lastAnswer"]),
        ("failures", &["count"]),
    ] {
        for field in fields.iter().filter(|field| !status[part][*field].is_null()) {
            brief[part][*field] = status[part][*field].clone();
        }
    }
    brief
}

//! What the kubelet says about a Pod.

use anyhow::Result;
use k8s_openapi::api::core::v1::{Container, Pod};
use serde_json::{Value, json};

use super::node::now;
use super::process::End;
use crate::world::{JSON, MERGE, User};

/// The most that a kubelet reads of a termination message, in bytes.
const MESSAGE: usize = 4096;
/// What the kernel's SIGKILL looks like from outside.
const KILLED: i32 = 137;

/// How the main container ended, as it is told.
pub(super) enum Told<'a> {
    /// As it did.
    Seen(&'a End),
    /// As it did, but for its message.
    Silent(&'a End),
    /// The container is not found any more.
    NotFound,
    /// Its time was over.
    OutOfTime(&'a End),
}

/// A Pod as the kubelet writes it.
pub(super) struct Report<'a> {
    pub(super) kubelet: &'a User,
    pub(super) path: String,
    pub(super) pod: &'a Pod,
}

impl Report<'_> {
    /// Its containers of the beginning run.
    pub(super) async fn fetching(&self) -> Result<()> {
        let running = json!({ "running": { "startedAt": now()? } });
        let waiting = json!({ "waiting": { "reason": "PodInitializing" } });
        self.write(json!({
            "phase": "Pending",
            "startTime": now()?,
            "initContainerStatuses": self.all(true, &running),
            "containerStatuses": self.all(false, &waiting),
        }))
        .await
    }

    /// Its main container runs.
    pub(super) async fn running(&self) -> Result<()> {
        let running = json!({ "running": { "startedAt": now()? } });
        let ended = terminated(0, "Completed", "")?;
        self.write(json!({
            "phase": "Running",
            "startTime": now()?,
            "initContainerStatuses": self.all(true, &ended),
            "containerStatuses": self.all(false, &running),
        }))
        .await
    }

    /// Its main container ended.
    pub(super) async fn ended(&self, told: &Told<'_>) -> Result<()> {
        let exit = |end: &End| end.exit.unwrap_or(KILLED);
        let reason = |end: &End| if exit(end) == 0 { "Completed" } else { "Error" };
        let (code, state) = match told {
            Told::Seen(end) | Told::OutOfTime(end) => {
                let message = end.message.get(..MESSAGE).unwrap_or(&end.message);
                (exit(end), terminated(exit(end), reason(end), message)?)
            }
            Told::Silent(end) => (exit(end), terminated(exit(end), reason(end), "")?),
            Told::NotFound => {
                let message = "The container could not be located when the pod was terminated";
                (KILLED, terminated(KILLED, "ContainerStatusUnknown", message)?)
            }
        };
        let is_late = matches!(told, Told::OutOfTime(_));
        let mut status = json!({
            "phase": if code == 0 && !is_late { "Succeeded" } else { "Failed" },
            "containerStatuses": self.all(false, &state),
        });
        if is_late {
            status["reason"] = json!("DeadlineExceeded");
        }
        self.write(status).await
    }

    /// Removes the Pod, whose containers have ended.
    pub(super) async fn remove(&self) -> Result<()> {
        let body = json!({ "gracePeriodSeconds": 0, "preconditions": { "uid": self.pod.metadata.uid } });
        let answer = self.kubelet.send("DELETE", &self.path, JSON, body.to_string().into_bytes()).await?;
        // Another Pod of that name, or none.
        if answer.status == 409 || answer.status == 404 { Ok(()) } else { answer.accepted("removing").map(drop) }
    }

    /// Whether the Pod is not there any more, or another one of its name is.
    pub(super) async fn is_gone(&self) -> Result<bool> {
        let answer = self.kubelet.send("GET", &self.path, JSON, Vec::new()).await?;
        let uid = self.pod.metadata.uid.as_deref();
        Ok(answer.status == 404 || answer.status == 200 && answer.body["metadata"]["uid"].as_str() != uid)
    }

    async fn write(&self, status: Value) -> Result<()> {
        let patch = json!({ "metadata": { "uid": self.pod.metadata.uid }, "status": status });
        let path = format!("{}/status", self.path);
        let answer = self.kubelet.send("PATCH", &path, MERGE, patch.to_string().into_bytes()).await?;
        // Another Pod of that name, or none: there is nobody left to speak of.
        if answer.status == 409 || answer.status == 404 { Ok(()) } else { answer.accepted(&path).map(drop) }
    }

    /// Every container of a kind in one state.
    fn all(&self, init: bool, state: &Value) -> Value {
        let spec = self.pod.spec.as_ref();
        let containers: Vec<&Container> = if init {
            spec.iter().flat_map(|spec| spec.init_containers.iter().flatten()).collect()
        } else {
            spec.iter().flat_map(|spec| &spec.containers).collect()
        };
        let one = |container: &&Container| {
            let image = container.image.as_deref().unwrap_or_default();
            let runs = !state["running"].is_null();
            json!({
                "name": container.name, "image": image, "imageID": image, "restartCount": 0,
                "ready": runs && !init, "started": runs, "state": state,
            })
        };
        containers.iter().map(one).collect()
    }
}

fn terminated(exit: i32, reason: &str, message: &str) -> Result<Value> {
    let at = now()?;
    let mut state = json!({ "exitCode": exit, "reason": reason, "startedAt": at, "finishedAt": at });
    if !message.is_empty() {
        state["message"] = json!(message);
    }
    Ok(json!({ "terminated": state }))
}

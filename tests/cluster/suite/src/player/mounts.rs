//! What a Pod mounts, on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use k8s_openapi::api::core::v1::{ConfigMap, ConfigMapProjection, Pod, Volume};
use ptah_cluster_tests::scripted::Kind;
use ptah_records::operator::latest::OperationSpec;
use ptah_records::operator::names::{OPERATION, RESULT_AUDIENCE};
use ptah_records::operator::seal;
use serde_json::{Value, json};

use super::Shared;
use crate::wait::until;
use crate::world::JSON;

/// The disk of one Pod. It goes with this.
pub(super) struct Mounts {
    folder: tempfile::TempDir,
    /// The operation.
    pub(super) spec: OperationSpec,
    /// Whether a container fetches before the main one.
    pub(super) fetches: bool,
}

impl Mounts {
    /// The operation alone: what a Pod says before anything is mounted.
    pub(super) fn of(pod: &Pod) -> Result<Self> {
        let text = pod.metadata.annotations.as_ref().and_then(|all| all.get(OPERATION));
        let text = text.context("the Pod has no operation")?;
        let spec: OperationSpec = seal::read(text.as_bytes()).context("the Pod's operation")?;
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("operation.json"), text)?;
        for name in ["source", "content", "first", "second"] {
            std::fs::create_dir(folder.path().join(name))?;
        }
        let fetches = pod.spec.as_ref().is_some_and(|spec| spec.init_containers.iter().flatten().next().is_some());
        Ok(Self { folder, spec, fetches })
    }

    /// The kind of the operation.
    pub(super) fn kind(&self) -> Kind {
        Kind::of(&self.spec)
    }

    /// A file or folder of it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Fetches the token and what was staged. A kubelet waits for what is not there yet, and so does this.
    pub(super) async fn fill(&self, shared: &Shared, pod: &Pod) -> Result<()> {
        let token = until("the Pod's token", || async { Ok(token(shared, pod).await.ok()) }).await?;
        std::fs::write(self.path("token"), token)?;
        for volume in pod.spec.iter().flat_map(|spec| spec.volumes.iter().flatten()) {
            if ["plan", "desired"].contains(&volume.name.as_str()) {
                for source in sources(volume) {
                    stage(shared, pod, source, &self.path("content")).await?;
                }
            }
        }
        Ok(())
    }
}

fn sources(volume: &Volume) -> impl Iterator<Item = &ConfigMapProjection> {
    let projected = volume.projected.iter().flat_map(|projected| projected.sources.iter().flatten());
    projected.filter_map(|source| source.config_map.as_ref())
}

/// A token of this Pod, as the kubelet asks for it.
async fn token(shared: &Shared, pod: &Pod) -> Result<String> {
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let account = pod.spec.as_ref().and_then(|spec| spec.service_account_name.as_deref()).unwrap_or("default");
    let bound = json!({
        "apiVersion": "v1", "kind": "Pod", "name": pod.metadata.name, "uid": pod.metadata.uid,
    });
    let request = json!({
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": { "audiences": [RESULT_AUDIENCE], "expirationSeconds": 3600, "boundObjectRef": bound },
    });
    let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token");
    let answer = shared.kubelet.create(&path, &request).await?;
    answer["status"]["token"].as_str().map(str::to_owned).context("an answer without a token")
}

/// Writes the keys of a ConfigMap into a folder, under the paths that the volume gives them.
async fn stage(shared: &Shared, pod: &Pod, source: &ConfigMapProjection, folder: &Path) -> Result<()> {
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/{}", source.name);
    if source.optional == Some(true) && shared.kubelet.send("GET", &path, JSON, Vec::new()).await?.status == 404 {
        return Ok(());
    }
    let found: Value =
        until(&format!("the ConfigMap {}", source.name), || async { Ok(shared.kubelet.get(&path).await.ok()) }).await?;
    let found: ConfigMap = serde_json::from_value(found)?;
    let texts = found.data.unwrap_or_default().into_iter().map(|(key, text)| (key, text.into_bytes()));
    let binaries = found.binary_data.unwrap_or_default().into_iter().map(|(key, bytes)| (key, bytes.0));
    let all: BTreeMap<String, Vec<u8>> = texts.chain(binaries).collect();
    let Some(items) = &source.items else {
        for (key, bytes) in &all {
            std::fs::write(folder.join(key), bytes)?;
        }
        return Ok(());
    };
    for item in items {
        let bytes = all.get(&item.key).with_context(|| format!("{} has no {}", source.name, item.key))?;
        std::fs::write(folder.join(&item.path), bytes)?;
    }
    Ok(())
}

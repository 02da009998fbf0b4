//! The cluster of a run, as its scenarios see it: users, namespaces, and the operator's executable.

use std::path::PathBuf;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use http::Request;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use ptah_admission::cases::Actor;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

pub(crate) const JSON: &str = "application/json";
pub(crate) const APPLY: &str = "application/apply-patch+yaml";
pub(crate) const MERGE: &str = "application/merge-patch+json";

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// The cluster of a run.
#[derive(Clone)]
pub(crate) struct World {
    config: Config,
    kubeconfig: PathBuf,
    operator: PathBuf,
    namespaces: Arc<AtomicUsize>,
    /// That the policies are installed, where nobody changes them any more.
    pub(crate) policies: Arc<OnceCell<()>>,
    /// Who has every right and writes as the cluster's administrator.
    pub(crate) admin: User,
}

/// Somebody whom the API server knows.
#[derive(Clone)]
pub(crate) struct User {
    client: Client,
}

/// What the API server answered.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl World {
    /// The cluster of a kubeconfig. It has to answer, and to be on this machine: the scenarios are no guests.
    pub(crate) async fn connect(kubeconfig: PathBuf, operator: PathBuf) -> Result<Self> {
        let read = Kubeconfig::read_from(&kubeconfig)?;
        let mut config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await?;
        ensure!(
            config.cluster_url.host() == Some("127.0.0.1"),
            "the cluster is not on this machine; run `make test-cluster`"
        );
        // The cluster is on this machine, whatever a machine sends elsewhere.
        config.proxy_url = None;
        // What is asked here is asked once, as the operator does.
        config.default_retry = false;
        let admin = User { client: Client::try_from(config.clone())? };
        admin.get("/readyz?verbose").await.context("the API server does not answer")?;
        Ok(Self { config, kubeconfig, operator, namespaces: Arc::default(), policies: Arc::default(), admin })
    }

    /// One of the users of the admission cases, by impersonation: to the API server it is that user.
    pub(crate) fn user(&self, actor: Actor) -> Result<User> {
        self.impersonating(actor.user(), actor.groups())
    }

    /// Any user, by impersonation.
    pub(crate) fn impersonating(&self, user: &str, groups: &[&str]) -> Result<User> {
        Ok(User { client: Client::try_from(self.config(user, groups))? })
    }

    /// The way in of a user.
    pub(crate) fn config(&self, user: &str, groups: &[&str]) -> Config {
        let mut config = self.config.clone();
        config.auth_info.impersonate = Some(user.to_owned());
        let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        config.auth_info.impersonate_groups = (!groups.is_empty()).then_some(groups);
        config
    }

    /// A kubeconfig by which a program is one of the users; where it is.
    pub(crate) fn kubeconfig(&self, actor: Actor) -> Result<String> {
        let text = std::fs::read_to_string(&self.kubeconfig)?;
        let user = text.replacen("  user:\n", &format!("  user:\n    as: \"{}\"\n", actor.user()), 1);
        let path = format!("{}.{actor:?}", self.kubeconfig.display());
        std::fs::write(&path, user)?;
        Ok(path)
    }

    /// A new namespace. It is left behind: the cluster ends with the run, and deleting takes seconds.
    pub(crate) async fn namespace(&self, labels: Value) -> Result<String> {
        let name = format!("test-{}", self.namespaces.fetch_add(1, Ordering::Relaxed));
        let body = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "labels": labels } });
        self.admin.create("/api/v1/namespaces", &body).await?;
        Ok(name)
    }

    /// Another program that is built beside the operator's.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.operator.with_file_name(name)
    }

    /// Runs the operator's executable, with a fault where one is named.
    pub(crate) async fn operator(&self, arguments: &[&str], fault: &str) -> Result<Output> {
        let mut command = tokio::process::Command::new(&self.operator);
        for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            command.env_remove(name);
        }
        let running = command
            .args(arguments)
            .env("KUBECONFIG", &self.kubeconfig)
            .env("PTAH_FAULT", fault)
            .kill_on_drop(true)
            .output();
        tokio::time::timeout(PATIENCE, running)
            .await
            .context("the operator did not end")?
            .context("the operator did not start")
    }
}

impl User {
    /// A client that asks as this user.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// One request, with its answer, whatever it is.
    pub(crate) async fn send(&self, method: &str, path: &str, content_type: &str, body: Vec<u8>) -> Result<Answer> {
        let request =
            Request::builder().method(method).uri(path).header("content-type", content_type).body(Body::from(body))?;
        let call = async {
            let response = self.client.send(request).await?;
            let status = response.status().as_u16();
            let bytes = response.into_body().collect_bytes().await?;
            anyhow::Ok((status, bytes))
        };
        let answered = tokio::time::timeout(PATIENCE, call).await;
        let (status, bytes) = answered.with_context(|| format!("{method} {path} was not answered"))??;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Answer { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::String(text)) })
    }

    /// What is at a path; it has to be there.
    pub(crate) async fn get(&self, path: &str) -> Result<Value> {
        self.send("GET", path, JSON, Vec::new()).await?.accepted(path)
    }

    /// Creates an object; it has to be accepted.
    pub(crate) async fn create(&self, path: &str, object: &Value) -> Result<Value> {
        self.try_create(path, object).await?.accepted(path)
    }

    /// Creates an object, whatever the answer is.
    pub(crate) async fn try_create(&self, path: &str, object: &Value) -> Result<Answer> {
        self.send("POST", path, JSON, object.to_string().into_bytes()).await
    }

    /// Changes parts of an object; it has to be accepted.
    pub(crate) async fn merge(&self, path: &str, patch: &Value) -> Result<Value> {
        self.send("PATCH", path, MERGE, patch.to_string().into_bytes()).await?.accepted(path)
    }

    /// Applies what a file holds, as `kubectl apply --server-side` does; it has to be accepted.
    pub(crate) async fn apply(&self, path: &str, text: &str) -> Result<Value> {
        let path = format!("{path}?fieldManager=kubectl&force=true");
        self.send("PATCH", &path, APPLY, text.as_bytes().to_vec()).await?.accepted(&path)
    }

    /// Deletes an object and waits until it is gone; it may have been absent.
    pub(crate) async fn delete(&self, path: &str) -> Result<()> {
        let answer = self.send("DELETE", path, JSON, Vec::new()).await?;
        if answer.status != 404 {
            answer.accepted(path)?;
        }
        crate::wait::until(&format!("the end of {path}"), || async {
            Ok((self.send("GET", path, JSON, Vec::new()).await?.status == 404).then_some(()))
        })
        .await
    }
}

impl Answer {
    /// What was answered, if that is what was wanted.
    pub(crate) fn accepted(self, call: &str) -> Result<Value> {
        if (200..300).contains(&self.status) {
            return Ok(self.body);
        }
        bail!("{call} was answered with {}: {}", self.status, self.message())
    }

    /// The API server's own words.
    pub(crate) fn message(&self) -> &str {
        self.body["message"].as_str().or(self.body.as_str()).unwrap_or_default()
    }
}

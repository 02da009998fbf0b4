//! What an installation decides: the parameters of the policies, as a `ConfigMap`.
//!
//! Policies read it through a cache of the API server, so a change holds a moment later. Whoever may write it decides what
//! the policies allow: only an administrator should.

use serde_json::{Value, json};

/// The names of what an installation puts into the cluster.
pub mod names {
    /// The namespace of the manager, of its Leases and of the settings.
    pub const NAMESPACE: &str = "ptah-system";
    /// The name of the manager's service account, roles, Service and Deployment.
    pub const OPERATOR: &str = "ptah-operator";
    /// The Secret with the manager's keys for permits and results.
    pub const AUTHORITY: &str = "ptah-operator-results";
    /// The `ConfigMap` with the settings.
    pub const SETTINGS: &str = "ptah-admission";
    /// The manager's service account, as a user.
    pub const MANAGER: &str = "system:serviceaccount:ptah-system:ptah-operator";
    /// The controller that makes Pods of Jobs, as a user.
    pub const JOB_CONTROLLER: &str = "system:serviceaccount:kube-system:job-controller";
    /// The controller that removes what lost its owner, as a user.
    pub const GARBAGE_COLLECTOR: &str = "system:serviceaccount:kube-system:generic-garbage-collector";
    /// The controller that empties a namespace that is being deleted, as a user.
    pub const NAMESPACE_CONTROLLER: &str = "system:serviceaccount:kube-system:namespace-controller";
    /// The group of all kubelets.
    pub const NODES: &str = "system:nodes";
    /// How the user name of every service account begins.
    pub const SERVICE_ACCOUNTS: &str = "system:serviceaccount:";
}

/// The parameters of the policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The user name of the manager.
    pub manager: String,
    /// Service accounts that may approve, acknowledge and automate where a role lets them; by user name. Empty unless an
    /// administrator trusts a robot with it: a role with `*` holds every verb, and many robots have one.
    pub trusted: Vec<String>,
    /// The images that operation Jobs may run, by digest. Empty means none, until an installation says which.
    pub images: Vec<String>,
    /// The one command that their containers may run.
    pub command: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            manager: names::MANAGER.to_owned(),
            trusted: Vec::new(),
            images: Vec::new(),
            command: "/ptah-runner".to_owned(),
        }
    }
}

impl Settings {
    /// The `ConfigMap`: a list has one entry a line.
    pub fn config_map(&self) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "name": names::SETTINGS, "namespace": names::NAMESPACE },
            "data": {
                "manager": self.manager,
                "trusted": self.trusted.join("\n"),
                "images": self.images.join("\n"),
                "command": self.command,
            },
        })
    }
}

/// How a binding names the settings: without them everything is refused.
pub(crate) fn settings() -> Value {
    json!({ "name": names::SETTINGS, "namespace": names::NAMESPACE, "parameterNotFoundAction": "Deny" })
}

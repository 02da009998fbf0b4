//! What runs in the manager's namespace: its Pods, and what lets others reach them.
//!
//! Images are placeholders: no registry would take them for a name, so what was not filled in does not start.

use serde_json::{Value, json};

use crate::settings::names;

/// Stands where the image of the operator has to, by digest.
pub const OPERATOR_IMAGE: &str = "OPERATOR-IMAGE-BY-DIGEST";
/// Stands where the image of the runner has to, by digest.
pub const RUNNER_IMAGE: &str = "RUNNER-IMAGE-BY-DIGEST";

/// The user of the processes: no user of a node has this number.
const USER: u32 = 65_532;
/// The port for permits and results.
const RESULTS: u16 = 8443;

/// The manager's namespace. Nothing in it needs a privilege.
pub(crate) fn namespace() -> Value {
    let level = "restricted";
    json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": names::NAMESPACE,
            "labels": {
                "pod-security.kubernetes.io/enforce": level,
                "pod-security.kubernetes.io/audit": level,
                "pod-security.kubernetes.io/warn": level,
            },
        },
    })
}

/// How the manager is reached, and how its renewals get through.
pub(crate) fn network() -> Vec<Value> {
    vec![
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata(),
            "spec": {
                "selector": labels(),
                // Every replica takes results, also one that does not lead.
                "ports": [{ "name": "results", "port": RESULTS, "targetPort": "results" }],
            },
        }),
        json!({
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": metadata(),
            // Runs that end while nobody takes their result wait, and their permits run out.
            "spec": { "minAvailable": 1, "selector": { "matchLabels": labels() } },
        }),
        renewals(),
    ]
}

/// Renewals of Leases are not queued behind the manager's lists: a lead and a hold that are not renewed in time are lost.
fn renewals() -> Value {
    json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": { "name": "ptah-operator-renewals" },
        "spec": {
            // Before `service-accounts` (9000) and `workload-leader-election` (200), which names other accounts.
            "matchingPrecedence": 190,
            "distinguisherMethod": { "type": "ByUser" },
            "priorityLevelConfiguration": { "name": "leader-election" },
            "rules": [{
                "subjects": [{
                    "kind": "ServiceAccount",
                    "serviceAccount": { "name": names::OPERATOR, "namespace": names::NAMESPACE },
                }],
                "resourceRules": [{
                    "apiGroups": ["coordination.k8s.io"],
                    "resources": ["leases"],
                    "verbs": ["get", "create", "update"],
                    "namespaces": [names::NAMESPACE],
                }],
            }],
        },
    })
}

/// The manager's Pods.
pub(crate) fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(),
        "spec": {
            "replicas": 2,
            "selector": { "matchLabels": labels() },
            "template": { "metadata": { "labels": labels() }, "spec": pod() },
        },
    })
}

fn pod() -> Value {
    json!({
        "serviceAccountName": names::OPERATOR,
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": USER,
            "runAsGroup": USER,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "topologySpreadConstraints": [{
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": { "matchLabels": labels() },
        }],
        "containers": [container()],
    })
}

fn container() -> Value {
    let variable = |name: &str, value: &str| json!({ "name": name, "value": value });
    json!({
        "name": "manager",
        "image": OPERATOR_IMAGE,
        "command": ["/ptah-operator"],
        "args": ["run"],
        "env": [
            variable("PTAH_IMAGE", OPERATOR_IMAGE),
            variable("PTAH_RUNNER_IMAGE", RUNNER_IMAGE),
            variable("PTAH_HOST", &host()),
            variable("PTAH_PORT", &RESULTS.to_string()),
        ],
        "ports": [{ "name": "results", "containerPort": RESULTS }],
        // What takes connections takes results, whether it leads or not. What cannot go on ends by itself.
        "readinessProbe": { "tcpSocket": { "port": "results" } },
        "resources": { "requests": { "cpu": "100m", "memory": "128Mi" }, "limits": { "memory": "512Mi" } },
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"] },
        },
    })
}

/// The name at which Pods reach the manager: that of its Service.
fn host() -> String {
    format!("{}.{}.svc", names::OPERATOR, names::NAMESPACE)
}

fn metadata() -> Value {
    json!({ "name": names::OPERATOR, "namespace": names::NAMESPACE, "labels": labels() })
}

fn labels() -> Value {
    json!({ "app.kubernetes.io/name": names::OPERATOR })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_are_told_the_name_of_the_service_and_its_port() {
        let service = &network()[0];
        let name = |field: &str| service["metadata"][field].as_str().unwrap_or_default().to_owned();
        let env = container()["env"].clone();
        let told = |wanted: &str| {
            let one = env.as_array().into_iter().flatten().find(|one| one["name"] == wanted);
            one.and_then(|one| one["value"].as_str()).unwrap_or_default().to_owned()
        };
        assert_eq!(told("PTAH_HOST"), format!("{}.{}.svc", name("name"), name("namespace")));
        assert_eq!(told("PTAH_PORT"), service["spec"]["ports"][0]["port"].to_string());
    }

    #[test]
    fn what_reaches_the_manager_selects_its_pods() {
        let template = deployment()["spec"]["template"]["metadata"]["labels"].clone();
        assert_eq!(deployment()["spec"]["selector"]["matchLabels"], template);
        assert_eq!(network()[0]["spec"]["selector"], template);
        assert_eq!(network()[1]["spec"]["selector"]["matchLabels"], template);
    }

    #[test]
    fn the_image_that_runs_is_the_one_that_is_noted() {
        assert_eq!(container()["image"], container()["env"][0]["value"]);
    }
}

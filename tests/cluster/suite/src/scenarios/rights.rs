//! The manager's rights, on a real API server: what its roles give, and nothing else.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use ptah_admission::cases::Actor;
use ptah_admission::{Right, Scope, names, rights};
use serde_json::{Value, json};

use super::Scenario;
use super::admission::{apply, apply_files, install, only_its_rights};
use crate::objects::{objects, text};
use crate::wait::until;
use crate::world::{JSON, User, World};

const VERBS: [&str; 8] = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/// What a thief would ask for, whatever the manager's roles name: group and resource.
const TEMPTING: [(&str, &str); 18] = [
    ("", "secrets"),
    ("", "pods/exec"),
    ("", "pods/attach"),
    ("", "pods/portforward"),
    ("", "pods/log"),
    ("", "pods/ephemeralcontainers"),
    ("", "serviceaccounts"),
    ("", "serviceaccounts/token"),
    ("", "nodes"),
    ("", "nodes/proxy"),
    ("", "events"),
    ("apps", "deployments"),
    ("batch", "cronjobs"),
    ("certificates.k8s.io", "certificatesigningrequests"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("operator.ptah.run", "ptahrealms/status"),
];

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        ("rights_one_file_installs_everything_and_its_pods_are_admitted", |world| Box::pin(installs(world))),
        ("rights_the_manager_has_what_its_roles_say_and_nothing_else", |world| Box::pin(both_ways(world))),
        ("rights_what_the_roles_lack_is_refused_when_it_is_tried", |world| Box::pin(tried(world))),
    ]
}

/// The Pods of the Deployment stay without a node here; that they exist says that the namespace's level admits them.
async fn installs(world: World) -> Result<()> {
    install(&world).await?;
    for object in objects(&text("deploy/install.yaml")?)? {
        apply(&world.admin, &object).await?;
    }
    apply_files(&world, "deploy/operator").await?;
    let pods =
        format!("/api/v1/namespaces/{}/pods?labelSelector=app.kubernetes.io%2Fname%3Dptah-operator", names::NAMESPACE);
    until("the two Pods of the manager", || async {
        let found = world.admin.get(&pods).await?;
        Ok((found["items"].as_array().map(Vec::len) == Some(2)).then_some(()))
    })
    .await?;
    let deployment = format!("/apis/apps/v1/namespaces/{}/deployments/{}", names::NAMESPACE, names::OPERATOR);
    world.admin.delete(&format!("{deployment}?propagationPolicy=Background")).await?;
    install(&world).await
}

async fn both_ways(world: World) -> Result<()> {
    install(&world).await?;
    let other = world.namespace(json!({ "operator.ptah.run/enabled": "true" })).await?;
    only_its_rights(&world, names::NAMESPACE).await?;
    let manager = world.user(Actor::Manager)?;
    let rights = rights();
    let mut resources: BTreeSet<(&str, &str)> = TEMPTING.into();
    resources.extend(rights.iter().flat_map(|right| right.resources.iter().map(|resource| (right.group, *resource))));
    println!("{:<32} {:<34} {:<18} {:<12} {:<9} SEEN", "GROUP", "RESOURCE", "VERB", "WHERE", "EXPECTED");
    let (mut asked, mut broken) = (0, Vec::new());
    for (group, resource) in resources {
        for namespace in [names::NAMESPACE, &other] {
            for object in named(&rights, resource) {
                for verb in VERBS {
                    let question = Question { group, resource, object, namespace, verb };
                    let (expected, seen) = (question.expected(&rights), question.ask(&manager).await?);
                    asked += 1;
                    if expected || seen {
                        println!("{question} {:<9} {}", word(expected), word(seen));
                    }
                    if expected != seen {
                        broken.push(format!("{question} {}", word(seen)));
                    }
                }
            }
        }
    }
    println!("{asked} questions; those that are not in the table were refused, as expected");
    ensure!(broken.is_empty(), "{} were otherwise:\n{}", broken.len(), broken.join("\n"));
    install(&world).await
}

/// The objects to ask about: any, and those that a right is for.
fn named(rights: &[Right], resource: &str) -> BTreeSet<&'static str> {
    let of = rights.iter().filter(|right| right.resources.contains(&resource)).flat_map(|right| right.objects);
    of.copied().chain([""]).collect()
}

/// Whether the manager may do one thing.
struct Question<'a> {
    group: &'a str,
    resource: &'a str,
    object: &'a str,
    namespace: &'a str,
    verb: &'a str,
}

impl std::fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.namespace == names::NAMESPACE { "its own" } else { "another" };
        let of = if self.object.is_empty() { String::new() } else { format!(" {}", self.object) };
        write!(f, "{:<32} {:<34} {:<18} {place:<12}", self.group, format!("{}{of}", self.resource), self.verb)
    }
}

impl Question<'_> {
    fn expected(&self, rights: &[Right]) -> bool {
        rights.iter().any(|right| {
            right.group == self.group
                && right.resources.contains(&self.resource)
                && right.verbs.contains(&self.verb)
                && (right.objects.is_empty() || right.objects.contains(&self.object))
                && (right.scope == Scope::Everywhere || self.namespace == names::NAMESPACE)
        })
    }

    async fn ask(&self, manager: &User) -> Result<bool> {
        let (resource, part) = self.resource.split_once('/').unwrap_or((self.resource, ""));
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": { "resourceAttributes": {
                "group": self.group, "resource": resource, "subresource": part, "name": self.object,
                "namespace": self.namespace, "verb": self.verb,
            } },
        });
        let answer = manager.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &review).await?;
        answer["status"]["allowed"].as_bool().context("an access review without an answer")
    }
}

fn word(allowed: bool) -> &'static str {
    if allowed { "allowed" } else { "refused" }
}

/// Real requests: a review says what would be, these say what is.
async fn tried(world: World) -> Result<()> {
    install(&world).await?;
    let other = world.namespace(json!({ "operator.ptah.run/enabled": "true" })).await?;
    only_its_rights(&world, names::NAMESPACE).await?;
    let manager = world.user(Actor::Manager)?;
    let own = names::NAMESPACE;
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "x" } });
    let container = json!({ "name": "x", "image": "registry.acme.test/x:1" });
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "x" }, "spec": { "containers": [container] } });
    let none = Value::Null;
    for (method, path, body, expected) in [
        ("GET", format!("/api/v1/namespaces/{other}/secrets"), &none, 403),
        ("GET", format!("/api/v1/namespaces/{other}/secrets/{}", names::AUTHORITY), &none, 403),
        ("POST", format!("/api/v1/namespaces/{other}/secrets?dryRun=All"), &secret, 403),
        ("GET", format!("/api/v1/namespaces/{own}/secrets"), &none, 403),
        ("GET", format!("/api/v1/namespaces/{own}/secrets/another"), &none, 403),
        ("POST", format!("/api/v1/namespaces/{own}/secrets?dryRun=All"), &secret, 201),
        ("POST", format!("/api/v1/namespaces/{other}/pods?dryRun=All"), &pod, 403),
        ("DELETE", format!("/apis/batch/v1/namespaces/{other}/jobs/x"), &none, 403),
        ("DELETE", format!("/apis/batch/v1/namespaces/{other}/jobs"), &none, 403),
        ("GET", format!("/apis/batch/v1/namespaces/{other}/jobs"), &none, 200),
        ("GET", "/apis/coordination.k8s.io/v1/leases".to_owned(), &none, 200),
        ("GET", format!("/apis/coordination.k8s.io/v1/namespaces/{other}/leases/x"), &none, 403),
        ("GET", "/api/v1/namespaces/kube-system".to_owned(), &none, 200),
        ("GET", "/api/v1/namespaces".to_owned(), &none, 403),
    ] {
        let sent = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let seen = manager.send(method, &path, JSON, sent).await?;
        println!("{method:<7} {expected} {} {path}", seen.status);
        ensure!(seen.status == expected, "{method} {path} was answered with {}: {}", seen.status, seen.message());
    }
    install(&world).await
}

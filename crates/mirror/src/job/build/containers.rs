//! The two containers, and who gets which credential: the one that fetches has the registry's, the other the database's.

use k8s_openapi::api::core::v1::{
    Capabilities, Container, EnvVar, EnvVarSource, ObjectFieldSelector, ResourceRequirements, SecretKeySelector,
    SecurityContext,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as Amount;
use ptah_crds::{Quantity, Resources};
use ptah_records::operator::latest::{RegistryAuth, RegistryAuthMode, SecretKey};
use ptah_records::operator::text::DataKey;

use super::places::{self, Place};
use super::{Artifact, Parts, pod};

/// The one command that admission lets the manager run.
const COMMAND: &str = "/ptah-runner";

/// The container that speaks to the database.
pub(super) fn work(parts: &Parts<'_>, places: &[Place]) -> Container {
    let mut arguments = vec!["supervise", "--operation", places::OPERATION, "--token", places::TOKEN];
    arguments.extend(["--folder", places::WORK, "--message", places::MESSAGE]);
    if parts.artifact().is_some() {
        arguments.extend(["--stage", places::STAGE]);
    }
    arguments.extend(["--", "/ptah-work"]);
    let mut variables = vec![
        secret("PTAH_DB_URL", &parts.claim.access.target.url_from),
        text("HOME", places::SCRATCH),
        text("TMPDIR", places::SCRATCH),
        from("PTAH_POD_UID", pod_uid()),
    ];
    variables.extend(parts.dev().map(|key| secret("PTAH_DEV_URL", key)));
    variables.extend(parts.artifact().map(|_| text("PTAH_SOURCE_FOLDER", places::SOURCE)));
    variables.extend(parts.pieces().map(|pieces| text("PTAH_CONTENT_FOLDER", &places::content(&pieces))));
    let mounts = places.iter().filter_map(|place| place.mount(place.work)).collect();
    Container { args: Some(owned(&arguments)), volume_mounts: Some(mounts), ..container(parts, "ptah", variables) }
}

/// The container that resolves, verifies and fetches.
pub(super) fn fetch(parts: &Parts<'_>, artifact: &Artifact<'_>, places: &[Place]) -> Container {
    let arguments = ["fetch", "--operation", places::OPERATION, "--folder", places::SOURCE, "--", "/ptah-fetch"];
    let mut variables = vec![
        text("HOME", places::SCRATCH),
        text("TMPDIR", places::SCRATCH),
        text("PTAH_VERIFICATION_POLICY_FILE", places::POLICY),
    ];
    variables.extend(artifact.authority.map(|_| text("PTAH_OCI_CA_FILE", places::AUTHORITY)));
    variables.extend(artifact.auth.map(registry).unwrap_or_default());
    let mounts = places.iter().filter_map(|place| place.mount(place.fetch)).collect();
    Container { args: Some(owned(&arguments)), volume_mounts: Some(mounts), ..container(parts, "fetch", variables) }
}

/// What both have in common.
fn container(parts: &Parts<'_>, name: &str, mut variables: Vec<EnvVar>) -> Container {
    variables.sort_by(|one, other| one.name.cmp(&other.name));
    Container {
        command: Some(vec![COMMAND.to_owned()]),
        env: Some(variables),
        image: Some(parts.around.components.executor_image.to_string()),
        image_pull_policy: Some("IfNotPresent".to_owned()),
        name: name.to_owned(),
        resources: Some(resources(&parts.execution().resources)),
        security_context: Some(security()),
        termination_message_path: Some(places::MESSAGE.to_owned()),
        termination_message_policy: Some("File".to_owned()),
        ..Container::default()
    }
}

fn security() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        capabilities: Some(Capabilities { add: None, drop: Some(vec!["ALL".to_owned()]) }),
        privileged: Some(false),
        read_only_root_filesystem: Some(true),
        run_as_group: Some(pod::USER),
        run_as_non_root: Some(true),
        run_as_user: Some(pod::USER),
        seccomp_profile: Some(pod::seccomp()),
        ..SecurityContext::default()
    }
}

fn resources(wanted: &Resources) -> ResourceRequirements {
    let amounts = |of: &std::collections::BTreeMap<String, Quantity>| {
        let amount = |quantity: &Quantity| match quantity {
            Quantity::Number(number) => Amount(number.to_string()),
            Quantity::Text(text) => Amount(text.clone()),
        };
        Some(of.iter().map(|(name, quantity)| (name.clone(), amount(quantity))).collect()).filter(|_| !of.is_empty())
    };
    ResourceRequirements { claims: None, limits: amounts(&wanted.limits), requests: amounts(&wanted.requests) }
}

/// The registry's credentials. Which of the three keys there are is seen by the container alone.
fn registry(auth: &RegistryAuth) -> Vec<EnvVar> {
    if auth.mode == RegistryAuthMode::DockerConfigJSON {
        return vec![text("DOCKER_CONFIG", places::REGISTRY)];
    }
    let one = |name: &str, key: Option<&DataKey>, usual: &str| {
        let key = key.map_or(usual, DataKey::as_str);
        from_secret(name, auth.name.as_str(), key, Some(true))
    };
    vec![
        one("PTAH_OCI_USERNAME", auth.username_key.as_ref(), "username"),
        one("PTAH_OCI_PASSWORD", auth.password_key.as_ref(), "password"),
        one("PTAH_OCI_TOKEN", auth.token_key.as_ref(), "token"),
    ]
}

fn secret(name: &str, SecretKey { name: object, key }: &SecretKey) -> EnvVar {
    from_secret(name, object.as_str(), key.as_str(), None)
}

fn from_secret(name: &str, object: &str, key: &str, optional: Option<bool>) -> EnvVar {
    let selector = SecretKeySelector { key: key.to_owned(), name: object.to_owned(), optional };
    from(name, EnvVarSource { secret_key_ref: Some(selector), ..EnvVarSource::default() })
}

fn pod_uid() -> EnvVarSource {
    EnvVarSource { field_ref: Some(field("metadata.uid")), ..EnvVarSource::default() }
}

/// A field of the Pod itself.
pub(super) fn field(path: &str) -> ObjectFieldSelector {
    ObjectFieldSelector { api_version: Some("v1".to_owned()), field_path: path.to_owned() }
}

fn from(name: &str, source: EnvVarSource) -> EnvVar {
    EnvVar { name: name.to_owned(), value: None, value_from: Some(source) }
}

fn text(name: &str, value: &str) -> EnvVar {
    EnvVar { name: name.to_owned(), value: Some(value.to_owned()), value_from: None }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

//! The Job and the template of its Pod, around their containers.

use std::collections::BTreeMap;

use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::{LocalObjectReference, PodSecurityContext, PodSpec, PodTemplateSpec, SeccompProfile};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource as _;
use kube::core::ObjectMeta;
use ptah_crds::{PtahMigration, PtahSchema};
use ptah_lifecycle::{Kind, bounds};
use ptah_records::operator::names::{EVIDENCE, OPERATION, OPERATION_ID, RESOURCE_UID};

use super::{Parts, containers, places};
use crate::job::KEPT_AFTER_HARVEST;
use crate::object::Object;
use crate::write::Unwritable;

/// Who a container runs as, and the group that its files belong to.
pub(super) const USER: i64 = 65_532;
/// How long the Job of a run is kept where nobody takes its result in, in seconds: a week.
const KEPT_AT_MOST: i32 = 7 * 86_400;
/// How long the kubelet waits from SIGTERM to SIGKILL, in seconds.
const GRACE: i64 = 30;
/// The most that our annotations and the owner's may take, in bytes. The API server takes 256 KiB for one object; the rest is
/// for what a cluster adds to its Pods.
const ANNOTATIONS: usize = 240 * 1024;

pub(super) fn job(parts: &Parts<'_>) -> Result<Job, Unwritable> {
    let window = parts.window();
    let apply = parts.kind() == Kind::Apply;
    let metadata = ObjectMeta {
        name: Some(parts.claim.job_name.to_string()),
        namespace: Some(parts.told.namespace.to_string()),
        labels: Some(labels(parts)),
        annotations: Some(marks(parts)),
        // Whoever is deleted takes a reading along. A run is not killed with its resource.
        owner_references: (!apply).then(|| vec![owner(parts)]),
        ..ObjectMeta::default()
    };
    let spec = JobSpec {
        active_deadline_seconds: Some(bounds::job_deadline(window)),
        backoff_limit: Some(0),
        completion_mode: Some("NonIndexed".to_owned()),
        completions: Some(1),
        parallelism: Some(1),
        pod_replacement_policy: Some("Failed".to_owned()),
        suspend: Some(false),
        template: template(parts)?,
        ttl_seconds_after_finished: Some(if apply { KEPT_AT_MOST } else { KEPT_AFTER_HARVEST }),
        ..JobSpec::default()
    };
    Ok(Job { metadata, spec: Some(spec), status: None })
}

fn template(parts: &Parts<'_>) -> Result<PodTemplateSpec, Unwritable> {
    let own = &parts.execution().pod_metadata;
    let mut annotations = own.annotations.clone();
    annotations.extend(marks(parts));
    annotations.insert(OPERATION.to_owned(), parts.document()?);
    if annotations.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>() > ANNOTATIONS {
        return Err(Unwritable::TooLarge);
    }
    let mut all = own.labels.clone();
    all.extend(labels(parts));
    let metadata = ObjectMeta {
        labels: Some(all),
        annotations: Some(annotations),
        // Only of a run is the end kept until it was read: of a reading the result alone counts, and nobody would let it go.
        finalizers: (parts.kind() == Kind::Apply).then(|| vec![EVIDENCE.to_owned()]),
        ..ObjectMeta::default()
    };
    Ok(PodTemplateSpec { metadata: Some(metadata), spec: Some(pod(parts)) })
}

fn pod(parts: &Parts<'_>) -> PodSpec {
    let execution = parts.execution();
    let pull = execution.image_pull_secrets.as_slice();
    let pull: Vec<_> = pull.iter().map(|secret| LocalObjectReference { name: secret.name.to_string() }).collect();
    let account = execution.service_account_name.as_ref().map_or("default", |name| name.as_str());
    let places = places::of(parts);
    PodSpec {
        active_deadline_seconds: Some(bounds::pod_deadline(parts.window())),
        affinity: execution.affinity.clone(),
        automount_service_account_token: Some(false),
        containers: vec![containers::work(parts, &places)],
        dns_policy: Some("ClusterFirst".to_owned()),
        enable_service_links: Some(false),
        image_pull_secrets: filled(pull),
        init_containers: parts.artifact().map(|artifact| vec![containers::fetch(parts, &artifact, &places)]),
        node_selector: Some(execution.node_selector.clone()).filter(|labels| !labels.is_empty()),
        priority_class_name: execution.priority_class_name.as_ref().map(ToString::to_string),
        restart_policy: Some("Never".to_owned()),
        runtime_class_name: execution.runtime_class_name.as_ref().map(ToString::to_string),
        scheduler_name: Some("default-scheduler".to_owned()),
        security_context: Some(security()),
        service_account_name: Some(account.to_owned()),
        termination_grace_period_seconds: Some(GRACE),
        tolerations: filled(execution.tolerations.as_slice().to_vec()),
        volumes: Some(places.into_iter().map(|place| place.volume).collect()),
        ..PodSpec::default()
    }
}

fn security() -> PodSecurityContext {
    PodSecurityContext {
        fs_group: Some(USER),
        fs_group_change_policy: Some("OnRootMismatch".to_owned()),
        run_as_group: Some(USER),
        run_as_non_root: Some(true),
        run_as_user: Some(USER),
        seccomp_profile: Some(seccomp()),
        ..PodSecurityContext::default()
    }
}

pub(super) fn seccomp() -> SeccompProfile {
    SeccompProfile { type_: "RuntimeDefault".to_owned(), ..SeccompProfile::default() }
}

/// A list that is absent where it is empty, as the API server stores it.
pub(super) fn filled<T>(list: Vec<T>) -> Option<Vec<T>> {
    Some(list).filter(|list| !list.is_empty())
}

/// What stands on the Job and on its Pod. The Job of a run has no owner: these tie it to its resource.
fn marks(parts: &Parts<'_>) -> BTreeMap<String, String> {
    let mut marks = BTreeMap::from([
        (OPERATION_ID.to_owned(), parts.told.operation_id.to_string()),
        (RESOURCE_UID.to_owned(), parts.told.resource.uid.to_string()),
    ]);
    if parts.kind() == Kind::Apply {
        marks.insert("cluster-autoscaler.kubernetes.io/safe-to-evict".to_owned(), "false".to_owned());
    }
    marks
}

fn labels(parts: &Parts<'_>) -> BTreeMap<String, String> {
    let component = match parts.kind() {
        Kind::Refresh => "refresh",
        Kind::Settle => "settle",
        Kind::Apply => "apply",
    };
    BTreeMap::from([
        ("app.kubernetes.io/component".to_owned(), component.to_owned()),
        ("app.kubernetes.io/managed-by".to_owned(), "ptah-operator".to_owned()),
        (OPERATION_ID.to_owned(), parts.told.operation_id.to_string()),
    ])
}

fn owner(parts: &Parts<'_>) -> OwnerReference {
    let (kind, api_version) = match parts.object {
        Object::Schema(_) => (PtahSchema::kind(&()), PtahSchema::api_version(&())),
        Object::Migration(_) => (PtahMigration::kind(&()), PtahMigration::api_version(&())),
    };
    OwnerReference {
        api_version: api_version.into_owned(),
        kind: kind.into_owned(),
        name: parts.told.resource.name.to_string(),
        uid: parts.told.resource.uid.to_string(),
        controller: Some(true),
        block_owner_deletion: None,
    }
}

//! A Job and its Pods, as they are stored: what they prove about a run. [`build`](fn@build) makes the Job.
//!
//! A Pod proves less than it seems to. That its phase says it is over is said by a control plane that lost a node, too; that a
//! container ended is believed where the kubelet saw it end, and not where it says that it could not find it any more.

mod build;

use k8s_openapi::api::batch::v1::Job as StoredJob;
use k8s_openapi::api::core::v1::{Container, ContainerStateTerminated, Pod as StoredPod, PodSpec};
use ptah_lifecycle::{Job, Operation, Pod, Reported, Stopped};
use ptah_model::Digest;
use ptah_records::operator::latest::TerminationSummary;
use ptah_records::operator::names::{EVIDENCE, JOB_DIGEST};
use ptah_records::operator::seal;

use crate::frame::{self, About};
use crate::ids;
use crate::object::Unreadable;

pub use build::{Built, build, refresh_digest};

/// How long a Job is kept after its result was taken in, in seconds.
pub const KEPT_AFTER_HARVEST: i32 = 300;
/// The reason under which a kubelet says that a container ended which it only could not find any more.
const NOT_FOUND: &str = "ContainerStatusUnknown";

/// The Job. One without our digest has that of nothing, which no claim names.
///
/// # Errors
/// [`Unreadable`]: it has no UID.
pub fn read(job: &StoredJob) -> Result<Job, Unreadable> {
    let metadata = &job.metadata;
    let digest = metadata.annotations.as_ref().and_then(|all| all.get(JOB_DIGEST)).and_then(|text| text.parse().ok());
    let conditions = job.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    // Not `FailureTarget` and `SuccessCriteriaMet`: those come before its Pods are gone.
    let is_over = |kind: &str, status: &str| matches!(kind, "Complete" | "Failed") && status == "True";
    let ttl = job.spec.as_ref().and_then(|spec| spec.ttl_seconds_after_finished);
    Ok(Job {
        uid: ids::uid(metadata.uid.as_deref().ok_or(Unreadable::Incomplete)?)?,
        digest: digest.unwrap_or_else(|| Digest::of(b"")),
        terminal: conditions.iter().any(|condition| is_over(&condition.type_, &condition.status)),
        expiring: ttl.is_some_and(|seconds| seconds <= KEPT_AFTER_HARVEST),
    })
}

/// A Pod of this Job, whose run is this operation.
///
/// # Errors
/// [`Unreadable`]: it has no UID.
pub fn read_pod(pod: &StoredPod, job: &StoredJob, operation: Operation, about: &About) -> Result<Pod, Unreadable> {
    let metadata = &pod.metadata;
    let uid = ids::uid(metadata.uid.as_deref().ok_or(Unreadable::Incomplete)?)?;
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    let template = job.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    Ok(Pod {
        uid,
        as_built: template.zip(pod.spec.as_ref()).is_some_and(|(template, pod)| is_as_built(template, pod)),
        said_over: matches!(phase, Some("Succeeded" | "Failed")),
        stopped: ended(pod).map(|ends| Stopped { summary: said(&ends, uid, operation, about) }),
        kept: metadata.finalizers.iter().flatten().any(|finalizer| finalizer == EVIDENCE),
    })
}

/// Whether a Pod's process is known to have ended, or to have never begun: the kubelet saw the end of every container, or no node was
/// ever given the Pod and it is over.
pub fn has_stopped(pod: &StoredPod) -> bool {
    let never_placed = pod.spec.as_ref().is_none_or(|spec| spec.node_name.is_none());
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    ended(pod).is_some() || (never_placed && matches!(phase, Some("Succeeded" | "Failed")))
}

/// How each container ended, if the kubelet saw all of them end.
fn ended(pod: &StoredPod) -> Option<Vec<&ContainerStateTerminated>> {
    let containers = &pod.spec.as_ref()?.containers;
    let statuses = pod.status.as_ref()?.container_statuses.as_ref()?;
    let end_of = |container: &Container| {
        let status = statuses.iter().find(|status| status.name == container.name)?;
        status.state.as_ref()?.terminated.as_ref().filter(|end| end.reason.as_deref() != Some(NOT_FOUND))
    };
    let ends: Vec<_> = containers.iter().map(end_of).collect::<Option<_>>()?;
    (!ends.is_empty()).then_some(ends)
}

/// What the one termination message says that is whole and of this Pod.
fn said(
    ends: &[&ContainerStateTerminated],
    pod: ptah_lifecycle::Uid,
    operation: Operation,
    about: &About,
) -> Option<Reported> {
    let mut messages = ends.iter().filter_map(|end| end.message.as_deref());
    let (message, None) = (messages.next()?, messages.next()) else { return None };
    let summary: TerminationSummary = seal::read(message.trim_ascii_end().as_bytes()).ok()?;
    let own = ids::uid(summary.pod_uid.as_str()) == Ok(pod);
    frame::summary(&summary, operation, about).filter(|_| own)
}

/// Whether a Pod runs what its Job's template says: the same containers with the same images, commands, environment, volumes
/// and rights, and none beside them. What schedulers and quotas fill in is not compared.
fn is_as_built(template: &PodSpec, pod: &PodSpec) -> bool {
    let none = Vec::new();
    let inits = |spec: &PodSpec| spec.init_containers.clone().unwrap_or_default();
    containers(&template.containers, &pod.containers)
        && containers(&inits(template), &inits(pod))
        && pod.ephemeral_containers.as_ref().unwrap_or(&none).is_empty()
        && template.volumes == pod.volumes
        && template.security_context == pod.security_context
        && template.service_account_name == pod.service_account_name
        && template.automount_service_account_token == pod.automount_service_account_token
        && template.share_process_namespace == pod.share_process_namespace
        && (template.host_network, template.host_pid, template.host_ipc)
            == (pod.host_network, pod.host_pid, pod.host_ipc)
}

fn containers(template: &[Container], pod: &[Container]) -> bool {
    template.len() == pod.len() && template.iter().zip(pod).all(|(template, pod)| runs_the_same(template, pod))
}

fn runs_the_same(template: &Container, pod: &Container) -> bool {
    template.name == pod.name
        && template.image == pod.image
        && template.command == pod.command
        && template.args == pod.args
        && template.working_dir == pod.working_dir
        && template.env == pod.env
        && template.env_from == pod.env_from
        && template.volume_mounts == pod.volume_mounts
        && template.volume_devices == pod.volume_devices
        && template.security_context == pod.security_context
        && template.lifecycle == pod.lifecycle
        && template.liveness_probe == pod.liveness_probe
        && template.readiness_probe == pod.readiness_probe
        && template.startup_probe == pod.startup_probe
        && template.restart_policy == pod.restart_policy
}

#[cfg(test)]
mod tests;

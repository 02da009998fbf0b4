//! What holds for every Job: who sees which credential, what runs, what stays, and that the Pod can be compared.

use k8s_openapi::api::core::v1::{Container, EnvVar, Pod, PodSpec};
use ptah_lifecycle::bounds;
use ptah_records::operator::names::{EVIDENCE, OPERATION_ID, RESOURCE_UID, RESULT_AUDIENCE};

use super::*;

/// An annotation of the Job.
pub(super) fn mark(job: &Job, key: &str) -> String {
    job.metadata.annotations.as_ref().unwrap()[key].clone()
}

fn pod(job: &Job) -> PodSpec {
    job.spec.as_ref().unwrap().template.spec.clone().unwrap()
}

fn containers(pod: &PodSpec) -> Vec<Container> {
    pod.init_containers.iter().flatten().chain(&pod.containers).cloned().collect()
}

fn variables(container: &Container) -> &[EnvVar] {
    container.env.as_deref().unwrap()
}

/// The Secrets that a container sees, by variable or by file.
fn secrets(pod: &PodSpec, container: &Container) -> Vec<String> {
    let sources =
        variables(container).iter().filter_map(|variable| variable.value_from.as_ref()?.secret_key_ref.as_ref());
    let mut secrets: Vec<String> = sources.map(|key| key.name.clone()).collect();
    for mount in container.volume_mounts.iter().flatten() {
        let volume = pod.volumes.iter().flatten().find(|volume| volume.name == mount.name).unwrap();
        secrets.extend(volume.secret.as_ref().and_then(|secret| secret.secret_name.clone()));
    }
    secrets.sort();
    secrets.dedup();
    secrets
}

#[test]
fn no_container_has_the_credentials_of_both_registry_and_database() {
    for (name, job) in jobs() {
        let pod = pod(&job);
        let seen: Vec<_> = containers(&pod).iter().map(|one| (one.name.clone(), secrets(&pod, one))).collect();
        let seen: Vec<_> = seen
            .iter()
            .map(|(name, all)| (name.as_str(), all.iter().map(String::as_str).collect::<Vec<_>>()))
            .collect();
        let wanted = match name.as_str() {
            "refresh-schema" => vec![("fetch", vec!["billing-pull"]), ("ptah", vec!["billing-db", "dev"])],
            "refresh-migration" => vec![("fetch", vec!["billing-pull"]), ("ptah", vec!["billing-db"])],
            "apply-migration" => vec![("fetch", vec!["pull-db"]), ("ptah", vec!["billing-db"])],
            _ => vec![("ptah", vec!["billing-db"])],
        };
        assert_eq!(seen, wanted, "{name}");
    }
}

#[test]
fn only_the_container_that_has_the_database_can_report() {
    for (name, job) in jobs() {
        let pod = pod(&job);
        assert_eq!(pod.automount_service_account_token, Some(false), "{name}");
        let volumes = pod.volumes.as_ref().unwrap();
        let tokens = volumes.iter().filter_map(|volume| {
            let sources = volume.projected.as_ref()?.sources.as_ref()?;
            let token = sources.iter().find_map(|source| source.service_account_token.as_ref())?;
            assert_eq!((token.audience.as_deref(), sources.len()), (Some(RESULT_AUDIENCE), 1), "{name}");
            Some(volume.name.clone())
        });
        let tokens: Vec<_> = tokens.collect();
        for container in containers(&pod) {
            let mounts = container.volume_mounts.as_ref().unwrap();
            let sees = mounts.iter().any(|mount| tokens.contains(&mount.name));
            assert_eq!(sees, container.name == "ptah", "{name} {}", container.name);
        }
    }
}

#[test]
fn admission_lets_every_job_through() {
    for (name, job) in jobs() {
        let pod = pod(&job);
        for volume in pod.volumes.iter().flatten() {
            let value = serde_json::to_value(volume).unwrap();
            for key in value.as_object().unwrap().keys() {
                assert!(
                    ["name", "emptyDir", "secret", "configMap", "projected"].contains(&key.as_str()),
                    "{name} {key}"
                );
            }
        }
        for container in containers(&pod) {
            assert_eq!(container.command, Some(vec!["/ptah-runner".to_owned()]), "{name}");
            assert_eq!(container.image.as_deref(), Some(fixtures::components().executor_image.as_str()), "{name}");
            let probes = (&container.liveness_probe, &container.readiness_probe, &container.startup_probe);
            assert!(container.lifecycle.is_none() && probes == (&None, &None, &None), "{name}");
            let security = container.security_context.unwrap();
            assert_eq!(security.allow_privilege_escalation, Some(false), "{name}");
            assert!(security.privileged == Some(false) && security.capabilities.unwrap().add.is_none(), "{name}");
        }
        let of_the_node = (pod.host_network, pod.host_pid, pod.host_ipc, pod.node_name);
        assert_eq!(of_the_node, (None, None, None, None), "{name}");
    }
}

#[test]
fn a_run_outlives_its_resource_and_its_end_is_kept_and_a_reading_is_neither() {
    for (name, job) in jobs() {
        let spec = job.spec.as_ref().unwrap();
        let template = spec.template.metadata.as_ref().unwrap();
        let run = name.starts_with("apply");
        assert_eq!(job.metadata.owner_references.is_none(), run, "{name}");
        assert_eq!(template.finalizers, run.then(|| vec![EVIDENCE.to_owned()]), "{name}");
        let read = crate::job::read(&stored(&job)).unwrap();
        assert_eq!(read.expiring, !run, "{name}: the time of a run is set once its end was taken in");
        assert_eq!(read.digest.to_string(), mark(&job, JOB_DIGEST), "{name}");
        for annotations in [&job.metadata.annotations, &template.annotations] {
            let annotations = annotations.as_ref().unwrap();
            assert!(annotations.contains_key(OPERATION_ID) && annotations.contains_key(RESOURCE_UID), "{name}");
        }
    }
}

#[test]
fn one_pod_is_started_once_and_ends_before_its_job() {
    for (name, job) in jobs() {
        let (spec, pod) = (job.spec.as_ref().unwrap(), pod(&job));
        assert_eq!((spec.backoff_limit, spec.completions, spec.parallelism), (Some(0), Some(1), Some(1)), "{name}");
        assert_eq!(spec.pod_replacement_policy.as_deref(), Some("Failed"), "{name}");
        assert_eq!(pod.restart_policy.as_deref(), Some("Never"), "{name}");
        let deadlines = (pod.active_deadline_seconds.unwrap(), spec.active_deadline_seconds.unwrap());
        assert_eq!(deadlines, (bounds::pod_deadline(900), bounds::job_deadline(900)), "{name}");
    }
}

/// A Job as the API server stores it.
fn stored(job: &Job) -> Job {
    let mut job = job.clone();
    job.metadata.uid = Some("11111111-1111-4111-8111-111111111106".to_owned());
    job
}

#[test]
fn the_pod_of_each_job_is_as_built() {
    for (name, job) in jobs() {
        let mut pod = Pod { spec: Some(pod(&job)), ..Pod::default() };
        pod.metadata.uid = Some("11111111-1111-4111-8111-111111111105".to_owned());
        let about = crate::frame::About { database: None, settles: None };
        let read = |pod: &Pod| crate::job::read_pod(pod, &stored(&job), ids::NO_OPERATION, &about).unwrap().as_built;
        assert!(read(&pod), "{name}");
        pod.spec.as_mut().unwrap().containers[0].env.as_mut().unwrap().pop();
        assert!(!read(&pod), "{name}");
    }
}

#[test]
fn what_fetching_hands_over_can_only_be_read() {
    for (name, job) in jobs() {
        let pod = pod(&job);
        let access = |container: &Container| {
            let mounts = container.volume_mounts.as_ref().unwrap();
            mounts.iter().find(|mount| mount.name == "source").map(|mount| mount.read_only)
        };
        let fetches = matches!(name.as_str(), "refresh-schema" | "refresh-migration" | "apply-migration");
        assert_eq!(pod.init_containers.is_some(), fetches, "{name}");
        assert_eq!(access(&pod.containers[0]), fetches.then_some(Some(true)), "{name}");
        for container in pod.init_containers.iter().flatten() {
            assert_eq!(access(container), Some(None), "{name}");
        }
        let argued = pod.containers[0].args.as_ref().unwrap().iter().any(|argument| argument == "--stage");
        assert_eq!(argued, fetches, "{name}");
    }
}

#[test]
fn a_plan_is_mounted_in_order_and_a_lost_document_holds_no_pod_up() {
    for (name, volume, optional) in [("apply-schema", "plan", None), ("settle-schema", "desired", Some(true))] {
        let (_, job) = jobs().into_iter().find(|(found, _)| found == name).unwrap();
        let volumes = pod(&job).volumes.unwrap();
        let sources =
            volumes.into_iter().find(|found| found.name == volume).unwrap().projected.unwrap().sources.unwrap();
        let files: Vec<_> = sources.iter().map(|source| source.config_map.clone().unwrap()).collect();
        assert_eq!(files.len(), 2, "{name}");
        for (place, file) in files.iter().enumerate() {
            let items = file.items.as_ref().unwrap();
            assert_eq!((items[0].path.as_str(), file.optional), (format!("{place:04}").as_str(), optional), "{name}");
        }
        let StoredPlan::Schema(plan) = fixtures::schema_plan(PLAN) else { panic!() };
        let staged: Vec<_> = crate::plan::to_stage(&plan).map(|piece| piece.name.to_string()).collect();
        assert!(files.iter().all(|file| staged.contains(&file.name)), "{name}: and it was staged before");
    }
}

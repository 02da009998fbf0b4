//! Whether the admission policies are in force: read uncached where a decision rests on it, and proven by canaries.
//!
//! A policy that is there may not act yet, and one that acts may be gone a moment later, so both are asked: the objects in every
//! pass that needs them, the canaries at the start, when a policy changes, and every five minutes.

use std::collections::BTreeMap;
use std::time::Duration;

use ptah_admission::canary::{Canary, canaries, covers, judge};
use ptah_admission::{acts_as, policies, stamps};
use ptah_lifecycle::Time;
use ptah_records::operator::text::LabelName;
use ptah_records::operator::time::Moment;
use serde_json::Value;

use crate::cluster::{CallError, Cluster, Write};

/// How often the canaries are asked.
pub(crate) const EVERY: Duration = Duration::from_mins(5);
/// How often, while they prove nothing.
pub(crate) const AGAIN: Duration = Duration::from_secs(10);
/// Where policies and bindings are.
pub(crate) const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
/// How many objects one page of a list has.
const PAGE: usize = 100;

/// The policies are there as this manager wants them, each bound to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InForce {
    /// Since when nothing of them was changed, by the API server's clock.
    pub(crate) since: Time,
}

/// One kind of object that has to be there, and those of ours: by name, as they have to be.
pub(crate) struct Wanted {
    pub(crate) plural: &'static str,
    pub(crate) objects: BTreeMap<&'static str, Value>,
    pub(crate) is_binding: bool,
}

/// Everything that has to be there.
pub(crate) fn wanted() -> [Wanted; 4] {
    let policies = policies();
    let stamps = stamps();
    let of = |plural, is_binding, objects| Wanted { plural, objects, is_binding };
    [
        of("validatingadmissionpolicies", false, policies.iter().map(|one| (one.name, one.object())).collect()),
        of("validatingadmissionpolicybindings", true, policies.iter().map(|one| (one.name, one.binding())).collect()),
        of("mutatingadmissionpolicies", false, stamps.iter().map(|one| (one.name, one.object())).collect()),
        of("mutatingadmissionpolicybindings", true, stamps.iter().map(|one| (one.name, one.binding())).collect()),
    ]
}

/// Reads policies and bindings; nothing where one is missing, narrowed or changed.
pub(crate) async fn read(cluster: &Cluster) -> Result<Option<InForce>, CallError> {
    let mut since = Time(i64::MIN);
    for wanted in wanted() {
        let add = |found: &mut BTreeMap<String, Value>, object: &Value| {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            if wanted.objects.contains_key(name) {
                found.insert(name.to_owned(), object.clone());
            }
        };
        let found = cluster.list(&format!("{GROUP}/{}", wanted.plural), PAGE, BTreeMap::new, add).await?;
        for (name, expected) in &wanted.objects {
            let Some(object) = found.get(*name).filter(|object| is_as_wanted(&wanted, expected, object)) else {
                return Ok(None);
            };
            since = since.max(last_change(object));
        }
    }
    Ok(Some(InForce { since }))
}

fn is_as_wanted(wanted: &Wanted, expected: &Value, object: &Value) -> bool {
    if object["metadata"]["deletionTimestamp"].is_string() {
        return false;
    }
    if wanted.is_binding { covers(expected, object) } else { acts_as(&expected["spec"], &object["spec"]) }
}

/// When an object was made or last changed. A report of its status is no change.
fn last_change(object: &Value) -> Time {
    let metadata = &object["metadata"];
    let entries = metadata["managedFields"].as_array().into_iter().flatten();
    let changes = entries.filter(|entry| entry["subresource"] != "status").map(|entry| &entry["time"]);
    let moments = changes.chain([&metadata["creationTimestamp"]]);
    let read = moments.filter_map(|moment| Moment::parse(moment.as_str()?).ok()).map(ptah_mirror::ids::time);
    // One without any moment was made nobody knows when: then nothing before the end of time counts.
    read.max().unwrap_or(Time(i64::MAX))
}

/// Whether every policy acts in the version of this program.
pub(crate) async fn prove(cluster: &Cluster, namespace: &LabelName) -> Result<bool, CallError> {
    for canary in canaries(namespace.as_str()) {
        if let Err(problem) = ask(cluster, &canary).await? {
            tracing::warn!(policy = canary.policy, %problem, "a policy is not in force; nothing of a person counts");
            return Ok(false);
        }
    }
    Ok(true)
}

/// What the answer to a canary proves. An API server that has no time, or does not answer, proves nothing: nothing was found out.
pub(crate) async fn ask(
    cluster: &Cluster,
    canary: &Canary,
) -> Result<Result<(), ptah_admission::canary::CanaryProblem>, CallError> {
    let path = canary.path.split('?').next().unwrap_or_default();
    match cluster.create(path, &canary.object, Write::Try).await {
        Ok(_) => Ok(judge(canary, 201, "")),
        Err(CallError::Refused { status, message, .. }) if status != 429 && status < 500 => {
            Ok(judge(canary, status, &message))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_policy_and_every_stamp_is_wanted_with_its_binding() {
        let counts = wanted().map(|wanted| wanted.objects.len());
        assert_eq!(counts, [policies().len(), policies().len(), stamps().len(), stamps().len()]);
        let has_binding = |name: &str| wanted().iter().any(|one| one.is_binding && one.objects.contains_key(name));
        assert!(canaries("x").iter().all(|canary| has_binding(canary.policy)));
    }

    #[test]
    fn what_was_changed_after_it_was_made_counts_from_the_change_and_a_status_is_no_change() {
        let object = json!({ "metadata": {
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "managedFields": [
                { "time": "2026-01-02T00:00:00Z" },
                { "time": "2026-01-03T00:00:00Z", "subresource": "status" },
            ],
        } });
        let expected = ptah_mirror::ids::time(Moment::parse("2026-01-02T00:00:00Z").unwrap());
        assert_eq!(last_change(&object), expected);
        assert_eq!(last_change(&json!({})), Time(i64::MAX), "nobody knows since when");
    }
}

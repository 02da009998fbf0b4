//! What nobody needs any more: Pods that our finalizer keeps, stored plans, and results. Every few minutes, by the leader.
//!
//! A pass tidies up what it knows. What is left belongs to no pass: the Pod of a Job that was never read back, of a reading whose
//! claim is gone, of a resource that is gone; plans that nothing names; results that were taken in. Each is judged by a pure
//! function over everything that could still name it, read *after* it. One that cannot be judged stays.

use std::collections::BTreeSet;

use ptah_lifecycle::evidence::{self, KeptPod, Verdict};
use ptah_lifecycle::retention::{self, Keep, Named, StoredPlan};
use ptah_lifecycle::{Approval, Family, Lease, Operation, PlanRef, Status, Time};
use ptah_mirror::people::{self, Judge};
use ptah_mirror::{PolicyState, ids, job, lease};
use ptah_reconcile::Reply;
use ptah_records::operator::names::{DATABASE_LEASE, EVIDENCE, OPERATION_ID, UNNAMED_SINCE};
use ptah_records::operator::text::OperationId;
use serde_json::{Value, json};

use crate::cluster::{CallError, Cluster, encoded};
use crate::manager::carry::{object, release, typed};
use crate::manager::fault::Fault;
use crate::manager::key::{everywhere, leases, ours, plural};
use crate::manager::pass::{Begun, Shared};

/// How long a result is kept after it was stored, in seconds, once no status names its operation as one that is under way: an hour for
/// people who look, and for a claim that a watch is late with.
const RESULT_KEPT: i64 = 3_600;
/// How many objects one page of a list has.
const PAGE: usize = 50;
/// By which label our Pods are known.
const OURS: &str = "app.kubernetes.io/managed-by=ptah-operator";

/// Sweeps once. What fails is tried the next time.
pub(crate) async fn sweep(shared: &Shared) -> Result<(), Fault> {
    let Some(now) = Begun::now().map(|begun| ids::time(begun.now)) else { return Ok(()) };
    let sweeper = Sweeper { shared, now };
    let pods = sweeper.kept_pods().await?;
    let plans = [sweeper.plans(Family::Schema).await?, sweeper.plans(Family::Migration).await?].concat();
    let results = sweeper.results().await?;
    // Everything that can name one of them, read after them.
    let statuses = sweeper.statuses().await?;
    sweeper.release(&pods, &statuses).await?;
    sweeper.forget(&results, &statuses).await?;
    let leases = sweeper.leases().await?;
    let approvals = sweeper.approvals().await?;
    let named = Named { statuses: &statuses, leases: &leases, approvals: &approvals };
    sweeper.retire(&plans, named).await
}

struct Sweeper<'a> {
    shared: &'a Shared,
    now: Time,
}

/// An object that may go, as it was read, and what a judgement needs to know of it.
#[derive(Clone)]
struct Seen<T> {
    about: T,
    object: Value,
}

impl Sweeper<'_> {
    fn cluster(&self) -> &Cluster {
        &self.shared.cluster
    }

    /// A path over all namespaces that are driven.
    fn path(&self, group: &str, rest: &str) -> String {
        match &self.shared.settings.watched {
            Some(namespace) => format!("{group}/namespaces/{namespace}/{rest}"),
            None => format!("{group}/{rest}"),
        }
    }

    fn ours(&self, rest: &str) -> String {
        match &self.shared.settings.watched {
            Some(namespace) => ours(namespace.as_str(), rest),
            None => everywhere(rest),
        }
    }

    async fn list(&self, path: &str) -> Result<Vec<Value>, CallError> {
        let add = |found: &mut Vec<Value>, object: &Value| found.push(object.clone());
        self.cluster().list(path, PAGE, Vec::new, add).await
    }

    async fn kept_pods(&self) -> Result<Vec<Seen<KeptPod>>, Fault> {
        let path = format!("{}?labelSelector={}", self.path("/api/v1", "pods"), encoded(OURS));
        Ok(self.list(&path).await?.into_iter().filter_map(kept).collect())
    }

    async fn plans(&self, family: Family) -> Result<Vec<Seen<StoredPlan>>, Fault> {
        let plural = match family {
            Family::Schema => "ptahschemaplans",
            Family::Migration => "ptahmigrationplans",
        };
        Ok(self.list(&self.ours(plural)).await?.into_iter().filter_map(plan).collect())
    }

    /// The results that are old enough to go. Only the names are kept: a record has up to 700 KB.
    async fn results(&self) -> Result<Vec<(OperationId, Stored)>, Fault> {
        let now = self.now;
        let add = |found: &mut Vec<_>, record: &Value| found.extend(old_result(record, now));
        Ok(self.cluster().list(&self.ours("ptahresultrecords"), PAGE, Vec::new, add).await?)
    }

    /// The statuses of all resources of both families.
    async fn statuses(&self) -> Result<Vec<Status>, Fault> {
        let mut statuses = Vec::new();
        for family in [Family::Schema, Family::Migration] {
            for found in self.list(&self.ours(plural(family))).await? {
                statuses.push(ptah_mirror::resource(&object(family, found)?, PolicyState::absent())?.status);
            }
        }
        Ok(statuses)
    }

    /// Every Lease of a database; one that cannot be read ends the sweep, because nobody knows what it holds.
    async fn leases(&self) -> Result<Vec<Lease>, Fault> {
        let mut found = Vec::new();
        for lease in self.list(&leases(self.shared.settings.namespace.as_str())).await? {
            let name = lease["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            if name.starts_with(DATABASE_LEASE) {
                let stored = typed(&name, lease)?;
                found.push(lease::read(&stored).map_err(|why| Fault::Lease { name, why })?);
            }
        }
        Ok(found)
    }

    async fn approvals(&self) -> Result<Vec<Approval>, Fault> {
        let nobody = BTreeSet::new();
        let judge = Judge { in_force_since: None, own: &nobody };
        let mut found = Vec::new();
        for approval in self.list(&self.ours("ptahschemaapprovals")).await? {
            found.push(people::schema_approval(&typed("an approval", approval)?, judge)?.0);
        }
        for approval in self.list(&self.ours("ptahmigrationapprovals")).await? {
            found.push(people::migration_approval(&typed("an approval", approval)?, judge)?.0);
        }
        Ok(found)
    }

    async fn release(&self, pods: &[Seen<KeptPod>], statuses: &[Status]) -> Result<(), Fault> {
        let kept: Vec<KeptPod> = pods.iter().map(|pod| pod.about).collect();
        for (pod, (_, verdict)) in pods.iter().zip(evidence::judge(&kept, statuses)) {
            if verdict == Verdict::Release && self.shared.lead.holds() {
                self.tell("a Pod", &release(self.cluster(), &pod.object).await?);
            }
        }
        Ok(())
    }

    async fn forget(&self, results: &[(OperationId, Stored)], statuses: &[Status]) -> Result<(), Fault> {
        let under_way: BTreeSet<Operation> =
            statuses.iter().filter_map(|status| Some(status.claim.as_ref()?.operation)).collect();
        for (operation, stored) in results {
            if !under_way.contains(&ids::operation(operation)) && self.shared.lead.holds() {
                self.cluster().remove(&stored.path, &stored.uid).await?;
            }
        }
        Ok(())
    }

    async fn retire(&self, plans: &[Seen<StoredPlan>], named: Named<'_>) -> Result<(), Fault> {
        let stored: Vec<StoredPlan> = plans.iter().map(|plan| plan.about).collect();
        for (plan, (_, keep)) in plans.iter().zip(retention::judge(&stored, named, self.now)) {
            if !self.shared.lead.holds() {
                return Ok(());
            }
            let Stored { path, uid } = Stored::of(&plan.object);
            match keep {
                Keep::Pinned(_) | Keep::Until(_) => {}
                Keep::NamedAgain(_) => self.note(&path, &Value::Null).await?,
                Keep::Note => self.note(&path, &json!(self.now.0.to_string())).await?,
                Keep::Delete => self.cluster().remove(&path, &uid).await?,
            }
        }
        Ok(())
    }

    async fn note(&self, path: &str, since: &Value) -> Result<(), Fault> {
        let change = json!({ "metadata": { "annotations": { UNNAMED_SINCE: since } } });
        self.cluster().merge(path, &change).await?;
        Ok(())
    }

    fn tell(&self, what: &str, reply: &Reply) {
        tracing::info!(what, ?reply, leads = self.shared.lead.holds(), "nobody needs it any more");
    }
}

/// A Pod that our finalizer keeps; nothing for one that it does not keep, and for one that names no operation.
fn kept(pod: Value) -> Option<Seen<KeptPod>> {
    let metadata = &pod["metadata"];
    let finalizers = metadata["finalizers"].as_array()?;
    if !finalizers.contains(&json!(EVIDENCE)) {
        return None;
    }
    let operation = OperationId::new(metadata["annotations"][OPERATION_ID].as_str()?).ok()?;
    let about = KeptPod {
        uid: ids::uid(metadata["uid"].as_str()?).ok()?,
        operation: ids::operation(&operation),
        stopped: job::has_stopped(&typed("a Pod", pod.clone()).ok()?),
    };
    Some(Seen { about, object: pod })
}

/// A stored plan; nothing for one that says no fingerprint: it stays.
fn plan(plan: Value) -> Option<Seen<StoredPlan>> {
    let fingerprint = plan["spec"]["fingerprint"].as_str()?.parse().ok()?;
    let uid = ids::uid(plan["metadata"]["uid"].as_str()?).ok()?;
    let since = plan["metadata"]["annotations"][UNNAMED_SINCE].as_str();
    let unnamed_since = since.and_then(|since| since.parse().ok()).map(Time);
    Some(Seen { about: StoredPlan { plan: PlanRef { uid, fingerprint }, unnamed_since }, object: plan })
}

/// The operation of a result that is old enough to go, and where the record is.
fn old_result(record: &Value, now: Time) -> Option<(OperationId, Stored)> {
    let created = record["metadata"]["creationTimestamp"].as_str()?;
    let created = ptah_records::operator::time::Moment::parse(created).ok().map(ids::time)?;
    let operation = OperationId::new(record["spec"]["operationID"].as_str()?).ok()?;
    created.plus(RESULT_KEPT).reached(now).then(|| (operation, Stored::of(record)))
}

/// An object of ours: where it is, and which one of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stored {
    path: String,
    uid: String,
}

impl Stored {
    fn of(object: &Value) -> Self {
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
        let plural = object["kind"].as_str().unwrap_or_default().to_lowercase() + "s";
        let path = ours(text("namespace"), &format!("{plural}/{}", text("name")));
        Self { path, uid: text("uid").to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pod_that_our_finalizer_keeps_and_that_names_its_operation_is_judged() {
        let operation = "01890a5d-ac96-774b-bcce-b302099a8001";
        let uid = "11111111-aaaa-4bbb-8ccc-222222222222";
        let pod = |finalizers: Value, annotations: Value| json!({ "metadata": { "uid": uid, "finalizers": finalizers, "annotations": annotations } });
        let ours = json!({ OPERATION_ID: operation });
        assert!(kept(pod(json!([EVIDENCE]), ours.clone())).is_some_and(|seen| !seen.about.stopped));
        assert!(kept(pod(json!(["batch.kubernetes.io/job-tracking"]), ours)).is_none());
        assert!(kept(pod(json!([EVIDENCE]), json!({}))).is_none());
    }

    #[test]
    fn a_result_is_old_after_an_hour_and_one_without_a_time_stays() {
        let record = |created: Value| {
            json!({
                "kind": "PtahResultRecord",
                "metadata": { "namespace": "x", "name": "ptah-r-1", "creationTimestamp": created },
                "spec": { "operationID": "01890a5d-ac96-774b-bcce-b302099a8001" },
            })
        };
        let created = ids::time(ptah_records::operator::time::Moment::parse("2026-01-01T00:00:00Z").unwrap());
        let stored = record(json!("2026-01-01T00:00:00Z"));
        assert_eq!(old_result(&stored, created.plus(RESULT_KEPT - 1)), None);
        let (_, Stored { path, .. }) = old_result(&stored, created.plus(RESULT_KEPT)).unwrap();
        assert!(path.ends_with("/namespaces/x/ptahresultrecords/ptah-r-1"), "{path}");
        assert_eq!(old_result(&record(Value::Null), created.plus(RESULT_KEPT)), None);
    }

    #[test]
    fn a_plan_says_since_when_nothing_names_it_and_one_without_a_fingerprint_stays() {
        let fingerprint = ptah_model::Digest::of(b"x").to_string();
        let stored = |note: Value, fingerprint: Value| {
            json!({
                "metadata": { "uid": "11111111-aaaa-4bbb-8ccc-222222222222", "annotations": { UNNAMED_SINCE: note } },
                "spec": { "fingerprint": fingerprint },
            })
        };
        let since = |note| plan(stored(note, json!(fingerprint))).unwrap().about.unnamed_since;
        assert_eq!(since(json!("1800000000")), Some(Time(1_800_000_000)));
        assert_eq!(since(Value::Null), None);
        assert!(plan(stored(Value::Null, Value::Null)).is_none());
    }
}

//! A run's Job, its Pods and its result.

use std::collections::BTreeSet;

use k8s_openapi::api::batch::v1::Job as StoredJob;
use k8s_openapi::api::core::v1::Pod as StoredPod;
use ptah_crds::PtahResultRecord;
use ptah_crds::fence::StoringKind;
use ptah_intake::{Delivery as Delivered, read_delivery};
use ptah_lifecycle::{Frame, JobReading, Operation, Uid};
use ptah_mirror::frame::{self, About, Sent};
use ptah_mirror::{ids, job};
use ptah_reconcile::Reply;
use ptah_records::operator::names::{EVIDENCE, OPERATION_JOB};
use ptah_records::operator::text::{self, OperationId};
use serde_json::{Value, json};

use super::resource::known;
use super::{Carrier, replied, typed, untyped};
use crate::cluster::{Write, encoded};
use crate::manager::fault::Fault;
use crate::manager::key::{core, jobs, ours};

/// How many objects one page of a list has: a record has up to 700 KB.
const PAGE: usize = 20;

impl Carrier<'_> {
    pub(super) async fn get_job(&mut self, operation: Operation) -> Result<Reply, Fault> {
        let path = format!("{}/{OPERATION_JOB}{}", self.jobs(), id(operation)?);
        self.held.job = match self.cluster.get(&path).await? {
            Some(found) => Some(typed("a Job", found)?),
            None => None,
        };
        let read = self.held.job.as_ref().map(job::read).transpose()?;
        Ok(Reply::Job(read.map_or(JobReading::Absent, JobReading::Found)))
    }

    fn jobs(&self) -> String {
        jobs(self.key.namespace.as_str())
    }

    pub(super) async fn list_pods(&mut self, job: Uid) -> Result<Reply, Fault> {
        let selector = encoded(&format!("batch.kubernetes.io/controller-uid={}", ids::uid_text(job)));
        let path = format!("{}?labelSelector={selector}", core(self.key.namespace.as_str(), "pods"));
        let add = |found: &mut Vec<Value>, pod: &Value| found.push(pod.clone());
        let about = About::claim_of(self.resource()?);
        // A Job that is gone shows no template, so its Pods are not known to be as it was built.
        let stored = self.held.job.clone().unwrap_or_default();
        let operation = self.operation()?;
        let mut pods = Vec::new();
        for found in self.cluster.list(&path, PAGE, Vec::new, add).await? {
            let pod: StoredPod = typed("a Pod", found.clone())?;
            let read = job::read_pod(&pod, &stored, operation, &about)?;
            self.held.pods.insert(read.uid, found);
            pods.push(read);
        }
        pods.sort();
        Ok(Reply::Pods(pods))
    }

    /// The operation under way, else the one of the record.
    fn operation(&self) -> Result<Operation, Fault> {
        let status = &self.resource()?.status;
        let claim = status.claim.as_ref().map(|claim| claim.operation);
        claim.or(status.record.as_ref().map(|record| record.operation)).ok_or(Fault::Order)
    }

    /// The result that this Pod delivered; without a Pod that of any, the one with the lowest UID where several did.
    pub(super) async fn get_frame(&mut self, operation: Operation, pod: Option<Uid>) -> Result<Reply, Fault> {
        let operation_id = id(operation)?;
        let selector = encoded(&format!("spec.operationID={operation_id}"));
        let path = format!("{}?fieldSelector={selector}", ours(self.key.namespace.as_str(), "ptahresultrecords"));
        let add = |found: &mut Vec<Value>, record: &Value| found.push(record.clone());
        let mut records: Vec<PtahResultRecord> = Vec::new();
        for found in self.cluster.list(&path, PAGE, Vec::new, add).await? {
            known(StoringKind::PtahResultRecord, "a result", &found)?;
            records.push(typed("a result", found)?);
        }
        let wanted = pod.map(ids::uid_text);
        let pods: BTreeSet<text::Uid> = match wanted {
            Some(pod) => BTreeSet::from([pod]),
            None => records.iter().map(|record| record.spec.pod_uid.clone()).collect(),
        };
        for pod in pods {
            if let Some(frame) = self.delivered(operation, &operation_id, &pod, records.clone())? {
                return Ok(Reply::Frame(Some(Box::new(frame))));
            }
        }
        Ok(Reply::Frame(None))
    }

    fn delivered(
        &mut self,
        operation: Operation,
        id: &OperationId,
        pod: &text::Uid,
        records: Vec<PtahResultRecord>,
    ) -> Result<Option<Frame>, Fault> {
        let versions = records.iter().map(|record| record.spec.controller_state_version.get());
        let newest = versions.max().and_then(|version| u32::try_from(version).ok()).unwrap_or_default();
        let sent = |key| Sent { key, state_version: newest };
        let about = About::claim_of(self.resource()?);
        Ok(match read_delivery(id, pod, records) {
            Delivered::NotWhole => None,
            Delivered::Conflict(_) => Some(frame::contradicted(operation, ids::uid(pod.as_str())?, sent(None))),
            Delivered::Whole(whole) => {
                let sent = sent(whole.key.as_ref().map(ids::digest));
                let read = frame::read(&whole.frame, sent, &about);
                let read = match read {
                    Ok(read) => read,
                    Err(_) => frame::contradicted(operation, ids::uid(pod.as_str())?, sent),
                };
                self.held.result = Some(*whole);
                Some(read)
            }
        })
    }

    /// Creates the Job whose digest the claim names, once. What cannot be built as it was is not sent at all, which is as
    /// definite as a refusal.
    pub(super) async fn create_job(&mut self) -> Result<Reply, Fault> {
        let wanted = self.resource()?.status.claim.as_ref().and_then(|claim| claim.job_digest);
        let plan = self.claimed_plan().await?;
        for delivery in self.deliveries {
            let built = job::build(self.object()?, &self.around(delivery, plan.as_ref()))?;
            if Some(built.digest) == wanted {
                let sent = untyped("a Job", &built.job)?;
                let answer = self.cluster.create(&self.jobs(), &sent, Write::Store).await;
                // A namespace that is gone has no Job.
                let absent = answer.as_ref().is_err_and(|error| error.status() == Some(404));
                return Ok(if absent { Reply::Refused } else { replied(answer) });
            }
        }
        Ok(Reply::Refused)
    }

    pub(super) async fn build_job(&mut self) -> Result<Reply, Fault> {
        let delivery = self.deliveries.first().ok_or(Fault::Order)?;
        let claim = self.resource()?.status.claim.clone();
        let digest = match claim {
            // From the mark on only the stored digest counts.
            Some(claim) if claim.marked => claim.job_digest,
            Some(_) => {
                let plan = self.claimed_plan().await?;
                Some(job::build(self.object()?, &self.around(delivery, plan.as_ref()))?.digest)
            }
            // That no reading could be begun stands in the way of nothing else.
            None => job::refresh_digest(self.object()?, &self.known()?, &self.around(delivery, None)).ok(),
        };
        Ok(Reply::Digest(digest.unwrap_or_else(|| ptah_model::Digest::of(b""))))
    }

    pub(super) async fn release_pod(&self, pod: Uid) -> Result<Reply, Fault> {
        let found = self.held.pods.get(&pod).ok_or(Fault::Order)?;
        release(self.cluster, found).await
    }

    pub(super) async fn expire_job(&self) -> Result<Reply, Fault> {
        let StoredJob { metadata, .. } = self.held.job.as_ref().ok_or(Fault::Order)?;
        let change = json!({
            "metadata": { "uid": metadata.uid },
            "spec": { "ttlSecondsAfterFinished": job::KEPT_AFTER_HARVEST },
        });
        let path = format!("{}/{}", self.jobs(), metadata.name.as_deref().unwrap_or_default());
        Ok(replied(self.cluster.merge(&path, &change).await))
    }
}

/// Takes our finalizer off a Pod, as it was read.
pub(crate) async fn release(cluster: &crate::cluster::Cluster, pod: &Value) -> Result<Reply, Fault> {
    let metadata = &pod["metadata"];
    let all = metadata["finalizers"].as_array().cloned().unwrap_or_default();
    let left: Vec<Value> = all.into_iter().filter(|finalizer| *finalizer != json!(EVIDENCE)).collect();
    let change = json!({
        "metadata": { "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"], "finalizers": left },
    });
    let text = |field: &str| metadata[field].as_str().unwrap_or_default();
    let path = core(text("namespace"), &format!("pods/{}", text("name")));
    Ok(replied(cluster.merge(&path, &change).await))
}

/// The text of an operation.
fn id(operation: Operation) -> Result<OperationId, Fault> {
    ids::operation_text(operation).ok_or(Fault::Unwritable(ptah_mirror::Unwritable::NoText))
}

//! What Pods are told: whether they may start, and where their results belong. By the same uncached readings as a pass.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ptah_intake::{Gatekeeper, Permitted, Place, Pod, Standing};
use ptah_lifecycle::permit::{self, Answer};
use ptah_lifecycle::{Decision, Snapshot};
use ptah_mirror::Object;
use ptah_mirror::ids;
use ptah_reconcile::{Gather, Memory, Perform, Reply};
use ptah_records::operator::latest::{PermitAnswer, PermitRequest};
use ptah_records::operator::text::{Code, OperationId, Sentence, Uid};
use ptah_records::operator::whole::Whole;
use tokio::sync::watch;

use crate::manager::account::Account;
use crate::manager::carry::{Carrier, object};
use crate::manager::directory::Directory;
use crate::manager::fault::Fault;
use crate::manager::hints::Hints;
use crate::manager::key::{Key, core, jobs};
use crate::manager::pass::{Around, Begun, Shared, gathered};

/// How many writes may come before an answer: two renewals, and the permit itself. Others that swap the same objects make some of
/// them again.
const WRITES: usize = 8;
/// For how long after its ID was made an operation may be unknown here because the watch is late.
const LATE_WATCH: Duration = Duration::from_mins(1);

/// The manager as the server for permits and results sees it.
pub(crate) struct Gate {
    pub(crate) shared: Arc<Shared>,
    pub(crate) directory: Arc<Mutex<Directory>>,
    pub(crate) around: watch::Receiver<Around>,
}

impl Gatekeeper for Gate {
    async fn permit(&self, pod: &Pod, request: PermitRequest) -> Permitted {
        let permitted = self.permitted(pod, &request).await;
        self.shared.witness.permitted(pod, &request.operation_id, &permitted);
        permitted
    }

    async fn standing(&self, operation: &OperationId, pod: &Uid) -> Standing {
        let key = match self.find(operation) {
            Found::Key(key) => key,
            Found::NotYet => return Standing::NotKnownHere,
            Found::Nobody => return Standing::Gone,
        };
        match self.standing_of(&key, operation, pod).await {
            Ok(standing) => standing,
            Err(fault) => {
                let why = crate::failure::causes(&fault);
                tracing::warn!(resource = %key.name, namespace = %key.namespace, why, "a result was put off");
                Standing::NotKnownHere
            }
        }
    }
}

/// What the directory says of an operation.
enum Found {
    Key(Key),
    /// It may be too young for the watch.
    NotYet,
    Nobody,
}

impl Gate {
    async fn permitted(&self, pod: &Pod, request: &PermitRequest) -> Permitted {
        if !self.shared.lead.holds() {
            return Permitted::NotLeader;
        }
        let key = match self.find(&request.operation_id) {
            Found::Key(key) => key,
            Found::NotYet => return Permitted::NotLeader,
            Found::Nobody => return refused("operation_unknown", "No resource waits for this operation."),
        };
        // A Pod of another namespace has nothing to ask here.
        if key.namespace != pod.namespace {
            return refused("namespace_another", "The operation is one of another namespace.");
        }
        match Box::pin(self.decide(&key, pod, request)).await {
            Ok(answer) => answer,
            Err(fault) => {
                let why = crate::failure::causes(&fault);
                tracing::warn!(resource = %key.name, namespace = %key.namespace, why, "a permit could not be decided");
                Permitted::NotLeader
            }
        }
    }

    fn find(&self, operation: &OperationId) -> Found {
        let directory = self.directory.lock().unwrap_or_else(PoisonError::into_inner);
        match directory.of(operation) {
            Some(key) => Found::Key(key.clone()),
            None if !directory.is_synced() || is_young(operation) => Found::NotYet,
            None => Found::Nobody,
        }
    }

    /// Reads and decides until there is an answer that nothing has to be written for.
    async fn decide(&self, key: &Key, pod: &Pod, request: &PermitRequest) -> Result<Permitted, Fault> {
        let asked = permit::Request {
            operation: ids::operation(&request.operation_id),
            pod: ids::uid(pod.uid.as_str())?,
            key: ids::digest(&request.key_digest),
        };
        let uid = ids::uid(key.uid.as_str())?;
        for _ in 0..WRITES {
            let Some(begun) = Begun::now() else { return Ok(Permitted::NotLeader) };
            let around = self.around.borrow().clone();
            let mut carrier = Carrier::new(&self.shared, &around, key, begun.now, Hints::default());
            let gather = Gather::new(self.shared.pass(uid, &begun, Memory::default()));
            let Some((snapshot, _)) = gathered(gather, &mut carrier).await? else {
                return Ok(refused("resource_gone", "The resource of this operation is gone."));
            };
            match permit::answer(&snapshot, &asked) {
                Answer::First(decision) => {
                    if !self.write(&snapshot, decision, &mut carrier).await? {
                        return Ok(Permitted::NotLeader);
                    }
                }
                Answer::Granted(seconds) => return Ok(granted(&request.operation_id, seconds)),
                Answer::NotYet => return Ok(Permitted::Answer(PermitAnswer::NotYet {})),
                Answer::Refused => {
                    return Ok(refused(
                        "not_to_be_run",
                        "The decision that authorised this operation does not stand any more.",
                    ));
                }
            }
        }
        Ok(Permitted::NotLeader)
    }

    /// Writes what has to stand before the answer; whether it may have been, so that everything is read again.
    async fn write(&self, snapshot: &Snapshot, decision: Decision, carrier: &mut Carrier<'_>) -> Result<bool, Fault> {
        let account = Account::of(snapshot, &decision);
        let Ok(perform) = Perform::new(snapshot, decision) else { return Ok(false) };
        if !self.shared.lead.holds() {
            return Ok(false);
        }
        let reply = carrier.write(perform.request()).await?;
        self.shared.witness.wrote(carrier.key, &account, &reply);
        Ok(matches!(reply, Reply::Done | Reply::Conflict))
    }

    async fn standing_of(&self, key: &Key, operation: &OperationId, pod: &Uid) -> Result<Standing, Fault> {
        let Some(found) = self.shared.cluster.get(&key.path()).await? else { return Ok(Standing::Gone) };
        let object = object(key.family, found)?;
        let place = |key_digest| Place { namespace: key.namespace.clone(), resource: key.uid.clone(), key: key_digest };
        let Some(claim) = object.claim().filter(|claim| claim.id == *operation) else {
            return Ok(if names(&object, operation) { Standing::Late(place(None)) } else { Standing::Gone });
        };
        if let Some(started) = claim.started_by.as_ref().filter(|started| started.pod_uid == *pod) {
            return Ok(Standing::Live(place(Some(started.key_digest.clone()))));
        }
        let digest = claim.job_digest.as_ref().map(ToString::to_string);
        let is_ours = self.is_of_the_job(key, claim.job_name.as_str(), digest.as_deref(), pod).await?;
        Ok(match is_ours {
            Some(true) => Standing::Live(place(None)),
            Some(false) => Standing::Stranger,
            None => Standing::NotKnownHere,
        })
    }

    /// Whether a Pod is one of the claim's Job, which is the one that was built; nothing while there is no Job.
    async fn is_of_the_job(
        &self,
        key: &Key,
        name: &str,
        digest: Option<&str>,
        pod: &Uid,
    ) -> Result<Option<bool>, Fault> {
        let namespace = key.namespace.as_str();
        let path = format!("{}/{name}", jobs(namespace));
        let Some(job) = self.shared.cluster.get(&path).await? else { return Ok(None) };
        let found = &job["metadata"];
        if found["annotations"][ptah_records::operator::names::JOB_DIGEST].as_str() != digest {
            return Ok(Some(false));
        }
        let uid = found["uid"].as_str().unwrap_or_default();
        let selector = crate::cluster::encoded(&format!("batch.kubernetes.io/controller-uid={uid}"));
        let path = format!("{}?labelSelector={selector}", core(namespace, "pods"));
        let is_it =
            |found: &mut bool, one: &serde_json::Value| *found |= one["metadata"]["uid"].as_str() == Some(pod.as_str());
        Ok(Some(self.shared.cluster.list(&path, 20, || false, is_it).await?))
    }
}

/// Whether a record, a resolved run or an owed release names an operation.
fn names(object: &Object, operation: &OperationId) -> bool {
    let common = object.common();
    let resolved = common.and_then(|common| common.resolved_run.as_ref()).map(|run| &run.operation_id);
    let owed = common.and_then(|common| common.pending_lock_release.as_ref()).map(|owed| &owed.operation_id);
    let record = match object {
        Object::Schema(schema) => {
            schema.status.as_ref().and_then(|status| status.pending_observation.as_ref()).map(|run| &run.operation_id)
        }
        Object::Migration(migration) => {
            migration.status.as_ref().and_then(|status| status.unresolved_run.as_ref()).map(|run| &run.operation_id)
        }
    };
    [resolved, owed, record].into_iter().flatten().any(|named| named == operation)
}

/// Whether an operation was made so short a time ago that the watch may not have told of it. Its ID says when: a UUIDv7.
fn is_young(operation: &OperationId) -> bool {
    let made = ids::operation(operation).0 >> 80;
    let made = Duration::from_millis(u64::try_from(made).unwrap_or(u64::MAX));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    made.saturating_add(LATE_WATCH) > now
}

fn granted(operation: &OperationId, seconds: i64) -> Permitted {
    // None is left: nothing begins that has to end at once.
    match u64::try_from(seconds).ok().and_then(|seconds| Whole::new(seconds).ok()) {
        Some(budget_seconds) => {
            Permitted::Answer(PermitAnswer::Granted { operation_id: operation.clone(), budget_seconds })
        }
        None => refused("time_over", "The time of this operation is over."),
    }
}

fn refused(code: &str, sentence: &str) -> Permitted {
    match (Code::new(code), Sentence::new(sentence)) {
        (Ok(code), Ok(sentence)) => Permitted::Answer(PermitAnswer::Refused { code, sentence }),
        (Ok(_) | Err(_), _) => Permitted::NotLeader,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_an_answer_and_time_that_is_over_is_a_refusal() {
        let is_refusal = |permitted| matches!(permitted, Permitted::Answer(PermitAnswer::Refused { .. }));
        let operation = OperationId::new("01890a5d-ac96-774b-bcce-b302099a8001").unwrap();
        assert!(is_refusal(refused("not_to_be_run", "It does not stand any more.")));
        assert!(is_refusal(granted(&operation, 0)));
        let permitted = granted(&operation, 5);
        assert!(
            matches!(permitted, Permitted::Answer(PermitAnswer::Granted { budget_seconds, .. }) if budget_seconds.get() == 5)
        );
    }

    #[test]
    fn an_operation_is_young_for_a_minute_after_its_id_was_made() {
        let now = OperationId::new(uuid::Uuid::now_v7().to_string()).unwrap();
        let old = OperationId::new("01890a5d-ac96-774b-bcce-b302099a8001").unwrap();
        assert!(is_young(&now) && !is_young(&old));
    }
}

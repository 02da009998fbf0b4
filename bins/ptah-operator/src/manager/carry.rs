//! Carries one request of the core to the API server, and its answer back.
//!
//! Every read is uncached, and what it found is kept for the length of the pass: a write replaces exactly what was read, and
//! names come from there, because the core knows none. Nothing is decided here.

mod claimants;
mod lease;
mod people;
mod plan;
mod policies;
mod resource;
mod run;
mod stage;

pub(crate) use resource::object;
pub(crate) use run::release;

use std::collections::BTreeMap;

use k8s_openapi::api::batch::v1::Job as StoredJob;
use k8s_openapi::api::coordination::v1::Lease as StoredLease;
use ptah_intake::Whole;
use ptah_lifecycle::{Resource, Uid};
use ptah_mirror::plan::StoredPlan;
use ptah_mirror::{Known, Object, Person, PolicyState};
use ptah_reconcile::{LeaseName, Reply, Request};
use ptah_records::operator::latest::Delivery;
use ptah_records::operator::time::Moment;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cluster::{CallError, Cluster};
use crate::manager::fault::Fault;
use crate::manager::hints::{self, Hints};
use crate::manager::key::Key;
use crate::manager::pass::{Around, Shared};
use crate::manager::policies::InForce;
use crate::manager::settings::Settings;

/// What a pass asks with.
pub(crate) struct Carrier<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) settings: &'a Settings,
    /// Where results go, by generation of the authority, the newest first; never empty.
    pub(crate) deliveries: &'a [Delivery],
    /// Since when the canaries prove the policies; nothing while they do not.
    pub(crate) proven: bool,
    pub(crate) key: &'a Key,
    pub(crate) now: Moment,
    policies: &'a hints::Policies,
    hints: Hints,
    held: Held,
}

/// What this pass read of the admission policies.
#[derive(Clone, Copy, Default)]
enum Policies {
    #[default]
    NotRead,
    NotInForce,
    InForce(InForce),
}

/// What this pass read, as it is stored.
#[derive(Default)]
struct Held {
    written: Option<Value>,
    object: Option<Object>,
    resource: Option<Resource>,
    policy: Option<PolicyState>,
    plan: Option<StoredPlan>,
    plan_of_the_hold: Option<StoredPlan>,
    job: Option<StoredJob>,
    pods: BTreeMap<Uid, Value>,
    leases: BTreeMap<LeaseName, (StoredLease, ptah_lifecycle::Lease)>,
    result: Option<Whole>,
    people: BTreeMap<Uid, Person>,
    approvals: BTreeMap<Uid, Value>,
    acknowledgments: BTreeMap<Uid, Value>,
    policies: Policies,
}

impl<'a> Carrier<'a> {
    pub(crate) fn new(shared: &'a Shared, around: &'a Around, key: &'a Key, now: Moment, hints: Hints) -> Self {
        let Shared { cluster, settings, policies, .. } = shared;
        let (deliveries, proven) = (around.deliveries.as_slice(), around.proven);
        Self { cluster, settings, deliveries, proven, key, now, policies, hints, held: Held::default() }
    }

    /// The resource as this pass wrote it, if it did.
    pub(crate) fn written(&mut self) -> Option<Value> {
        self.held.written.take()
    }

    /// The reply to a read.
    ///
    /// # Errors
    /// [`Fault`]: the pass is over, and nothing was changed.
    pub(crate) async fn read(&mut self, request: &Request) -> Result<Reply, Fault> {
        match request {
            Request::GetResource(_) => self.get_resource().await,
            Request::GetLease(name) => self.get_lease(*name).await,
            Request::GetRealm(_) => self.get_realm().await,
            Request::ListClaimants(digest) => self.list_claimants(*digest).await,
            Request::ListReaders(database) => self.list_readers(*database).await,
            Request::GetPlan(name) => self.get_plan(*name).await,
            Request::ListApprovals(_, named) => self.list_approvals(*named).await,
            Request::ListAcknowledgments(_) => self.list_acknowledgments().await,
            Request::GetJob(operation) => self.get_job(*operation).await,
            Request::ListPods(job) => self.list_pods(*job).await,
            Request::GetFrame(operation, pod) => self.get_frame(*operation, *pod).await,
            Request::GetStaged(_) => self.get_staged().await,
            Request::BuildJob(_) => self.build_job().await,
            Request::GetPolicies => self.get_policies().await,
            Request::PutFinalizer(..)
            | Request::PutStatus(..)
            | Request::PutLease(..)
            | Request::Stage(_)
            | Request::CreatePlan(_)
            | Request::Consume(..)
            | Request::MarkStale(..)
            | Request::Answer(..)
            | Request::CreateJob(..)
            | Request::ReleasePod(_)
            | Request::ExpireJob(_) => Err(Fault::Order),
        }
    }

    /// The reply to a write.
    ///
    /// # Errors
    /// [`Fault`]: nothing was sent.
    pub(crate) async fn write(&mut self, request: &Request) -> Result<Reply, Fault> {
        match request {
            Request::PutFinalizer(_, _, wanted) => self.put_finalizer(*wanted).await,
            Request::PutStatus(_, _, status) => self.put_status(status).await,
            Request::PutLease(name, expected, lease) => self.put_lease(*name, *expected, lease).await,
            Request::Stage(_) => self.stage().await,
            Request::CreatePlan(plan) => self.create_plan(plan).await,
            Request::Consume(approval, _, operation) => self.consume(*approval, *operation).await,
            Request::MarkStale(approval, _, stale) => self.mark_stale(*approval, *stale).await,
            Request::Answer(acknowledgment, _, judged) => self.answer(*acknowledgment, *judged).await,
            Request::CreateJob(..) => self.create_job().await,
            Request::ReleasePod(pod) => self.release_pod(*pod).await,
            Request::ExpireJob(_) => self.expire_job().await,
            Request::GetResource(_)
            | Request::GetLease(_)
            | Request::GetRealm(_)
            | Request::ListClaimants(_)
            | Request::ListReaders(_)
            | Request::GetPlan(_)
            | Request::ListApprovals(..)
            | Request::ListAcknowledgments(_)
            | Request::GetJob(_)
            | Request::ListPods(_)
            | Request::GetFrame(..)
            | Request::GetStaged(_)
            | Request::BuildJob(_)
            | Request::GetPolicies => Err(Fault::Order),
        }
    }

    /// The resource that this pass is about, as it was read.
    fn object(&self) -> Result<&Object, Fault> {
        self.held.object.as_ref().ok_or(Fault::Order)
    }

    /// The same as a value of the core.
    fn resource(&self) -> Result<&Resource, Fault> {
        self.held.resource.as_ref().ok_or(Fault::Order)
    }

    /// What the pass knows besides the snapshot.
    fn known(&self) -> Result<Known<'_>, Fault> {
        Ok(Known {
            now: self.now,
            components: &self.settings.components,
            manager: &self.settings.manager,
            verification: self.held.policy.ok_or(Fault::Order)?,
            plan: self.held.plan_of_the_hold.as_ref().or(self.held.plan.as_ref()),
            people: self.held.people.clone(),
            frame: self.held.result.as_ref().map(|whole| &whole.frame),
        })
    }
}

/// A stored object as its kind.
pub(crate) fn typed<T: DeserializeOwned>(what: &str, object: Value) -> Result<T, Fault> {
    serde_json::from_value(object).map_err(|why| Fault::Form { what: what.to_owned(), why })
}

/// An object of ours as it is sent.
fn untyped(what: &str, object: &impl serde::Serialize) -> Result<Value, Fault> {
    serde_json::to_value(object).map_err(|why| Fault::Form { what: what.to_owned(), why })
}

/// What the answer to a write says about it. A client's error to this one request is a refusal; where the server had no time,
/// failed or did not answer, nobody knows.
fn replied(answer: Result<Value, CallError>) -> Reply {
    if let Err(error) = &answer {
        tracing::info!(why = crate::failure::causes(error), "the API server did not do a write");
    }
    match answer.map_err(|error| error.status()) {
        Ok(_) => Reply::Done,
        Err(Some(404 | 409)) => Reply::Conflict,
        Err(Some(408)) => Reply::Lost,
        Err(Some(400..500)) => Reply::Refused,
        Err(Some(_) | None) => Reply::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clients_error_is_a_refusal_and_everything_without_an_answer_is_lost() {
        let refused = |status| replied(Err(CallError::Refused { call: String::new(), status, message: String::new() }));
        for (status, expected) in [
            (400, Reply::Refused),
            (403, Reply::Refused),
            (422, Reply::Refused),
            (429, Reply::Refused),
            (404, Reply::Conflict),
            (409, Reply::Conflict),
            (408, Reply::Lost),
            (500, Reply::Lost),
            (503, Reply::Lost),
            (504, Reply::Lost),
        ] {
            assert_eq!(refused(status), expected, "{status}");
        }
        assert_eq!(replied(Err(CallError::Silent { call: String::new() })), Reply::Lost);
        assert_eq!(replied(Err(CallError::Unreadable { call: String::new() })), Reply::Lost);
    }
}

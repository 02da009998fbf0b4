//! The resource itself: reading it with its verification policy, its finalizer and its status.

use std::time::Instant;

use ptah_crds::fence::{StoringKind, stored_versions};
use ptah_lifecycle::{Family, Status};
use ptah_mirror::{Object, PolicyState, ids, with_status};
use ptah_model::Digest;
use ptah_reconcile::Reply;
use ptah_records::operator::CONTROLLER_STATE_VERSION;
use ptah_records::operator::latest::{ConfigMapKey, ReadPurpose};
use ptah_records::operator::names::ACTIVE_OPERATION;
use serde_json::{Value, json};

use super::{Carrier, replied, typed, untyped};
use crate::cluster::{CallError, Write};
use crate::manager::fault::Fault;
use crate::manager::key::core;

impl Carrier<'_> {
    pub(super) async fn get_resource(&mut self) -> Result<Reply, Fault> {
        let found = match self.hints.written.take() {
            Some(written) => Some(written),
            None => self.cluster.get(&self.key.path()).await?,
        };
        let ours = found.filter(|found| found["metadata"]["uid"] == json!(self.key.uid));
        let Some(found) = ours else { return Ok(Reply::Resource(None)) };
        let object = object(self.key.family, found)?;
        let policy = self.policy(&object).await?;
        let resource = ptah_mirror::resource(&object, policy)?;
        self.held.policy = Some(policy);
        self.held.object = Some(object);
        self.held.resource = Some(resource.clone());
        Ok(Reply::Resource(Some(Box::new(resource))))
    }

    /// The verification policy as it is now.
    async fn policy(&self, object: &Object) -> Result<PolicyState, Fault> {
        let ConfigMapKey { name, key } = match object {
            Object::Schema(schema) => &schema.spec.desired.verification_policy_from,
            Object::Migration(migration) => &migration.spec.artifact.verification_policy_from,
        };
        let path = core(self.key.namespace.as_str(), &format!("configmaps/{name}"));
        let now = Instant::now();
        let mutates = object.claim().is_some_and(|claim| claim.purpose != Some(ReadPurpose::Refresh));
        if let Some(known) = self.policies.get(&path, key.as_str(), now).filter(|_| !mutates) {
            return Ok(known);
        }
        let map = self.cluster.get(&path).await?;
        let read = map.as_ref().and_then(|map| Some((map, map["data"][key.as_str()].as_str()?)));
        let policy = match read {
            Some((map, text)) => {
                let uid = map["metadata"]["uid"].as_str().unwrap_or_default();
                PolicyState { uid: Some(ids::uid(uid)?), digest: Digest::of(text.as_bytes()) }
            }
            None => PolicyState::absent(),
        };
        self.policies.put(&path, key.as_str(), now, policy);
        Ok(policy)
    }

    pub(super) async fn put_finalizer(&mut self, wanted: bool) -> Result<Reply, Fault> {
        let metadata = self.object()?.metadata();
        let mut finalizers = metadata.finalizers.clone().unwrap_or_default();
        finalizers.retain(|finalizer| finalizer != ACTIVE_OPERATION);
        if wanted {
            finalizers.push(ACTIVE_OPERATION.to_owned());
        }
        let change = json!({ "metadata": { "resourceVersion": metadata.resource_version, "finalizers": finalizers } });
        let answer = self.cluster.merge(&self.key.path(), &change).await;
        Ok(self.written_as(answer))
    }

    /// What the answer to a write of the resource says, with the resource kept for the pass right after.
    fn written_as(&mut self, answer: Result<Value, CallError>) -> Reply {
        self.held.written = answer.as_ref().ok().cloned();
        replied(answer)
    }

    pub(super) async fn put_status(&mut self, status: &Status) -> Result<Reply, Fault> {
        let written = match with_status(self.object()?, status, &self.known()?)? {
            Object::Schema(schema) => untyped("PtahSchema", &schema)?,
            Object::Migration(migration) => untyped("PtahMigration", &migration)?,
        };
        let path = format!("{}/status", self.key.path());
        let answer = self.cluster.replace(&path, &written, Write::Store).await;
        Ok(self.written_as(answer))
    }
}

/// A stored resource as its kind, unless a newer contract wrote any part of it: then the types of this one must not read it.
pub(crate) fn object(family: Family, found: Value) -> Result<Object, Fault> {
    let kind = match family {
        Family::Schema => StoringKind::PtahSchema,
        Family::Migration => StoringKind::PtahMigration,
    };
    let what = format!("{kind:?} {}", name(&found));
    known(kind, &what, &found)?;
    Ok(match family {
        Family::Schema => Object::Schema(Box::new(typed(&what, found)?)),
        Family::Migration => Object::Migration(Box::new(typed(&what, found)?)),
    })
}

/// Whether every version that stands in a stored object is one that this manager knows.
pub(super) fn known(kind: StoringKind, what: &str, found: &Value) -> Result<(), Fault> {
    let newer = |version: &i64| *version > i64::from(CONTROLLER_STATE_VERSION);
    if stored_versions(kind, found).iter().any(newer) {
        return Err(Fault::Newer(what.to_owned()));
    }
    Ok(())
}

fn name(object: &Value) -> String {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    format!("{}/{}", text("namespace"), text("name"))
}

//! The core's status as what the API server keeps: names, versions and sentences around the same facts.
//!
//! A part that the core did not change is kept as it was read. One that it changed is made anew, of the core's value and of
//! what this pass read besides ([`Known`]). What cannot be written whole is not written at all.

mod claim;
pub(crate) mod parts;
mod plan;
mod reading;
mod record;
mod run;

use std::collections::BTreeMap;

use ptah_lifecycle::{Status, Uid};
use ptah_model::{Digest, DigestBuilder};
use ptah_records::operator::latest::{Frame, ManagerRecord, StateVersion};
use ptah_records::operator::text::{Image, ObjectName, Sentence, UserName, VersionText};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;

use crate::object::Object;
use crate::plan::StoredPlan;
use crate::read;
use crate::shown;
use crate::spec::PolicyState;

pub(crate) use claim::next_refresh;

/// Why a status is not written. It is a fault of ours or a lost object, and the pass ends without an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// The core names an object of which this pass knows no name.
    #[error("an object that the status has to name was not read")]
    Name,
    /// The plan that has to be named was not read.
    #[error("the plan that the status has to name was not read")]
    Plan,
    /// A moment or an operation has no text form, or a list is too long.
    #[error("a value of the status has no text form")]
    NoText,
    /// What is stored cannot be read, so nothing may take its place.
    #[error("the status that would be replaced cannot be read")]
    Unread,
    /// The components are not those of this manager.
    #[error("the binding is for other components than this manager's")]
    Components,
    /// What an operation has to be told does not fit onto its Pod.
    #[error("what the operation has to be told is too large for its Pod")]
    TooLarge,
}

/// The components that carry operations out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The version of Ptah that carries plans out.
    pub ptah_version: VersionText,
    /// The image that carries plans out, by digest.
    pub executor_image: Image,
    /// The version of the documents that manager and runner exchange.
    pub protocol: Whole<1, 1_000_000>,
}

impl Components {
    /// What the core compares: two managers with equal digests do the same work the same way.
    pub fn digest(&self) -> Digest {
        self.under(parts::version())
    }

    /// The same for records of this version of the contract.
    pub(crate) fn under(&self, contract: StateVersion) -> Digest {
        DigestBuilder::new("ptah.operator.components.v1")
            .text(self.ptah_version.as_str())
            .text(self.executor_image.as_str())
            .number(self.protocol.get())
            .number(contract.get())
            .finish()
    }
}

/// Somebody's word, as it was read: an approval, or an acknowledgment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name of the object.
    pub name: ObjectName,
    /// Who, as admission stamped it.
    pub username: UserName,
    /// When, by the API server's clock.
    pub at: Moment,
    /// Why, in that person's words; of an approval there is none.
    pub reason: Option<Sentence>,
}

/// What a pass knows besides the core's snapshot.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// Now, by this manager's clock.
    pub now: Moment,
    /// What it runs work with.
    pub components: &'a Components,
    /// Who it is.
    pub manager: &'a ManagerRecord,
    /// The verification policy as it is now.
    pub verification: PolicyState,
    /// The plan of the snapshot; the one that a hold names stands here where a run is taken over.
    pub plan: Option<&'a StoredPlan>,
    /// Approvals and acknowledgments, by UID.
    pub people: BTreeMap<Uid, Person>,
    /// The result of the snapshot.
    pub frame: Option<&'a Frame>,
}

/// The object with this status in place of its own.
///
/// # Errors
/// [`Unwritable`]: nothing may be written, because less would be written than was decided.
pub fn with_status(object: &Object, status: &Status, known: &Known<'_>) -> Result<Object, Unwritable> {
    let before = read::status(object).map_err(|_| Unwritable::Unread)?;
    let mut written = object.clone();
    let writer = Writer { object, before: &before, after: status, known };
    writer.common(&mut written)?;
    match &mut written {
        Object::Schema(schema) => {
            let status = schema.status.get_or_insert_default();
            writer.schema_reading(status);
            status.applied = writer.applied(status.applied.take())?;
            status.plan = writer.schema_plan(status.plan.take())?;
            status.pending_observation = writer.pending_observation(status.pending_observation.take())?;
        }
        Object::Migration(migration) => {
            let status = migration.status.get_or_insert_default();
            writer.migration_reading(status);
            status.plan = writer.migration_plan(status.plan.take())?;
            status.unresolved_run = writer.unresolved_run(status.unresolved_run.take())?;
        }
    }
    Ok(written)
}

/// What all parts are written from.
struct Writer<'a> {
    object: &'a Object,
    before: &'a Status,
    after: &'a Status,
    known: &'a Known<'a>,
}

impl Writer<'_> {
    fn common(&self, written: &mut Object) -> Result<(), Unwritable> {
        let generation = self.object.metadata().generation.and_then(|generation| u64::try_from(generation).ok());
        let generation = generation.and_then(|generation| Whole::new(generation).ok());
        let now = self.known.now;
        let (target, run_claim) = match self.object {
            Object::Schema(schema) => (&schema.spec.target, schema.spec.policy.run_claim),
            Object::Migration(migration) => (&migration.spec.target, migration.spec.policy.run_claim),
        };
        let target = self.target(target, run_claim)?;
        let common = written.common_mut();
        common.observed_generation = generation;
        common.phase = shown::phase(self.after.shown);
        common.conditions = shown::conditions(self.after.shown, &common.conditions, generation, now);
        common.execution_binding = self.binding(common.execution_binding.take())?;
        common.target = Some(target);
        common.last_run = self.last_run(common.last_run.take());
        common.resolved_run = self.resolved(common.resolved_run.take())?;
        common.pending_lock_release = self.owed(common.pending_lock_release.take())?;
        common.failures = self.after.failures.as_ref().map(parts::failures).transpose()?;
        let binding = common.execution_binding.clone();
        let claim = self.claim(common.active_operation.take(), binding.as_ref())?;
        if claim.as_ref().map(|claim| &claim.id) != self.object.claim().map(|claim| &claim.id) && claim.is_some() {
            common.last_attempt_time = Some(now);
        }
        common.active_operation = claim;
        let in_sync = |status: &Status| status.observed.filter(|observed| observed.in_sync).map(|observed| observed.at);
        if in_sync(self.after).is_some() && in_sync(self.after) != in_sync(self.before) {
            common.last_successful_reconciliation = Some(now);
        }
        self.source(common);
        Ok(())
    }

    /// The namespace of the object; every object of ours has one.
    fn namespace(&self) -> &str {
        self.object.metadata().namespace.as_deref().unwrap_or_default()
    }
}

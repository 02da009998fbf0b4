//! The operation under way.

use ptah_lifecycle::{self as core, Access, Claim, Kind, Status};
use ptah_model::Digest;
use ptah_records::operator::latest::{
    self as stored, ArtifactAccess, ExecutionBinding, ObjectRef, OperationType, PolicyBinding, ReadPurpose, StartedBy,
    TargetAccess, Tenure,
};
use ptah_records::operator::text::Epoch;

use super::parts::{self, evidence, identity, moment, operation, version, whole};
use super::{Known, Unwritable, Writer};
use crate::ids;
use crate::object::Object;
use crate::plan;
use crate::spec;

/// The claim that a refresh decided now would have: true in all that its Job is built of but the operation and the moments,
/// which nobody knows before it is decided.
pub(crate) fn next_refresh(object: &Object, known: &Known<'_>) -> Result<stored::Claim, Unwritable> {
    let nothing = Status::default();
    let writer = Writer { object, before: &nothing, after: &nothing, known };
    let spec = spec::of(object, writer.namespace(), known.verification);
    let (inputs, start) = (Digest::of(b""), core::Time(0));
    let claim = Claim::begun(ids::NO_OPERATION, Kind::Refresh, inputs, start, spec.coordination, spec.access());
    writer.new_claim(&claim, ids::epoch_text(core::Epoch(0)))
}

impl Writer<'_> {
    /// The stored claim: the one that was read with what the core learned, or a new one.
    pub(super) fn claim(
        &self,
        before: Option<stored::Claim>,
        binding: Option<&ExecutionBinding>,
    ) -> Result<Option<stored::Claim>, Unwritable> {
        let Some(claim) = &self.after.claim else { return Ok(None) };
        let same = before.filter(|before| ids::operation(&before.id) == claim.operation);
        let mut written = match same {
            Some(before) => before,
            None => self.new_claim(claim, binding.ok_or(Unwritable::Components)?.epoch.clone())?,
        };
        written.target_identity = claim.identity.as_ref().map(identity);
        written.tenure = tenure(claim)?;
        written.job_digest = claim.job_digest.map(ids::sha256);
        written.dispatch_started = claim.marked;
        written.job_uid = claim.job.map(ids::uid_text);
        written.started_by =
            claim.started_by.map(|by| StartedBy { pod_uid: ids::uid_text(by.pod), key_digest: ids::sha256(by.key) });
        written.evidence = evidence(&claim.evidence)?;
        Ok(Some(written))
    }

    fn new_claim(&self, claim: &Claim, binding: Epoch) -> Result<stored::Claim, Unwritable> {
        let id = operation(claim.operation)?;
        let settles = self.after.record.as_ref().filter(|_| claim.kind == Kind::Settle);
        let (operation_type, purpose) = match claim.kind {
            Kind::Apply => (OperationType::Apply, None),
            Kind::Refresh => (OperationType::Read, Some(ReadPurpose::Refresh)),
            Kind::Settle => (OperationType::Read, Some(ReadPurpose::Settle)),
        };
        Ok(stored::Claim {
            controller_state_version: version(),
            operation: operation_type,
            purpose,
            job_name: parts::job_name(&id),
            id,
            input_fingerprint: ids::sha256(claim.inputs),
            execution_binding_id: binding,
            dispatched_by: self.known.manager.clone(),
            started_at: moment(claim.started)?,
            access: self.access(&claim.access)?,
            coordination_digest: ids::sha256(claim.coordination),
            target_identity: None,
            last_database_epoch: claim.tenure.map(ids::epoch_text),
            source: (claim.kind == Kind::Refresh).then(|| self.artifact()),
            plan: claim.plan.map(plan_ref),
            approval_ref: claim.approval.map(|approval| self.approval(approval)).transpose()?,
            settles: settles.map(|record| operation(record.operation)).transpose()?,
            tenure: tenure(claim)?,
            job_digest: None,
            dispatch_started: false,
            dispatch_not_after: moment(claim.dispatch_not_after)?,
            execution_not_after: moment(claim.execution_not_after)?,
            job_uid: None,
            started_by: None,
            evidence: stored::RunEvidence::default(),
        })
    }

    /// How an operation reaches the database: as the resource says now, or as the run did that it settles.
    pub(super) fn access(&self, wanted: &Access) -> Result<stored::Access, Unwritable> {
        let now = self.access_now()?;
        let recorded = match self.object {
            Object::Schema(schema) => {
                schema.status.as_ref().and_then(|status| status.pending_observation.as_ref()?.access.clone())
            }
            Object::Migration(migration) => {
                migration.status.as_ref().and_then(|status| status.unresolved_run.as_ref()?.access.clone())
            }
        };
        let claimed = self.object.claim().map(|claim| claim.access.clone());
        let all = [Some(now), recorded, claimed];
        all.into_iter().flatten().find(|access| same_access(access, wanted)).ok_or(Unwritable::NoText)
    }

    fn access_now(&self) -> Result<stored::Access, Unwritable> {
        let (target, execution, lock) = match self.object {
            Object::Schema(schema) => {
                let spec = &schema.spec;
                (&spec.target, &spec.execution, spec.policy.lock_timeout.milliseconds())
            }
            Object::Migration(migration) => {
                let spec = &migration.spec;
                (&spec.target, &spec.execution, spec.policy.lock_timeout.milliseconds())
            }
        };
        let core = spec::of(self.object, self.namespace(), self.known.verification).access();
        let milliseconds = |number: u64| whole(i64::try_from(number).unwrap_or(i64::MAX));
        Ok(stored::Access {
            target: TargetAccess { engine: target.engine.clone(), url_from: target.url_from.clone() },
            connect_timeout_milliseconds: milliseconds(execution.connect_timeout.milliseconds())?,
            lock_timeout_milliseconds: milliseconds(lock)?,
            window_seconds: whole(core.window)?,
            scope_digest: ids::sha256(core.scope),
            execution_digest: ids::sha256(core.execution),
        })
    }

    fn artifact(&self) -> ArtifactAccess {
        let source = match self.object {
            Object::Schema(schema) => &schema.spec.desired,
            Object::Migration(migration) => &migration.spec.artifact,
        };
        let policy = self.known.verification.object();
        ArtifactAccess {
            reference: source.oci_ref.clone(),
            digest: None,
            registry_auth_from: source.registry_auth_from.clone(),
            transport: source.transport.clone(),
            verification_policy_from: source.verification_policy_from.clone(),
            verification_policy: PolicyBinding { uid: ids::uid_text(policy.uid), digest: ids::sha256(policy.digest) },
        }
    }

    fn approval(&self, approval: ptah_lifecycle::Uid) -> Result<ObjectRef, Unwritable> {
        let person = self.known.people.get(&approval).ok_or(Unwritable::Name)?;
        Ok(ObjectRef { name: person.name.clone(), uid: ids::uid_text(approval) })
    }
}

fn same_access(stored: &stored::Access, wanted: &Access) -> bool {
    crate::read::access(stored) == *wanted
}

/// A plan by its name, which is made from its fingerprint.
pub(super) fn plan_ref(plan: ptah_lifecycle::PlanRef) -> stored::PlanRef {
    stored::PlanRef {
        name: plan::name(&plan.fingerprint),
        uid: ids::uid_text(plan.uid),
        fingerprint: ids::sha256(plan.fingerprint),
    }
}

fn tenure(claim: &Claim) -> Result<Tenure, Unwritable> {
    Ok(Tenure {
        coordination_epoch: claim.realm_epoch.map(ids::epoch_text),
        database_epoch: claim.database_epoch.map(ids::epoch_text),
        lease_duration_seconds: whole(claim.lease_duration)?,
        continuity_lost: claim.broken,
    })
}

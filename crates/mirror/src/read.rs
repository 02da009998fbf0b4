//! A resource as the API server has it, as a value of the core.
//!
//! Only a status whose stored versions are known is read: look at the plain JSON with [`ptah_crds::fence`] first.

mod claim;
pub(crate) mod record;

use ptah_crds::{CommonStatus, StateRefusal as StoredRefusal, TargetStatus};
use ptah_lifecycle::{
    Access, Binding, Failures, Finding, Identity, IdentitySource, Instance, Observed, Owed, PlanRef, Resolution,
    Resolved, Resource, RunEvidence, StateRefusal, Status, Time,
};
use ptah_model::Digest;
use ptah_records::operator::check::Record as _;
use ptah_records::operator::latest as stored;
use ptah_records::operator::names::ACTIVE_OPERATION;

use crate::ids;
use crate::object::{Object, Unreadable};
use crate::shown;
use crate::spec::{self, PolicyState};
use crate::write::Components;

/// The resource. `policy` is the verification policy that its spec names, read in the same pass.
///
/// # Errors
/// [`Unreadable`]: nothing may be decided on it.
pub fn resource(object: &Object, policy: PolicyState) -> Result<Resource, Unreadable> {
    let metadata = object.metadata();
    let namespace = metadata.namespace.as_deref().ok_or(Unreadable::Incomplete)?;
    let finalizers = metadata.finalizers.as_deref().unwrap_or_default();
    Ok(Resource {
        family: object.family(),
        uid: ids::uid(metadata.uid.as_deref().ok_or(Unreadable::Incomplete)?)?,
        version: ids::version(metadata.resource_version.as_deref())?,
        deleting: metadata.deletion_timestamp.is_some(),
        finalizer: finalizers.iter().any(|finalizer| finalizer == ACTIVE_OPERATION),
        spec: spec::of(object, namespace, policy),
        status: status(object)?,
    })
}

/// The status alone.
pub(crate) fn status(object: &Object) -> Result<Status, Unreadable> {
    let Some(common) = object.common() else { return Ok(Status::default()) };
    let (record, plan, applied) = match object {
        Object::Schema(schema) => {
            let status = schema.status.as_ref();
            let record = status.and_then(|status| status.pending_observation.as_ref());
            let plan = status.and_then(|status| status.plan.as_ref());
            let applied = status.and_then(|status| status.applied.as_ref());
            (
                record.map(|run| record::read(run, record::of_schema)).transpose()?,
                plan.map(|plan| plan_ref(&plan.uid, &plan.fingerprint)).transpose()?,
                applied.map(|applied| plan_ref(&applied.plan_ref.uid, &applied.plan_ref.fingerprint)).transpose()?,
            )
        }
        Object::Migration(migration) => {
            let status = migration.status.as_ref();
            let record = status.and_then(|status| status.unresolved_run.as_ref());
            let plan = status.and_then(|status| status.plan.as_ref());
            (
                record.map(|run| record::read(run, record::of_migration)).transpose()?,
                plan.map(|plan| plan_ref(&plan.uid, &plan.fingerprint)).transpose()?,
                None,
            )
        }
    };
    let mut read = of_common(common)?;
    (read.record, read.plan, read.applied) = (record, plan, applied);
    read.state_version = versions(object).max().unwrap_or_default();
    Ok(read)
}

fn of_common(common: &CommonStatus) -> Result<Status, Unreadable> {
    Ok(Status {
        binding: common.execution_binding.as_ref().map(binding),
        claim: common.active_operation.as_ref().map(claim::read).transpose()?,
        resolved: common.resolved_run.as_ref().map(resolved).transpose()?,
        owed: common.pending_lock_release.as_ref().map(owed).transpose()?,
        observed: common.target.as_ref().and_then(observed),
        failures: common.failures.as_ref().map(failures),
        shown: shown::read(&common.conditions),
        ..Status::default()
    })
}

/// The version of every record in a status.
fn versions(object: &Object) -> impl Iterator<Item = u32> {
    let common = object.common();
    let mut found: Vec<Option<stored::StateVersion>> = vec![
        common.and_then(|common| common.execution_binding.as_ref()).map(|one| one.controller_state_version),
        common.and_then(|common| common.active_operation.as_ref()).map(|one| one.controller_state_version),
        common.and_then(|common| common.resolved_run.as_ref()).map(|one| one.controller_state_version),
        common.and_then(|common| common.pending_lock_release.as_ref()).map(|one| one.controller_state_version),
    ];
    match object {
        Object::Schema(schema) => {
            let status = schema.status.as_ref();
            found.push(status.and_then(|status| Some(status.plan.as_ref()?.controller_state_version)));
            found.push(status.and_then(|status| Some(status.applied.as_ref()?.controller_state_version)));
            found.push(status.and_then(|status| Some(status.pending_observation.as_ref()?.controller_state_version)));
        }
        Object::Migration(migration) => {
            let status = migration.status.as_ref();
            found.push(status.and_then(|status| Some(status.plan.as_ref()?.controller_state_version)));
            found.push(status.and_then(|status| Some(status.unresolved_run.as_ref()?.controller_state_version)));
        }
    }
    found.into_iter().flatten().map(|version| u32::try_from(version.get()).unwrap_or(u32::MAX))
}

fn binding(binding: &stored::ExecutionBinding) -> Binding {
    Binding { components: components(binding), epoch: ids::epoch(&binding.epoch) }
}

/// The components of a binding, as the one digest that the core compares.
pub(crate) fn components(binding: &stored::ExecutionBinding) -> Digest {
    let components = Components {
        ptah_version: binding.ptah_version.clone(),
        executor_image: binding.executor_image.clone(),
        protocol: binding.runner_protocol_version,
    };
    components.under(binding.controller_state_version)
}

fn resolved(run: &stored::ResolvedRun) -> Result<Resolved, Unreadable> {
    run.check().map_err(|_| Unreadable::Contradiction)?;
    let by = match (run.resolution, &run.acknowledged) {
        (stored::Resolution::Acknowledged, Some(by)) => {
            Resolution::Acknowledgment(ids::uid(by.acknowledgment_ref.uid.as_str())?, finding(by.finding))
        }
        (stored::Resolution::Acknowledged, None) => return Err(Unreadable::Contradiction),
        (stored::Resolution::Reading, _) => Resolution::Reading,
        (stored::Resolution::SettledByAnother, _) => Resolution::Another,
        (stored::Resolution::NeverCreated, _) => Resolution::NeverCreated,
    };
    Ok(Resolved { operation: ids::operation(&run.operation_id), by })
}

pub(crate) fn finding(finding: stored::Finding) -> Finding {
    match finding {
        stored::Finding::Applied => Finding::Applied,
        stored::Finding::NotApplied => Finding::NotApplied,
        stored::Finding::Repaired => Finding::Repaired,
    }
}

fn owed(owed: &stored::OwedRelease) -> Result<Owed, Unreadable> {
    owed.check().map_err(|_| Unreadable::Contradiction)?;
    Ok(Owed {
        operation: ids::operation(&owed.operation_id),
        coordination: ids::digest(&owed.coordination_digest),
        realm_epoch: owed.coordination_epoch.as_ref().map(ids::epoch),
        database_epoch: owed.database_epoch.as_ref().map(ids::epoch),
        database: owed.database_identity.as_ref().map(ids::digest),
        drop_hold: owed.drop_hold.as_ref().map(ids::operation),
    })
}

/// The last reading; nothing before the first.
fn observed(target: &TargetStatus) -> Option<Observed> {
    Some(Observed {
        identity: identity(target.identity.as_ref()?),
        state: ids::digest(target.state_fingerprint.as_ref()?),
        at: target.last_observed_at.map_or(Time(i64::MIN), ids::time),
        inputs: ids::digest(target.input_fingerprint.as_ref()?),
        sequence: target.run_sequence.map_or(0, ptah_records::operator::whole::Whole::get),
        unfinished: target.unfinished_run_id.as_ref().map(ids::operation),
        instance: instance(target),
        in_sync: target.in_sync,
        refusal: target.refusal.map(|refusal| match refusal {
            StoredRefusal::HistoryDirty => StateRefusal::HistoryDirty,
            StoredRefusal::HistoryModified => StateRefusal::HistoryModified,
            StoredRefusal::HistoryOutOfOrder => StateRefusal::HistoryOutOfOrder,
            StoredRefusal::HistoryAhead => StateRefusal::HistoryAhead,
            StoredRefusal::ProtectedTable => StateRefusal::ProtectedTable,
        }),
    })
}

/// Which running server answered; nothing where the engine does not say.
fn instance(target: &TargetStatus) -> Option<Instance> {
    Some(Instance {
        digest: ids::digest(target.instance_identity.as_ref()?),
        since: ids::time(target.instance_since?),
        began: ids::time(target.reading_began_at?),
        ended: ids::time(target.reading_ended_at?),
    })
}

/// How an operation reaches its database.
pub(crate) fn access(access: &stored::Access) -> Access {
    Access {
        target: spec::target(access.target.engine.as_str(), &access.target.url_from),
        scope: ids::digest(&access.scope_digest),
        execution: ids::digest(&access.execution_digest),
        window: i64::try_from(access.window_seconds.get()).unwrap_or(i64::MAX),
    }
}

pub(crate) fn identity(identity: &stored::TargetIdentity) -> Identity {
    Identity {
        database: ids::digest(&identity.database_identity),
        route: ids::digest(&identity.route_digest),
        source: match identity.source {
            stored::IdentitySource::Reported => IdentitySource::Reported,
            stored::IdentitySource::Planned => IdentitySource::Planned,
        },
        apart: identity.apart.as_ref().map(ids::digest),
    }
}

fn failures(failures: &stored::Failures) -> Failures {
    Failures {
        count: u32::try_from(failures.count.get()).unwrap_or(u32::MAX),
        since: ids::time(failures.since),
        last: ids::time(failures.last),
    }
}

fn plan_ref(
    uid: &ptah_records::operator::text::Uid,
    fingerprint: &ptah_records::operator::text::Sha256,
) -> Result<PlanRef, Unreadable> {
    Ok(PlanRef { uid: ids::uid(uid.as_str())?, fingerprint: ids::digest(fingerprint) })
}

fn evidence(evidence: &stored::RunEvidence) -> Result<RunEvidence, Unreadable> {
    let mut read = RunEvidence::default();
    for pod in evidence.pods.as_slice() {
        let uid = ids::uid(pod.uid.as_str())?;
        read.pods.push(uid);
        if pod.stopped {
            read.stopped.push(uid);
        }
    }
    Ok(read)
}

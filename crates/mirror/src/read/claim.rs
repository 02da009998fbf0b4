//! The operation under way.

use ptah_lifecycle::{Claim, Kind, Permit};
use ptah_records::operator::check::Record as _;
use ptah_records::operator::latest::{self as stored, ReadPurpose};

use super::{access, evidence, identity, plan_ref};
use crate::ids;
use crate::object::Unreadable;

pub(super) fn read(claim: &stored::Claim) -> Result<Claim, Unreadable> {
    claim.check().map_err(|_| Unreadable::Contradiction)?;
    let kind = match claim.purpose {
        None => Kind::Apply,
        Some(ReadPurpose::Refresh) => Kind::Refresh,
        Some(ReadPurpose::Settle) => Kind::Settle,
    };
    let permit = |by: &stored::StartedBy| -> Result<Permit, Unreadable> {
        Ok(Permit { pod: ids::uid(by.pod_uid.as_str())?, key: ids::digest(&by.key_digest) })
    };
    Ok(Claim {
        operation: ids::operation(&claim.id),
        kind,
        inputs: ids::digest(&claim.input_fingerprint),
        started: ids::time(claim.started_at),
        dispatch_not_after: ids::time(claim.dispatch_not_after),
        execution_not_after: ids::time(claim.execution_not_after),
        lease_duration: i64::try_from(claim.tenure.lease_duration_seconds.get()).unwrap_or(i64::MAX),
        coordination: ids::digest(&claim.coordination_digest),
        access: access(&claim.access),
        identity: claim.target_identity.as_ref().map(identity),
        tenure: claim.last_database_epoch.as_ref().map(ids::epoch),
        plan: claim.plan.as_ref().map(|plan| plan_ref(&plan.uid, &plan.fingerprint)).transpose()?,
        approval: claim.approval_ref.as_ref().map(|approval| ids::uid(approval.uid.as_str())).transpose()?,
        realm_epoch: claim.tenure.coordination_epoch.as_ref().map(ids::epoch),
        database_epoch: claim.tenure.database_epoch.as_ref().map(ids::epoch),
        job_digest: claim.job_digest.as_ref().map(ids::digest),
        marked: claim.dispatch_started,
        job: claim.job_uid.as_ref().map(|job| ids::uid(job.as_str())).transpose()?,
        started_by: claim.started_by.as_ref().map(permit).transpose()?,
        broken: claim.tenure.continuity_lost,
        evidence: evidence(&claim.evidence)?,
    })
}

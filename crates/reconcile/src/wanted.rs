//! Which objects a pass needs, by what the resource's status says. Reading less is cheaper; what is not read is absent from
//! the snapshot, so each line here must cover every concern that may decide.

use ptah_lifecycle::{Frame, Kind, Resource, Section};
use ptah_model::Digest;

use crate::request::PlanName;

/// What one pass reads besides the resource.
#[expect(clippy::struct_excessive_bools, reason = "one for each object, and each is a question of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    /// The Job, its Pods and its result.
    pub(crate) run: bool,
    /// The plan.
    pub(crate) plan: bool,
    /// Approvals.
    pub(crate) approvals: bool,
    /// Acknowledgments.
    pub(crate) acknowledgments: bool,
    /// What the Job mounts.
    pub(crate) staged: bool,
    /// The admission policies.
    pub(crate) policies: bool,
    /// The realm and its claimants.
    pub(crate) census: bool,
    /// The realm's Lease.
    pub(crate) realm_lease: bool,
}

impl Wanted {
    /// What a pass over this resource reads.
    pub(crate) fn of(resource: &Resource) -> Self {
        let status = &resource.status;
        let kind = status.claim.as_ref().map(|claim| claim.kind);
        let owed = status.owed.is_some();
        let apply = kind == Some(Kind::Apply);
        let idle = kind.is_none() && !owed;
        let waits = status.plan.is_some() && idle;
        let record = status.record.is_some();
        Self {
            run: !owed && (kind.is_some() || status.record.as_ref().is_some_and(|record| record.job.is_some())),
            plan: !owed && (apply || status.plan.is_some() || kind == Some(Kind::Refresh)),
            approvals: apply || idle,
            acknowledgments: idle,
            staged: apply,
            policies: apply || waits || (record && idle),
            census: apply || idle || kind == Some(Kind::Refresh),
            realm_lease: owed || matches!(kind, Some(Kind::Apply | Kind::Settle)),
        }
    }
}

/// The database whose Lease is read: that of what is owed, of the claim, of the record, of the result, of the last reading.
pub(crate) fn database(resource: &Resource, frame: Option<&Frame>) -> Option<Digest> {
    let status = &resource.status;
    if let Some(owed) = status.owed {
        return owed.database;
    }
    if let Some(Section::Refresh(Ok(reading))) = frame.map(|frame| &frame.section) {
        return Some(ptah_lifecycle::instance::identity(resource, reading).lease());
    }
    let claim = status.claim.as_ref().and_then(|claim| claim.identity);
    let record = status.record.as_ref().map(|record| record.identity);
    let observed = status.observed.map(|observed| observed.identity);
    claim.or(record).or(observed).map(|identity| identity.lease())
}

/// The plain name of the resource's database, where its own Lease is named apart.
pub(crate) fn plain(resource: &Resource, frame: Option<&Frame>) -> Option<Digest> {
    let reading = match frame.map(|frame| &frame.section) {
        Some(Section::Refresh(Ok(reading))) => Some(ptah_lifecycle::instance::identity(resource, reading)),
        Some(_) | None => None,
    };
    let identity = reading.or(resource.status.observed.map(|observed| observed.identity))?;
    identity.apart.map(|_| identity.database)
}

/// The realm whose Lease is read and written: that of what is owed, of the claim, else the spec's.
pub(crate) fn coordination(resource: &Resource) -> Digest {
    let status = &resource.status;
    let noted = status.owed.map(|owed| owed.coordination);
    noted.or(status.claim.as_ref().map(|claim| claim.coordination)).unwrap_or(resource.spec.coordination)
}

/// The plan that is read: that of the claim, of the status, or the one that the result proposes.
pub(crate) fn plan(resource: &Resource, frame: Option<&Frame>) -> Option<PlanName> {
    let status = &resource.status;
    match &status.claim {
        Some(claim) if claim.kind == Kind::Refresh => proposed(resource, claim.inputs, frame),
        Some(claim) => claim.plan.map(|plan| PlanName(plan.fingerprint)),
        None => status.plan.map(|plan| PlanName(plan.fingerprint)),
    }
}

fn proposed(resource: &Resource, inputs: Digest, frame: Option<&Frame>) -> Option<PlanName> {
    let Section::Refresh(Ok(reading)) = &frame?.section else { return None };
    let binding = resource.status.binding?;
    let proposal = reading.proposal?;
    let identity = ptah_lifecycle::instance::identity(resource, reading);
    let fingerprint = ptah_lifecycle::plan_fingerprint(resource, &identity, &proposal, &inputs, binding.epoch);
    Some(PlanName(fingerprint))
}

//! A snapshot with everything read that there is, to be compared with the one that a pass really reads.

use ptah_lifecycle::{JobReading, LeaseReading, Snapshot};
use ptah_reconcile::{LeaseName, PlanName, Reply, Request};

use super::World;

impl World {
    /// The same snapshot with nothing left out. Only the result of a run that is over is not read again.
    pub(crate) fn everything(&mut self, read: &Snapshot) -> Snapshot {
        let uid = read.uid();
        let status = &read.resource.status;
        let mut full = read.clone();
        let claimed = status.claim.as_ref().and_then(|claim| claim.plan);
        let plan = claimed.or(status.plan).map(|plan| PlanName(plan.fingerprint));
        let named = status.claim.as_ref().and_then(|claim| claim.approval);
        let operation = status.claim.as_ref().map(|claim| claim.operation);
        let operation = operation.or(status.record.as_ref().map(|record| record.operation));
        if let Some(name) = plan {
            full.plan = read.plan.or(self.plans.get(&name).copied());
            full.staged = self.staged.contains(&name);
        }
        if let Reply::Approvals(list) = self.call(&Request::ListApprovals(uid, named)) {
            full.approvals = list;
        }
        if let Reply::Acknowledgments(list) = self.call(&Request::ListAcknowledgments(uid)) {
            full.acknowledgments = list;
        }
        if let Reply::Realm(realm) = self.call(&Request::GetRealm(uid)) {
            full.realm = realm;
        }
        if let Reply::Claimants(list) = self.call(&Request::ListClaimants(read.resource.spec.coordination)) {
            full.claimants = list;
        }
        if let Some(job) = operation.and_then(|operation| self.jobs.get(&operation)) {
            full.job = JobReading::Found(*job);
            full.pods = self.pods.get(&job.uid).cloned().unwrap_or_default();
        }
        full.attested = self.policies;
        if read.realm_lease.lease.is_none() {
            let lease = self.leases.get(&LeaseName::Realm(read.resource.spec.coordination)).cloned();
            full.realm_lease = LeaseReading { lease, unchanged_since: read.now };
        }
        full
    }
}

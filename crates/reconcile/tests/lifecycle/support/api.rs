//! The API server's side: what each request reads or writes. Every write compares the version that it names.

use ptah_lifecycle::{Claimant, Job, JobReading, Looked, RealmReading, Resource, Status, Uid, Version};
use ptah_model::Digest;
use ptah_reconcile::{Reply, Request};

use super::{World, digest};

impl World {
    /// Carries out one call.
    pub(crate) fn call(&mut self, request: &Request) -> Reply {
        self.read(request).unwrap_or_else(|| self.write(request))
    }

    fn read(&self, request: &Request) -> Option<Reply> {
        Some(match request {
            Request::GetResource(uid) => Reply::Resource(self.resources.get(uid).cloned().map(Box::new)),
            Request::GetLease(name) => Reply::Lease(self.leases.get(name).cloned().map(Box::new)),
            Request::GetRealm(uid) => Reply::Realm(self.realm(*uid)),
            Request::ListClaimants(realm) => Reply::Claimants(self.claimants(*realm)),
            Request::GetPlan(name) => Reply::Plan(self.plans.get(name).copied().map(Box::new)),
            Request::ListApprovals(resource, named) => {
                let open = |approval: &&ptah_lifecycle::Approval| {
                    let unjudged = approval.consumed.is_none() && approval.stale.is_none();
                    approval.resource == *resource && (unjudged || Some(approval.uid) == *named)
                };
                Reply::Approvals(self.approvals.values().filter(open).copied().collect())
            }
            Request::ListAcknowledgments(resource) => {
                let open = |ack: &&ptah_lifecycle::Acknowledgment| ack.claimant == *resource && ack.judged.is_none();
                Reply::Acknowledgments(self.acknowledgments.values().filter(open).copied().collect())
            }
            Request::GetJob(operation) => {
                Reply::Job(self.jobs.get(operation).map_or(JobReading::Absent, |job| JobReading::Found(*job)))
            }
            Request::ListPods(job) => Reply::Pods(self.pods.get(job).cloned().unwrap_or_default()),
            Request::GetFrame(operation, pod) => {
                let sent =
                    |(of, by): &(ptah_lifecycle::Operation, Uid)| of == operation && pod.is_none_or(|pod| pod == *by);
                let found = self.frames.iter().find(|(key, _)| sent(key));
                Reply::Frame(found.map(|(_, frame)| Box::new(frame.clone())))
            }
            Request::ListReaders(database) => Reply::Claimants(self.readers(*database)),
            Request::GetStaged(plan) => Reply::Yes(self.staged.contains(plan)),
            Request::BuildJob(uid) => Reply::Digest(self.built(*uid)),
            Request::GetPolicies => Reply::Yes(self.policies),
            _ => return None,
        })
    }

    fn write(&mut self, request: &Request) -> Reply {
        match request {
            Request::PutFinalizer(uid, version, on) => self.put_finalizer(*uid, *version, *on),
            Request::PutStatus(uid, version, status) => self.put_status(*uid, *version, status),
            Request::PutLease(name, expected, lease) => {
                if self.leases.get(name).map(|found| found.version) != *expected {
                    return Reply::Conflict;
                }
                let version = Version(self.unused());
                self.leases.insert(*name, ptah_lifecycle::Lease { version, ..*lease.clone() });
                Reply::Done
            }
            Request::Stage(plan) => done(self.staged.insert(*plan)),
            Request::CreatePlan(plan) => {
                let name = ptah_reconcile::PlanName(plan.fingerprint);
                let uid = Uid(self.unused().into());
                if self.plans.contains_key(&name) {
                    return Reply::Refused;
                }
                self.plans.insert(name, ptah_lifecycle::Plan { uid, ..**plan });
                Reply::Done
            }
            Request::CreateJob(_, claim) => self.create_job(claim),
            Request::ReleasePod(pod) => {
                self.pods.values_mut().flatten().filter(|found| found.uid == *pod).for_each(|pod| pod.kept = false);
                Reply::Done
            }
            Request::ExpireJob(uid) => {
                self.jobs.values_mut().filter(|job| job.uid == *uid).for_each(|job| job.expiring = true);
                Reply::Done
            }
            other => self.answer_people(other),
        }
    }

    fn answer_people(&mut self, request: &Request) -> Reply {
        let next = Version(self.unused());
        match request {
            Request::Consume(uid, version, operation) => self.approvals.get_mut(uid).map_or(Reply::Refused, |found| {
                if found.version != *version {
                    return Reply::Conflict;
                }
                (found.consumed, found.version) = (Some(*operation), next);
                Reply::Done
            }),
            Request::MarkStale(uid, version, stale) => self.approvals.get_mut(uid).map_or(Reply::Refused, |found| {
                if found.version != *version {
                    return Reply::Conflict;
                }
                (found.stale, found.version) = (Some(*stale), next);
                Reply::Done
            }),
            Request::Answer(uid, version, judged) => {
                self.acknowledgments.get_mut(uid).map_or(Reply::Refused, |found| {
                    if found.version != *version {
                        return Reply::Conflict;
                    }
                    (found.judged, found.version) = (Some(*judged), next);
                    Reply::Done
                })
            }
            other => panic!("no such request: {other:?}"),
        }
    }

    fn put_finalizer(&mut self, uid: Uid, version: Version, on: bool) -> Reply {
        let next = Version(self.unused());
        let Some(found) = self.resources.get_mut(&uid).filter(|found| found.version == version) else {
            return Reply::Conflict;
        };
        (found.finalizer, found.version) = (on, next);
        if found.deleting && !on {
            self.resources.remove(&uid);
        }
        Reply::Done
    }

    fn put_status(&mut self, uid: Uid, version: Version, status: &Status) -> Reply {
        let next = Version(self.unused());
        let Some(found) = self.resources.get_mut(&uid).filter(|found| found.version == version) else {
            return Reply::Conflict;
        };
        (found.status, found.version) = (status.clone(), next);
        Reply::Done
    }

    fn create_job(&mut self, claim: &ptah_lifecycle::Claim) -> Reply {
        let Some(digest) = claim.job_digest.filter(|_| !self.jobs.contains_key(&claim.operation)) else {
            return Reply::Refused;
        };
        let uid = Uid(self.unused().into());
        self.jobs.insert(claim.operation, Job { uid, digest, terminal: false, expiring: false });
        *self.creates.entry(claim.operation).or_default() += 1;
        Reply::Done
    }

    fn realm(&self, uid: Uid) -> RealmReading {
        self.realms.get(&uid).copied().unwrap_or(RealmReading::Key)
    }

    fn claimants(&self, realm: Digest) -> Vec<Claimant> {
        let admitted =
            |found: &&Resource| found.spec.coordination == realm && self.realm(found.uid) != RealmReading::NotGranted;
        self.resources.values().filter(admitted).map(|found| self.claimant(found)).collect()
    }

    fn readers(&self, database: Digest) -> Vec<Claimant> {
        let read = |found: &&Resource| found.status.observed.is_some_and(|seen| seen.identity.database == database);
        let admitted = |found: &&Resource| self.realm(found.uid) != RealmReading::NotGranted;
        self.resources.values().filter(read).filter(admitted).map(|found| self.claimant(found)).collect()
    }

    fn claimant(&self, found: &Resource) -> Claimant {
        let record = found.status.record.as_ref();
        let looked = found
            .status
            .observed
            .and_then(|seen| seen.instance.map(|instance| Looked { database: seen.identity.database, instance }));
        Claimant {
            uid: found.uid,
            by_realm: self.realm(found.uid) != RealmReading::Key,
            shared: found.spec.shared,
            dormant: found.spec.suspended || found.deleting,
            deleting: found.deleting,
            unresolved: record.map(|record| record.operation),
            attempts: record.and_then(|record| record.attempts).map_or(0, |attempts| attempts.count),
            looked,
        }
    }

    fn built(&self, uid: Uid) -> Digest {
        digest(&format!("job of {uid:?} with {:?}", self.manager.components))
    }
}

fn done(_new: bool) -> Reply {
    Reply::Done
}

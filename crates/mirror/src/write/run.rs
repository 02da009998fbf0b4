//! What is kept of runs that are over: the last one, how it was settled, what is owed after it, what was confirmed.

use ptah_lifecycle::{self as core, Binding, PlanRef, Record};
use ptah_records::operator::latest::{
    self as stored, Acknowledged, Applied, ExecutionBinding, LastRun, LockBusy, ObjectRef, OwedRelease, PlanBinding,
    ResolvedRun, RunReport, Section,
};
use ptah_records::operator::list::List;
use ptah_records::operator::text::MigrationKey;

use super::claim::plan_ref;
use super::parts::{self, operation, version};
use super::{Unwritable, Writer};
use crate::ids;
use crate::object::Object;
use crate::read;

impl Writer<'_> {
    /// The components: those that were read while they are the same, this manager's where they are new.
    pub(super) fn binding(&self, before: Option<ExecutionBinding>) -> Result<Option<ExecutionBinding>, Unwritable> {
        let Some(Binding { components, epoch }) = self.after.binding else { return Ok(None) };
        let same =
            |stored: &ExecutionBinding| read::components(stored) == components && ids::epoch(&stored.epoch) == epoch;
        if let Some(before) = before.filter(same) {
            return Ok(Some(before));
        }
        let known = self.known.components;
        let written = ExecutionBinding {
            epoch: ids::epoch_text(epoch),
            controller_state_version: version(),
            ptah_version: known.ptah_version.clone(),
            executor_image: known.executor_image.clone(),
            runner_protocol_version: known.protocol,
        };
        if same(&written) { Ok(Some(written)) } else { Err(Unwritable::Components) }
    }

    pub(super) fn owed(&self, before: Option<OwedRelease>) -> Result<Option<OwedRelease>, Unwritable> {
        let Some(owed) = self.after.owed else { return Ok(None) };
        if self.before.owed == Some(owed) {
            return Ok(before);
        }
        Ok(Some(OwedRelease {
            controller_state_version: version(),
            operation_id: operation(owed.operation)?,
            coordination_digest: ids::sha256(owed.coordination),
            database_identity: owed.database.map(ids::sha256),
            coordination_epoch: owed.realm_epoch.map(ids::epoch_text),
            database_epoch: owed.database_epoch.map(ids::epoch_text),
            drop_hold: owed.drop_hold.map(operation).transpose()?,
        }))
    }

    pub(super) fn resolved(&self, before: Option<ResolvedRun>) -> Result<Option<ResolvedRun>, Unwritable> {
        let Some(resolved) = self.after.resolved else { return Ok(None) };
        if self.before.resolved == Some(resolved) {
            return Ok(before);
        }
        let record = self.before.record.as_ref().filter(|record| record.operation == resolved.operation);
        let (resolution, acknowledged) = match resolved.by {
            core::Resolution::Reading => (stored::Resolution::Reading, None),
            core::Resolution::Another => (stored::Resolution::SettledByAnother, None),
            core::Resolution::NeverCreated => (stored::Resolution::NeverCreated, None),
            core::Resolution::Acknowledgment(uid, finding) => {
                (stored::Resolution::Acknowledged, Some(self.acknowledged(uid, finding)?))
            }
        };
        let reading = self.object.claim().filter(|_| resolution == stored::Resolution::Reading);
        Ok(Some(ResolvedRun {
            controller_state_version: version(),
            operation_id: operation(resolved.operation)?,
            outcome: record.map(|record| parts::outcome(record.outcome).0),
            resolution,
            reading_id: reading.map(|claim| claim.id.clone()),
            acknowledged,
            resolved_at: self.known.now,
        }))
    }

    fn acknowledged(&self, uid: core::Uid, finding: core::Finding) -> Result<Acknowledged, Unwritable> {
        let person = self.known.people.get(&uid).ok_or(Unwritable::Name)?;
        Ok(Acknowledged {
            acknowledgment_ref: ObjectRef { name: person.name.clone(), uid: ids::uid_text(uid) },
            acknowledged_by: person.username.clone(),
            finding: match finding {
                core::Finding::Applied => stored::Finding::Applied,
                core::Finding::NotApplied => stored::Finding::NotApplied,
                core::Finding::Repaired => stored::Finding::Repaired,
            },
            reason: person.reason.clone().ok_or(Unwritable::Name)?,
        })
    }

    /// The last run that a reading confirmed. What it was bound to stands in the record that is settled by this write.
    pub(super) fn applied(&self, before: Option<Applied>) -> Result<Option<Applied>, Unwritable> {
        let Some(applied) = self.after.applied else { return Ok(None) };
        if self.before.applied == Some(applied) && before.is_some() && !self.confirms_a_run_of(applied) {
            return Ok(before);
        }
        let Object::Schema(schema) = self.object else { return Ok(None) };
        let record = schema.status.as_ref().and_then(|status| status.pending_observation.as_ref());
        let (Some(record), Some(recorded)) = (record, &self.before.record) else { return Err(Unwritable::Plan) };
        let plan = record.basis.as_ref().map(|basis| &basis.plan).ok_or(Unwritable::Plan)?;
        let binding: &PlanBinding = &plan.binding;
        Ok(Some(Applied {
            controller_state_version: version(),
            operation_id: operation(recorded.operation)?,
            plan_ref: plan_ref(applied),
            binding: binding.clone(),
            dispatched_by: record.dispatched_by.clone().unwrap_or_else(|| self.known.manager.clone()),
            completed_at: self.known.now,
        }))
    }

    /// Whether this write confirms a run of this plan: the same plan is run again when a database went back to where it begins.
    fn confirms_a_run_of(&self, plan: PlanRef) -> bool {
        let Some(record) = self.before.record.as_ref().filter(|_| self.after.record.is_none()) else { return false };
        let by_reading = core::Resolved { operation: record.operation, by: core::Resolution::Reading };
        let as_wanted = self.after.observed.is_some_and(|observed| observed.in_sync);
        record.plan == plan
            && record.outcome == core::Outcome::Applied
            && self.after.resolved == Some(by_reading)
            && as_wanted
    }

    /// The last run, for people: written when its claim becomes a record.
    pub(super) fn last_run(&self, before: Option<LastRun>) -> Option<LastRun> {
        let known = self.before.record.as_ref().map(|record| record.operation);
        let Some(record) = self.after.record.as_ref().filter(|record| Some(record.operation) != known) else {
            return before;
        };
        let Some(claim) = self.object.claim().filter(|claim| ids::operation(&claim.id) == record.operation) else {
            return before;
        };
        let failure = self.report(record).and_then(|report| report.failure.as_ref());
        Some(LastRun {
            operation_id: claim.id.clone(),
            outcome: parts::outcome(record.outcome).0,
            plan_ref: plan_ref(PlanRef { uid: record.plan.uid, fingerprint: record.plan.fingerprint }),
            job_name: claim.job_name.clone(),
            job_uid: record.job.map(ids::uid_text),
            started_at: claim.started_at,
            finished_at: self.known.now,
            applied_versions: self.reported_versions(record.operation),
            dispatched_by: claim.dispatched_by.clone(),
            code: failure.map(|failure| failure.code.clone()),
            message: failure.map(|failure| failure.sentence.clone()),
        })
    }

    /// What the run itself reported, if that is the result at hand.
    fn report(&self, record: &Record) -> Option<&RunReport> {
        let frame = self.known.frame.filter(|frame| ids::operation(&frame.operation_id) == record.operation)?;
        match frame.sections.as_slice().last()? {
            Section::Run(report) => Some(report),
            _ => None,
        }
    }

    /// The versions that the run reported as applied. A report settles nothing.
    pub(super) fn reported_versions(&self, run: core::Operation) -> List<MigrationKey, 256> {
        let frame = self.known.frame.filter(|frame| ids::operation(&frame.operation_id) == run);
        match frame.and_then(|frame| frame.sections.as_slice().last()) {
            Some(Section::Run(report)) => report.applied_versions.clone(),
            _ => List::default(),
        }
    }

    /// Who held the database's lock, if the result at hand says that it was busy.
    pub(super) fn busy(&self) -> Option<&LockBusy> {
        match self.known.frame?.sections.as_slice().last()? {
            Section::Busy(busy) => Some(busy),
            _ => None,
        }
    }
}

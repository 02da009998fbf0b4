//! The run whose outcome is not settled: all that its reading needs, copied, so that it asks nothing of the spec again.

use ptah_lifecycle::{Family, Record};
use ptah_records::operator::latest::{
    self as stored, HeldPlan, LastAnswer, ObservationBasis, PendingObservation, SequenceBasis, UnresolvedRun,
    UnsettledRun,
};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{Code, ShortText};

use super::parts::{self, evidence, family, identity, moment, operation, outcome, version};
use super::plan::{current_migration_plan, current_schema_plan, is};
use super::{Unwritable, Writer};
use crate::ids;
use crate::object::Object;
use crate::plan::StoredPlan;
use crate::read::record::ANSWERS;

impl Writer<'_> {
    pub(super) fn pending_observation(
        &self,
        before: Option<PendingObservation>,
    ) -> Result<Option<PendingObservation>, Unwritable> {
        self.unsettled(before, |record| self.observation_basis(record))
    }

    pub(super) fn unresolved_run(&self, before: Option<UnresolvedRun>) -> Result<Option<UnresolvedRun>, Unwritable> {
        self.unsettled(before, |record| self.sequence_basis(record))
    }

    /// The record that was read with what the core learned, or a new one.
    fn unsettled<Basis>(
        &self,
        before: Option<UnsettledRun<Basis>>,
        basis: impl FnOnce(&Record) -> Result<Option<Basis>, Unwritable>,
    ) -> Result<Option<UnsettledRun<Basis>>, Unwritable> {
        let Some(record) = &self.after.record else { return Ok(None) };
        let same = before.filter(|before| ids::operation(&before.operation_id) == record.operation);
        let mut written = match same {
            Some(before) => before,
            None => self.new_run(record, basis(record)?)?,
        };
        (written.outcome, written.applied_units) = outcome(record.outcome);
        (written.reported, written.reported_units) = record.reported.map_or((None, None), |said| {
            let (said, units) = outcome(said);
            (Some(said), units)
        });
        written.evidence = evidence(&record.evidence)?;
        written.settle_not_before = moment(record.not_before)?;
        written.attempts = record.attempts.as_ref().map(parts::failures).transpose()?;
        written.last_answer = record.last_answer.map(|answer| self.last_answer(answer));
        Ok(Some(written))
    }

    fn new_run<Basis>(&self, record: &Record, basis: Option<Basis>) -> Result<UnsettledRun<Basis>, Unwritable> {
        let operation_id = operation(record.operation)?;
        let claim = self.object.claim().filter(|claim| claim.id == operation_id);
        let coordination = crate::spec::of(self.object, self.namespace(), self.known.verification).coordination;
        Ok(UnsettledRun {
            controller_state_version: version(),
            family: family(record.family),
            outcome: stored::Outcome::Unknown,
            applied_units: None,
            reported: None,
            reported_units: None,
            plan_ref: HeldPlan {
                uid: ids::uid_text(record.plan.uid),
                fingerprint: ids::sha256(record.plan.fingerprint),
            },
            basis,
            access: record.access.as_ref().map(|access| self.access(access)).transpose()?,
            coordination_digest: claim
                .map_or_else(|| ids::sha256(coordination), |claim| claim.coordination_digest.clone()),
            coordination_epoch: record.realm_epoch.map(ids::epoch_text),
            database_epoch: record.database_epoch.map(ids::epoch_text),
            target_identity: identity(&record.identity),
            job_name: claim.map(|claim| claim.job_name.clone()),
            job_uid: record.job.map(ids::uid_text),
            evidence: evidence(&record.evidence)?,
            components_digest: record.dispatched_by.map(ids::sha256),
            dispatched_by: claim.map(|claim| claim.dispatched_by.clone()),
            execution_not_after: moment(record.execution_not_after)?,
            settle_not_before: moment(record.not_before)?,
            recorded_at: moment(record.since)?,
            attempts: None,
            last_answer: None,
            inherited: record.inherited,
            operation_id,
        })
    }

    /// What a schema's run is compared with. Another family's run has its basis in no schema's status: a person settles it.
    fn observation_basis(&self, record: &Record) -> Result<Option<ObservationBasis>, Unwritable> {
        let (Object::Schema(schema), Some(_), Family::Schema) = (self.object, record.basis, record.family) else {
            return Ok(None);
        };
        let kept = schema.status.as_ref().and_then(|status| status.plan.clone());
        let kept = kept.filter(|plan| is(record.plan, plan.uid.as_str(), &plan.fingerprint));
        let plan = kept.or_else(|| current_schema_plan(record.plan, self.known.plan)).ok_or(Unwritable::Plan)?;
        let patterns = schema.spec.policy.exclude.as_slice().iter().map(|pattern| ShortText::new(pattern.as_str()));
        let patterns = patterns.collect::<Result<Vec<_>, _>>().map_err(|_| Unwritable::NoText)?;
        Ok(Some(ObservationBasis {
            plan,
            exclude: List::new(patterns).map_err(|_| Unwritable::NoText)?,
            drift_severity: schema.spec.policy.drift_severity,
        }))
    }

    /// What a migration's run is compared with: every planned version, which only the plan object has.
    fn sequence_basis(&self, record: &Record) -> Result<Option<SequenceBasis>, Unwritable> {
        let (Object::Migration(_), Some(_), Family::Migration) = (self.object, record.basis, record.family) else {
            return Ok(None);
        };
        let plan = current_migration_plan(record.plan, self.known.plan).ok_or(Unwritable::Plan)?;
        let Some(StoredPlan::Migration(object)) = self.known.plan else { return Err(Unwritable::Plan) };
        Ok(Some(SequenceBasis {
            plan,
            planned: object.spec.0.migrations.clone(),
            reported_versions: self.reported_versions(record.operation),
        }))
    }

    fn last_answer(&self, answer: ptah_lifecycle::LastAnswer) -> LastAnswer {
        let word = ANSWERS.iter().find(|(known, _)| *known == answer).map_or("no_result", |(_, word)| *word);
        let busy = self.busy().filter(|_| answer == ptah_lifecycle::LastAnswer::LockBusy);
        #[expect(clippy::expect_used, reason = "the words are literals of this crate, and a test makes all of them")]
        let code = Code::new(word).expect("a code");
        LastAnswer {
            code,
            lock_holder: busy.and_then(|busy| busy.holder.clone()),
            lock_age_seconds: busy.and_then(|busy| busy.age_seconds),
        }
    }
}

//! What the last reading saw: artifact, database, drift, history.

use ptah_crds::{
    CommonStatus, DriftStatus, HistoryStatus, PtahMigrationStatus, PtahSchemaStatus, RunClaim, SourceStatus,
    StateRefusal as Refusal, Target, TargetStatus,
};
use ptah_lifecycle::{StateRefusal, Time};
use ptah_records::operator::latest::{Answer, PolicyBinding, Resolved, Section};
use ptah_records::operator::whole::Whole;

use super::parts::{identity, moment, operation};
use super::{Unwritable, Writer};
use crate::ids;
use crate::spec;

impl Writer<'_> {
    /// The database as it was last read; its realm's digest stands there before, so that a census finds it.
    pub(super) fn target(&self, target: &Target, run_claim: RunClaim) -> Result<TargetStatus, Unwritable> {
        let observed = self.after.observed;
        let instance = observed.and_then(|observed| observed.instance);
        let at = observed.map(|observed| observed.at).filter(|at| *at != Time(i64::MIN));
        let sequence = observed.map(|observed| Whole::new(observed.sequence)).transpose();
        let unfinished = observed.and_then(|observed| observed.unfinished);
        Ok(TargetStatus {
            engine: target.engine.clone(),
            coordination_digest: ids::sha256(spec::coordination(target, self.namespace())),
            identity: observed.map(|observed| identity(&observed.identity)),
            instance_identity: instance.map(|instance| ids::sha256(instance.digest)),
            instance_since: instance.map(|instance| moment(instance.since)).transpose()?,
            state_fingerprint: observed.map(|observed| ids::sha256(observed.state)),
            input_fingerprint: observed.map(|observed| ids::sha256(observed.inputs)),
            in_sync: observed.is_some_and(|observed| observed.in_sync),
            refusal: observed.and_then(|observed| observed.refusal).map(refusal),
            run_sequence: sequence.map_err(|_| Unwritable::NoText)?,
            unfinished_run_id: unfinished.map(operation).transpose()?,
            run_claim,
            reading_began_at: instance.map(|instance| moment(instance.began)).transpose()?,
            reading_ended_at: instance.map(|instance| moment(instance.ended)).transpose()?,
            last_observed_at: at.map(moment).transpose()?,
        })
    }

    /// The artifact as the result at hand found it, where this write takes that result in.
    pub(super) fn source(&self, common: &mut CommonStatus) {
        let (Some(resolved), Some(reference)) = (self.resolved_artifact(), self.reference()) else { return };
        let verified = self.sections().iter().any(|section| matches!(section, Section::Verify(Answer::Done(_))));
        let policy = self.known.verification.object();
        let Resolved { reference: by_digest, digest, media_type, artifact_type, size } = resolved;
        common.source = Some(SourceStatus {
            requested_reference: reference,
            resolved_reference: by_digest.clone(),
            digest: digest.clone(),
            media_type: media_type.clone(),
            artifact_type: artifact_type.clone(),
            size: *size,
            verified,
            verification_policy: PolicyBinding { uid: ids::uid_text(policy.uid), digest: ids::sha256(policy.digest) },
            resolved_at: self.known.now,
            verified_at: verified.then_some(self.known.now),
        });
    }

    pub(super) fn schema_reading(&self, status: &mut PtahSchemaStatus) {
        for section in self.sections() {
            if let Section::State(Answer::Done(state)) = section {
                status.drift = Some(DriftStatus { observed_at: self.known.now, report: state.drift.clone() });
            }
        }
    }

    pub(super) fn migration_reading(&self, status: &mut PtahMigrationStatus) {
        let Some(observed) = self.after.observed else { return };
        for section in self.sections() {
            let Section::History(Answer::Done(history)) = section else { continue };
            status.history = Some(HistoryStatus {
                observed_at: self.known.now,
                target_identity: identity(&observed.identity),
                current_version: history.current_version.clone(),
                checkpoint_version: history.checkpoint_version.clone(),
                applied_count: history.applied_count,
                pending_count: history.pending_count,
                fingerprint: history.fingerprint.clone(),
                dirty: history.dirty,
                modified_versions: history.modified_versions.clone(),
                out_of_order_versions: history.out_of_order_versions.clone(),
            });
        }
    }

    /// The sections of the result that this write takes in; none where it takes in none.
    fn sections(&self) -> &[Section] {
        let taken = self.after.claim.is_none() && self.before.claim.is_some();
        let frame = self.known.frame.filter(|frame| {
            let claim = self.before.claim.as_ref().map(|claim| claim.operation);
            taken && claim == Some(ids::operation(&frame.operation_id))
        });
        frame.map_or(&[], |frame| frame.sections.as_slice())
    }

    fn resolved_artifact(&self) -> Option<&Resolved> {
        self.sections().iter().find_map(|section| match section {
            Section::Resolve(Answer::Done(resolved)) => Some(resolved),
            _ => None,
        })
    }

    /// The reference as the claim gave it, which is what was resolved.
    fn reference(&self) -> Option<ptah_records::operator::text::OciReference> {
        self.object.claim()?.source.as_ref().map(|source| source.reference.clone())
    }
}

fn refusal(refusal: StateRefusal) -> Refusal {
    match refusal {
        StateRefusal::HistoryDirty => Refusal::HistoryDirty,
        StateRefusal::HistoryModified => Refusal::HistoryModified,
        StateRefusal::HistoryOutOfOrder => Refusal::HistoryOutOfOrder,
        StateRefusal::HistoryAhead => Refusal::HistoryAhead,
        StateRefusal::ProtectedTable => Refusal::ProtectedTable,
    }
}

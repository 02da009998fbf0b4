//! The plan that a resource stands on, and what both families keep of a plan.

use ptah_lifecycle::PlanRef;
use ptah_records::operator::latest::{
    CurrentMigrationPlan, CurrentSchemaPlan, MigrationPlan, RecordedApproval, SchemaPlan,
};

use super::parts::version;
use super::{Unwritable, Writer};
use crate::ids;
use crate::plan::{self, StoredPlan};

impl Writer<'_> {
    pub(super) fn schema_plan(
        &self,
        before: Option<CurrentSchemaPlan>,
    ) -> Result<Option<CurrentSchemaPlan>, Unwritable> {
        let Some(wanted) = self.after.plan else { return Ok(None) };
        let same = before.filter(|before| is(wanted, before.uid.as_str(), &before.fingerprint));
        let mut written = match same {
            Some(before) => before,
            None => current_schema_plan(wanted, self.known.plan).ok_or(Unwritable::Plan)?,
        };
        written.approval = self.recorded_approval().or(written.approval);
        Ok(Some(written))
    }

    pub(super) fn migration_plan(
        &self,
        before: Option<CurrentMigrationPlan>,
    ) -> Result<Option<CurrentMigrationPlan>, Unwritable> {
        let Some(wanted) = self.after.plan else { return Ok(None) };
        let same = before.filter(|before| is(wanted, before.uid.as_str(), &before.fingerprint));
        let mut written = match same {
            Some(before) => before,
            None => current_migration_plan(wanted, self.known.plan).ok_or(Unwritable::Plan)?,
        };
        written.approval = self.recorded_approval().or(written.approval);
        Ok(Some(written))
    }

    /// The approval that the claim names, with whose it is.
    fn recorded_approval(&self) -> Option<RecordedApproval> {
        let uid = self.after.claim.as_ref()?.approval?;
        let person = self.known.people.get(&uid)?;
        Some(RecordedApproval {
            name: person.name.clone(),
            uid: ids::uid_text(uid),
            approver: person.username.clone(),
            approved_at: person.at,
        })
    }
}

/// Whether a stored plan is this one, by object and by content.
pub(super) fn is(wanted: PlanRef, uid: &str, fingerprint: &ptah_records::operator::text::Sha256) -> bool {
    ids::uid(uid) == Ok(wanted.uid) && ids::digest(fingerprint) == wanted.fingerprint
}

/// What a schema's status keeps of this plan, if it is the one that was read.
pub(super) fn current_schema_plan(wanted: PlanRef, stored: Option<&StoredPlan>) -> Option<CurrentSchemaPlan> {
    let StoredPlan::Schema(object) = stored? else { return None };
    let uid = object.metadata.uid.as_deref()?;
    let SchemaPlan { fingerprint, binding, content, desired, privilege_changes, .. } = &object.spec.0;
    is(wanted, uid, fingerprint).then(|| CurrentSchemaPlan {
        name: plan::name(&wanted.fingerprint),
        uid: ids::uid_text(wanted.uid),
        fingerprint: fingerprint.clone(),
        controller_state_version: version(),
        binding: binding.clone(),
        content_digest: content.digest.clone(),
        desired_digest: desired.digest.clone(),
        actual_state_fingerprint: object.spec.0.actual_state_fingerprint.clone(),
        desired_state_fingerprint: object.spec.0.desired_state_fingerprint.clone(),
        destructive: object.spec.0.destructive,
        privilege_changes: privilege_changes.clone(),
        statement_count: object.spec.0.statement_count,
        created_at: object.spec.0.created_at,
        recorded_by: object.spec.0.recorded_by.clone(),
        approval: None,
    })
}

/// What a migration's status keeps of this plan, if it is the one that was read.
pub(super) fn current_migration_plan(wanted: PlanRef, stored: Option<&StoredPlan>) -> Option<CurrentMigrationPlan> {
    let StoredPlan::Migration(object) = stored? else { return None };
    let uid = object.metadata.uid.as_deref()?;
    let MigrationPlan { fingerprint, binding, history_fingerprint, sequence_digest, .. } = &object.spec.0;
    is(wanted, uid, fingerprint).then(|| CurrentMigrationPlan {
        name: plan::name(&wanted.fingerprint),
        uid: ids::uid_text(wanted.uid),
        fingerprint: fingerprint.clone(),
        controller_state_version: version(),
        binding: binding.clone(),
        history_fingerprint: history_fingerprint.clone(),
        sequence_digest: sequence_digest.clone(),
        applied_rows_digest: object.spec.0.applied_rows_digest.clone(),
        step_count: object.spec.0.step_count,
        created_at: object.spec.0.created_at,
        recorded_by: object.spec.0.recorded_by.clone(),
        approval: None,
    })
}

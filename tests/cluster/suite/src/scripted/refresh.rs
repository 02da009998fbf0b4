//! A refresh: what was fetched against what is in the database, and the plan that leads from one to the other.

use anyhow::{Context as _, Result};
use ptah_model::Digest;
use ptah_records::operator::latest::{
    Answer, Attachment, AttachmentName, Encoding, HistoryRead, Proposed, RefreshReading, SchemaTransactions, Section,
    StageResult, StateRead, StepTransaction, Verified,
};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{MigrationKey, Sha256};
use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;

use super::database::{Database, Objects};
use super::facts::{drift, failure, fingerprint, now, seen};
use super::plan::{SchemaPlan, hurts, is_destructive, privileges, steps};
use super::registry::{Content, Migration};
use super::trouble::Trouble;
use super::work::{Ending, Place, silenced};
use super::{Script, sequence};

pub(super) fn refresh(place: &Place<'_>, reading: &RefreshReading, trouble: Option<Trouble>) -> Result<Ending> {
    if let Ok(ending) = silenced(trouble.as_ref(), None) {
        return Ok(ending);
    }
    let (mut sections, digest) = match place.stage.as_ref().map(|stage| &stage.result) {
        None => {
            let failure = failure("no_stage", "Nothing was fetched.")?;
            return place.reports(vec![Section::Resolve(Answer::Failed(failure))]);
        }
        Some(StageResult::NotResolved(failure)) => {
            return place.reports(vec![Section::Resolve(Answer::Failed(failure.clone()))]);
        }
        Some(StageResult::NotVerified { resolved, failure }) => {
            let resolved = Section::Resolve(Answer::Done(resolved.clone()));
            return place.reports(vec![resolved, Section::Verify(Answer::Failed(failure.clone()))]);
        }
        Some(StageResult::Staged { resolved, verification_policy_digest, content_digest, files: _ }) => {
            let verified =
                Verified { policy_digest: verification_policy_digest.clone(), content_digest: content_digest.clone() };
            let before =
                vec![Section::Resolve(Answer::Done(resolved.clone())), Section::Verify(Answer::Done(verified))];
            (before, resolved.digest.clone())
        }
    };
    if matches!(trouble, Some(Trouble::NoConnection | Trouble::Busy)) {
        let failure = failure("connect_failed", "The database is not reached.")?;
        sections.push(match reading {
            RefreshReading::Schema { .. } => Section::State(Answer::Failed(failure)),
            RefreshReading::Migration { .. } => Section::History(Answer::Failed(failure)),
        });
        return place.reports(sections);
    }
    let began = now()?;
    let script = place.store.read()?;
    let ended = now()?;
    let content = script.registry.by_digest(&digest).context("what was fetched is not in the registry any more")?;
    let read = Read { script: &script, began, ended, plan_fails: trouble.is_some() };
    match (reading, content) {
        (RefreshReading::Schema { .. }, Content::Schema(wanted)) => read.schema(place, sections, reading, wanted),
        (RefreshReading::Migration { transaction_mode }, Content::Migrations(all)) => {
            read.migration(place, sections, *transaction_mode, all)
        }
        (RefreshReading::Schema { .. } | RefreshReading::Migration { .. }, _) => {
            let failure = failure("wrong_artifact", "The artifact is one of the other family.")?;
            sections.truncate(1);
            sections.push(Section::Verify(Answer::Failed(failure)));
            place.reports(sections)
        }
    }
}

/// What was read, and when.
struct Read<'a> {
    script: &'a Script,
    began: Moment,
    ended: Moment,
    plan_fails: bool,
}

impl Read<'_> {
    fn schema(
        &self,
        place: &Place<'_>,
        mut sections: Vec<Section>,
        reading: &RefreshReading,
        wanted: &Objects,
    ) -> Result<Ending> {
        let RefreshReading::Schema { exclude, protected_tables, drift_severity, transaction_mode, .. } = reading else {
            anyhow::bail!("a reading of the other family");
        };
        let database = &self.script.database;
        let actual = seen(&database.objects, exclude.as_slice());
        let wanted = seen(wanted, exclude.as_slice());
        let steps = steps(&actual, &wanted);
        sections.push(Section::State(Answer::Done(StateRead {
            identity: database.identity(),
            state_fingerprint: fingerprint(&actual),
            began_at: self.began,
            ended_at: self.ended,
            drift: drift(&actual, &steps, *drift_severity)?,
            runs: database.run_rows()?,
        })));
        if self.plan_fails || steps.is_empty() {
            return place.reports(self.without_plan(sections)?);
        }
        sections.push(Section::Plan(Answer::Done(Proposed::Schema {
            actual_state_fingerprint: fingerprint(&actual),
            desired_state_fingerprint: fingerprint(&wanted),
            destructive: is_destructive(&steps),
            privilege_changes: List::new(privileges(&steps))?,
            statement_count: Whole::new(u64::try_from(steps.len())?)?,
            protected_table: hurts(&steps, protected_tables.as_slice()),
        })));
        let in_transaction = *transaction_mode != SchemaTransactions::None;
        let plan = SchemaPlan { exclude: exclude.as_slice().to_vec(), in_transaction, steps };
        let (plan, desired) = (serde_json::to_vec(&plan)?, serde_json::to_vec(&wanted)?);
        let attached = vec![attachment(AttachmentName::Plan, &plan)?, attachment(AttachmentName::Desired, &desired)?];
        place.reports_with(sections, attached, plan, desired)
    }

    fn migration(
        &self,
        place: &Place<'_>,
        mut sections: Vec<Section>,
        mode: Option<StepTransaction>,
        all: &[Migration],
    ) -> Result<Ending> {
        let database = &self.script.database;
        let found = sequence::compare(&database.history, all)?;
        sections.push(Section::History(Answer::Done(self.history(database, &found)?)));
        if self.plan_fails || found.pending.is_empty() {
            return place.reports(self.without_plan(sections)?);
        }
        let steps: Result<Vec<_>> = found.pending.iter().map(|one| one.step(mode)).collect();
        sections.push(Section::Plan(Answer::Done(Proposed::Migration { migrations: List::new(steps?)? })));
        place.reports(sections)
    }

    fn history(&self, database: &Database, found: &sequence::Found<'_>) -> Result<HistoryRead> {
        let first = |versions: &[MigrationKey]| List::cut(versions.to_vec()).0;
        let done = |rows: &super::HistoryRow| (!rows.dirty).then(|| rows.version.clone());
        Ok(HistoryRead {
            identity: database.identity(),
            fingerprint: found.fingerprint.clone(),
            rows_digest: found.rows_digest.clone(),
            sequence_digest: found.sequence_digest.clone(),
            began_at: self.began,
            ended_at: self.ended,
            current_version: database.history.iter().rev().find_map(done),
            checkpoint_version: database.history.iter().rev().filter(|row| row.checkpoint).find_map(done),
            applied_count: Whole::new(u64::try_from(found.applied)?)?,
            pending_count: Whole::new(u64::try_from(found.pending.len())?)?,
            dirty: database.history.iter().any(|row| row.dirty),
            ahead: found.ahead,
            modified_versions: first(&found.modified),
            out_of_order_versions: first(&found.out_of_order),
            runs: database.run_rows()?,
        })
    }

    fn without_plan(&self, mut sections: Vec<Section>) -> Result<Vec<Section>> {
        sections.push(Section::Plan(if self.plan_fails {
            Answer::Failed(failure("plan_failed", "No plan can be made.")?)
        } else {
            Answer::Done(Proposed::Nothing {})
        }));
        Ok(sections)
    }
}

fn attachment(name: AttachmentName, bytes: &[u8]) -> Result<Attachment> {
    let size = u64::try_from(bytes.len())?;
    Ok(Attachment {
        name,
        stored_size: Whole::new(size)?,
        encoding: Encoding::Identity,
        size: Whole::new(size)?,
        digest: Sha256::from(&Digest::of(bytes)),
    })
}

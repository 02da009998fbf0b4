//! What a run does to the database, cut where the database commits.

use anyhow::{Result, ensure};
use ptah_records::operator::latest::{MigrationStep, StepTransaction};

use super::database::{Database, HistoryRow, Step};
use super::plan::SchemaPlan;
use super::registry::Migration;

/// What is committed as one.
#[derive(Debug, Default)]
pub(super) struct Commit {
    /// Its statements.
    pub(super) steps: Vec<Step>,
    /// The row of the history that it writes.
    pub(super) row: Option<HistoryRow>,
}

impl Commit {
    /// How many units it has.
    pub(super) fn units(&self) -> u64 {
        u64::try_from(self.steps.len()).unwrap_or(u64::MAX)
    }

    /// Does it.
    pub(super) fn run(&self, database: &mut Database) {
        for step in &self.steps {
            step.run(&mut database.objects);
        }
        if let Some(row) = &self.row {
            database.history.retain(|before| before.version != row.version);
            database.history.push(row.clone());
        }
    }
}

/// A schema's plan: one transaction, or none.
pub(super) fn of_plan(plan: SchemaPlan) -> Vec<Commit> {
    if plan.in_transaction {
        return vec![Commit { steps: plan.steps, row: None }];
    }
    plan.steps.into_iter().map(|step| Commit { steps: vec![step], row: None }).collect()
}

/// A sequence: each migration in a transaction of its own, or statement by statement between two writes of its row.
pub(super) fn of_sequence(planned: &[MigrationStep], sequence: &[Migration]) -> Result<Vec<Commit>> {
    let mut commits = Vec::new();
    for step in planned {
        let found = sequence.iter().find(|one| one.version == step.version);
        let checksum = found.map(Migration::checksum).transpose()?;
        ensure!(checksum.as_ref() == Some(&step.checksum), "the artifact has another migration of this version");
        let steps = found.map(|one| one.steps.clone()).unwrap_or_default();
        let row = |dirty| HistoryRow {
            version: step.version.clone(),
            checksum: step.checksum.clone(),
            checkpoint: step.checkpoint,
            dirty,
        };
        if step.transaction_mode == Some(StepTransaction::File) {
            commits.push(Commit { steps, row: Some(row(false)) });
            continue;
        }
        commits.push(Commit { steps: Vec::new(), row: Some(row(true)) });
        commits.extend(steps.into_iter().map(|step| Commit { steps: vec![step], row: None }));
        commits.push(Commit { steps: Vec::new(), row: Some(row(false)) });
    }
    Ok(commits)
}

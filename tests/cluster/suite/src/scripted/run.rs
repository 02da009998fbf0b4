//! A run that was spent: its commits, and what is said where one of them does not come.

use std::time::Duration;

use anyhow::Result;
use ptah_records::operator::latest::{Outcome, RunReport, ServerIdentity};
use ptah_records::operator::list::List;
use ptah_records::operator::text::MigrationKey;
use ptah_records::operator::whole::Whole;

use super::apply::report;
use super::commits::Commit;
use super::database::{Database, Late};
use super::facts::{failure, now};
use super::store::Session;
use super::trouble::Trouble;
use super::work::{Ending, Place};

/// A run.
pub(super) struct Run<'a> {
    pub(super) place: &'a Place<'a>,
    pub(super) identity: ServerIdentity,
    /// How many units it has.
    pub(super) units: u64,
    pub(super) trouble: Option<Trouble>,
}

/// How far a run came.
#[derive(Default)]
pub(super) struct Progress {
    /// How many units are in the database.
    units: u64,
    /// Which migrations are.
    versions: Vec<MigrationKey>,
    /// The migration that is begun there and not ended, and how many units of it are there.
    open: Option<(MigrationKey, u64)>,
}

/// What comes next, and whether it is the last.
type Next<'a> = Option<(&'a Commit, bool)>;

impl Progress {
    fn came_to(&mut self, commit: &Commit) {
        self.units += commit.units();
        match &commit.row {
            Some(row) if row.dirty => self.open = Some((row.version.clone(), 0)),
            Some(row) => {
                self.versions.push(row.version.clone());
                self.open = None;
            }
            None => self.open = self.open.take().map(|(version, units)| (version, units + commit.units())),
        }
    }
}

impl Run<'_> {
    pub(super) fn carry_out(&self, commits: &[Commit], sequence: Option<u64>, session: Session) -> Result<Ending> {
        let mut progress = Progress::default();
        let after = self.trouble.as_ref().and_then(Trouble::after);
        for (index, commit) in commits.iter().enumerate() {
            let ends = index + 1 == commits.len();
            if after.is_some_and(|after| after < progress.units + commit.units()) {
                return self.struck(Some((commit, ends)), &progress, sequence, session);
            }
            self.place.store.update(|script| {
                self.commit(&mut script.database, commit, ends);
                Ok(())
            })?;
            progress.came_to(commit);
        }
        if after.is_some() {
            return self.struck(None, &progress, sequence, session);
        }
        drop(session);
        self.says(Outcome::Applied, &progress, sequence, None)
    }

    /// The end of the run is part of its last commit.
    fn commit(&self, database: &mut Database, commit: &Commit, ends: bool) {
        commit.run(database);
        if ends {
            database.finish(&self.place.spec.operation_id);
        }
    }

    /// Trouble came, before this commit or after the last.
    fn struck(&self, next: Next<'_>, progress: &Progress, sequence: Option<u64>, session: Session) -> Result<Ending> {
        match &self.trouble {
            Some(Trouble::Dies { goes_on, .. }) => {
                if let (Some(time), Some((commit, ends))) = (goes_on, next) {
                    self.server_goes_on(commit, ends, Duration::from_millis(*time))?;
                }
                Ok(Ending::Dies(Some(session)))
            }
            Some(Trouble::Hangs { .. }) => Ok(Ending::Hangs(Some(session))),
            Some(Trouble::SaysNothing { .. }) => Ok(Ending::SaysNothing),
            Some(Trouble::Fails { .. }) => {
                self.end_cleanly(progress)?;
                let outcome = match (next, progress.units) {
                    (None, _) => Outcome::Applied,
                    (Some(_), 0) => Outcome::NotApplied,
                    (Some(_), _) => Outcome::Partial,
                };
                self.says(outcome, progress, sequence, next.map(|_| "statement_refused"))
            }
            _ => self.says(Outcome::Unknown, progress, sequence, Some("connection_lost")),
        }
    }

    /// That a statement was refused is known: the row of the run ends, and a migration of which nothing is there leaves none.
    fn end_cleanly(&self, progress: &Progress) -> Result<()> {
        self.place.store.update(|script| {
            let database = &mut script.database;
            database.finish(&self.place.spec.operation_id);
            if let Some((version, 0)) = &progress.open {
                database.history.retain(|row| row.version != *version);
            }
            Ok(())
        })
    }

    fn server_goes_on(&self, commit: &Commit, ends: bool, time: Duration) -> Result<()> {
        let at = now()?.milliseconds() + u64::try_from(time.as_millis())?;
        self.place.store.update(|script| {
            let mut then = script.database.clone();
            self.commit(&mut then, commit, ends);
            script.database.late = Some(Late { at, then: Box::new(then) });
            Ok(())
        })
    }

    pub(super) fn says(
        &self,
        outcome: Outcome,
        progress: &Progress,
        sequence: Option<u64>,
        code: Option<&str>,
    ) -> Result<Ending> {
        let partial = (outcome == Outcome::Partial).then_some(progress.units);
        let sentence = "The run ended otherwise than it should.";
        let run = RunReport {
            outcome,
            applied_units: partial.map(Whole::new).transpose()?,
            units: Some(Whole::new(self.units)?),
            applied_versions: List::new(progress.versions.clone())?,
            identity: Some(self.identity.clone()),
            sequence: sequence.map(Whole::new).transpose()?,
            failure: code.map(|code| failure(code, sentence)).transpose()?,
            lock_holder: None,
        };
        report(self.place, run)
    }
}

//! The scripted database.

use std::collections::BTreeMap;

use ptah_model::{Digest, DigestBuilder};
use ptah_records::operator::latest::{Family, RunRows, ServerIdentity, UnfinishedRun};
use ptah_records::operator::limits::SETTLED;
use ptah_records::operator::list::List;
use ptah_records::operator::text::{MigrationKey, OperationId, Sha256};
use ptah_records::operator::whole::Whole;
use serde::{Deserialize, Serialize};

/// What a database has: objects by name, each with its definition. A name that begins with `grant:` is a right.
pub type Objects = BTreeMap<String, String>;

/// A database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// What the server says it is. Two scripts with the same name are aliases of each other, or clones.
    pub name: String,
    /// How it is reached.
    pub route: String,
    /// The running server beneath it; absent where it does not say.
    pub instance: Option<String>,
    /// What is in it.
    pub objects: Objects,
    /// Its history of migrations, oldest first.
    pub history: Vec<HistoryRow>,
    /// Its own table of runs, oldest first.
    pub runs: Vec<RunRow>,
    /// What its server still does after a client died.
    pub late: Option<Late>,
}

/// One migration that was begun here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryRow {
    /// Its version.
    pub version: MigrationKey,
    /// The checksum of the file that was applied.
    pub checksum: MigrationKey,
    /// Whether it was a checkpoint.
    #[serde(default)]
    pub checkpoint: bool,
    /// Whether it was begun and not ended.
    #[serde(default)]
    pub dirty: bool,
}

/// One run that was spent here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRow {
    /// The run.
    pub operation: OperationId,
    /// By whose rule it settles.
    pub family: Family,
    /// The fingerprint of its plan.
    pub plan: Sha256,
    /// Its number, from 1.
    pub sequence: u64,
    /// Whether its end is written down.
    pub finished: bool,
}

/// What a server still does after its client died: a statement that was under way is committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Late {
    /// When, in milliseconds since 1970. Until then the dead session holds the lock.
    pub at: u64,
    /// What the database is then, whatever was changed in it meanwhile.
    pub then: Box<Database>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Step {
    /// Creates an object, or changes it.
    Put(String, String),
    /// Removes an object, if it is there.
    Drop(String),
}

impl Step {
    /// Does it.
    pub(crate) fn run(&self, objects: &mut Objects) {
        match self {
            Self::Put(name, definition) => drop(objects.insert(name.clone(), definition.clone())),
            Self::Drop(name) => drop(objects.remove(name)),
        }
    }

    /// The object that it is about.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Put(name, _) | Self::Drop(name) => name,
        }
    }
}

impl Database {
    /// An empty database of this name.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            route: format!("{name}.db.test:5432"),
            instance: Some(format!("{name} since its start")),
            ..Self::default()
        }
    }

    /// What it says it is.
    pub fn identity(&self) -> ServerIdentity {
        let of = |what, text: &str| Sha256::from(&DigestBuilder::new(what).text(text).finish());
        ServerIdentity {
            route_digest: of("ptah.scripted.route.v1", &self.route),
            database_identity: of("ptah.scripted.database.v1", &self.name),
            instance_identity: self.instance.as_deref().map(|name| of("ptah.scripted.instance.v1", name)),
        }
    }

    /// What it remembers of runs.
    pub(crate) fn run_rows(&self) -> anyhow::Result<RunRows> {
        let open = self.runs.iter().rev().filter(|run| !run.finished).take(SETTLED);
        let unfinished = open.map(|run| UnfinishedRun {
            operation_id: run.operation.clone(),
            family: Some(run.family),
            plan_digest: run.plan.clone(),
        });
        Ok(RunRows { sequence: Whole::new(self.last_run())?, unfinished: List::new(unfinished.collect())? })
    }

    /// The number of the last run; 0 for none.
    pub(crate) fn last_run(&self) -> u64 {
        self.runs.iter().map(|run| run.sequence).max().unwrap_or_default()
    }

    /// Writes down that a run ended.
    pub(crate) fn finish(&mut self, operation: &OperationId) {
        for run in self.runs.iter_mut().filter(|run| run.operation == *operation) {
            run.finished = true;
        }
    }

    /// The digest over rows of the history.
    pub(crate) fn digest_of<'a>(rows: impl Iterator<Item = &'a HistoryRow>) -> Digest {
        let digest = rows.fold(DigestBuilder::new("ptah.scripted.history.v1"), |digest, row| {
            let flags = u64::from(row.checkpoint) | u64::from(row.dirty) << 1;
            digest.text(row.version.as_str()).text(row.checksum.as_str()).number(flags)
        });
        digest.finish()
    }
}

//! What the sections of a frame say when they were done.

use serde::{Deserialize, Serialize};

use super::drift::DriftReport;
use super::frame::Failure;
use super::migration_plan::MigrationStep;
use super::parts::Family;
use super::run::Outcome;
use super::schema_plan::PrivilegeChange;
use crate::operator::limits::{MIGRATIONS, SETTLED};
use crate::operator::list::List;
use crate::operator::text::{MediaType, MigrationKey, OciReference, OperationId, Sha256, ShortText};
use crate::operator::time::Moment;
use crate::operator::whole::Whole;

/// What a reference led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resolved {
    /// The reference by digest.
    pub reference: OciReference,
    /// The artifact's digest.
    pub digest: Sha256,
    /// The media type of its manifest.
    pub media_type: MediaType,
    /// The type that the artifact says it has; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<MediaType>,
    /// How large its content is, in bytes.
    pub size: Whole<0, 1_099_511_627_776>,
}

/// An artifact that is trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Verified {
    /// The digest of the policy that it was verified under.
    pub policy_digest: Sha256,
    /// The digest over its files.
    pub content_digest: Sha256,
}

/// Which database answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServerIdentity {
    /// The digest over the address without its credentials.
    pub route_digest: Sha256,
    /// The digest over what the server says it is.
    pub database_identity: Sha256,
    /// The digest over the running server beneath it; absent where the engine does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_identity: Option<Sha256>,
}

/// What the database remembers of runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRows {
    /// The highest number of a run; 0 for none. A lower one than last time: the database was put back.
    pub sequence: Whole<0, 9_007_199_254_740_991>,
    /// Runs that are begun and not finished, the newest first; may be empty.
    pub unfinished: List<UnfinishedRun, SETTLED>,
}

/// A run that the database remembers as begun and not finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnfinishedRun {
    /// The run.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// By whose rule it settles; absent where its row does not say. It is then a migration's, which is the stricter one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Family>,
    /// The digest of its plan.
    pub plan_digest: Sha256,
}

/// What is in a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateRead {
    /// The database.
    pub identity: ServerIdentity,
    /// The fingerprint of what was read.
    pub state_fingerprint: Sha256,
    /// When the reading began, by the Pod's clock.
    pub began_at: Moment,
    /// When the reading ended, by the Pod's clock.
    pub ended_at: Moment,
    /// How it differs from what is wanted.
    pub drift: DriftReport,
    /// What the database remembers of runs.
    pub runs: RunRows,
}

/// What a history says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryRead {
    /// The database.
    pub identity: ServerIdentity,
    /// The fingerprint of the history together with the artifact's sequence.
    pub fingerprint: Sha256,
    /// The digest over the rows of the history.
    pub rows_digest: Sha256,
    /// The digest over the artifact's whole sequence.
    pub sequence_digest: Sha256,
    /// When the reading began, by the Pod's clock.
    pub began_at: Moment,
    /// When the reading ended, by the Pod's clock.
    pub ended_at: Moment,
    /// The version that the database is at; absent for an empty history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<MigrationKey>,
    /// The checkpoint that the history starts from; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_version: Option<MigrationKey>,
    /// How many migrations of the artifact are applied.
    pub applied_count: Whole<0, 1_000_000>,
    /// How many migrations of the artifact are not.
    pub pending_count: Whole<0, 1_000_000>,
    /// Whether a migration is recorded as begun and not ended.
    pub dirty: bool,
    /// Whether the database has migrations that the artifact does not have.
    pub ahead: bool,
    /// Applied versions whose files are not what was applied, the first 64; may be empty.
    pub modified_versions: List<MigrationKey, 64>,
    /// Pending versions that come before an applied one, the first 64; may be empty.
    pub out_of_order_versions: List<MigrationKey, 64>,
    /// What the database remembers of runs.
    pub runs: RunRows,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Proposed {
    /// Nothing.
    Nothing {},
    /// A plan of a schema; plan file and desired document are attached.
    #[serde(rename_all = "camelCase")]
    Schema {
        /// The fingerprint of the state that it was computed from.
        actual_state_fingerprint: Sha256,
        /// The fingerprint of the state that it leads to.
        desired_state_fingerprint: Sha256,
        /// Whether it can lose something.
        destructive: bool,
        /// What it changes about rights, sorted, each once; may be empty.
        privilege_changes: List<PrivilegeChange, 16>,
        /// How many statements it has.
        statement_count: Whole<1, 1_000_000>,
        /// Whether a protected table would lose something: then it is never carried out.
        protected_table: bool,
    },
    /// A sequence of migrations.
    Migration {
        /// What is to be run, in order; at least one.
        migrations: List<MigrationStep, MIGRATIONS>,
    },
}

/// What a settling reading of a schema found, under the database's lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Compared {
    /// The database.
    pub identity: ServerIdentity,
    /// The fingerprint of what was read.
    pub state_fingerprint: Sha256,
    /// Whether it is as the plan wanted it; absent when the desired document is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_desired: Option<bool>,
    /// What the database remembers of runs.
    pub runs: RunRows,
}

/// What a settling reading of a migration found, under the database's lock.
#[expect(clippy::struct_excessive_bools, reason = "each is one finding, and every combination is possible")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RowsRead {
    /// The database.
    pub identity: ServerIdentity,
    /// The digest over the rows of the history.
    pub rows_digest: Sha256,
    /// Whether a migration is recorded as begun and not ended.
    pub dirty: bool,
    /// Whether every planned version is applied with its checksum.
    pub every_planned_applied: bool,
    /// Whether the rows that were there before the run are unchanged.
    pub older_unchanged: bool,
    /// Whether nothing of the artifact's sequence is pending.
    pub nothing_pending: bool,
    /// What the database remembers of runs.
    pub runs: RunRows,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunReport {
    /// How it ended, as far as the runner knows.
    pub outcome: Outcome,
    /// How many units are in the database, for a partial outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_units: Option<Whole<0, 4_294_967_295>>,
    /// How many units there were; absent where the process that did the work never said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<Whole<0, 4_294_967_295>>,
    /// The versions of migrations that are applied now, in order; empty for a schema.
    pub applied_versions: List<MigrationKey, MIGRATIONS>,
    /// The database; absent when none was opened, and where nobody knows whether one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<ServerIdentity>,
    /// The number of the run in the database's own table; absent when it was not spent there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<Whole<1, 9_007_199_254_740_991>>,
    /// Why it ended so; absent where it simply succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The database process that held the lock, where the run met it busy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_holder: Option<ShortText>,
}

/// The database's lock is held by another session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockBusy {
    /// The database that refused the lock.
    pub identity: ServerIdentity,
    /// The database process that holds it; absent where the engine does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<ShortText>,
    /// How long that process has held it, in seconds; absent where the engine does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<Whole<0, 9_007_199_254_740_991>>,
}

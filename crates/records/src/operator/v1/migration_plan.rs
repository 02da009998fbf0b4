//! The plan of the migration family: what a `PtahMigrationPlan` says.

use ptah_model::DigestBuilder;
use serde::{Deserialize, Serialize};

use super::binding::{ManagerRecord, PlanBinding};
use super::parts::{ObjectRef, StateVersion};
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::MIGRATIONS;
use crate::operator::list::List;
use crate::operator::text::{MigrationKey, Sha256, ShortText};
use crate::operator::time::Moment;
use crate::operator::whole::Whole;

/// How a migration relates to transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum StepTransaction {
    /// In one of its own.
    #[serde(rename = "file")]
    File,
    /// In none.
    #[serde(rename = "none")]
    None,
}

impl StepTransaction {
    /// Its word.
    fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::None => "none",
        }
    }
}

/// One migration of a planned sequence. Its text is in the artifact; the checksum is what was planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MigrationStep {
    /// Its version.
    pub version: MigrationKey,
    /// What it is about, as its file says; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<ShortText>,
    /// The checksum of its file.
    pub checksum: MigrationKey,
    /// Whether it stands for all versions before it.
    #[serde(default)]
    pub checkpoint: bool,
    /// How it relates to transactions; absent where the engine chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_mode: Option<StepTransaction>,
}

/// The plan of one migration resource: the spec of a `PtahMigrationPlan`. It holds no SQL.
///
/// - **Who writes it:** the manager, once; it cannot be changed afterwards.
/// - **Who reads it:** approvers, every step towards an Apply, and the reading that settles one.
/// - **When it is removed:** by the retention, when nothing names it any more; with its resource otherwise.
/// - **Size:** under 256 KiB, for 256 migrations with the longest texts.
/// - **An old reader:** refused by `contractVersion`; the fence stops a manager on a higher `controllerStateVersion`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MigrationPlan {
    /// The version of this document: always 1.
    pub contract_version: Whole<1, 1>,
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// The resource that it is for.
    pub migration_ref: ObjectRef,
    /// The digest over all that the plan is bound to: what an approval names. The core computes it, and compares it
    /// before it lets the plan run.
    pub fingerprint: Sha256,
    /// The fingerprint of the inputs that the reading was decided from which made this plan.
    pub input_fingerprint: Sha256,
    /// The digest over the sequence below.
    pub content_digest: Sha256,
    /// What it is bound to.
    pub binding: PlanBinding,
    /// The fingerprint of the history that the sequence was chosen against.
    pub history_fingerprint: Sha256,
    /// The version that the history was at; absent for an empty one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<MigrationKey>,
    /// What is run, in order, at least one. The order is content, and a version may repeat.
    pub migrations: List<MigrationStep, MIGRATIONS>,
    /// How many that is. For the list of plans.
    pub step_count: Whole<1, { MIGRATIONS as u64 }>,
    /// The digest over the artifact's whole sequence, not only over what is run.
    pub sequence_digest: Sha256,
    /// The digest over the rows of the history that were there before.
    pub applied_rows_digest: Sha256,
    /// The manager that stored it. For an audit only.
    pub recorded_by: ManagerRecord,
    /// When it was stored.
    pub created_at: Moment,
}

impl MigrationPlan {
    /// The digest over the sequence that is run: versions, checksums, checkpoints and modes, in order. Descriptions are not
    /// in it.
    pub fn content_digest_of(migrations: &[MigrationStep]) -> Sha256 {
        let mut digest = DigestBuilder::new("ptah.operator.migration-content.v1");
        for MigrationStep { version, description: _, checksum, checkpoint, transaction_mode } in migrations {
            digest = digest
                .text(version.as_str())
                .text(checksum.as_str())
                .number(u64::from(*checkpoint))
                .optional(transaction_mode.map(StepTransaction::word));
        }
        Sha256::from(&digest.finish())
    }
}

impl Record for MigrationPlan {
    const NAME: &'static str = "migration plan";

    fn check(&self) -> Result<(), Contradiction> {
        let count = u64::try_from(self.migrations.as_slice().len()).ok();
        rule::<Self>(count == Some(self.step_count.get()), "the number of steps is the length of the list")?;
        let content = Self::content_digest_of(self.migrations.as_slice());
        rule::<Self>(content == self.content_digest, "the content's digest is not the one of the sequence")
    }
}

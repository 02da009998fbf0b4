//! The termination summary: what a Pod says in its own status, in case nothing else of it is left.

use serde::{Deserialize, Serialize};

use super::run::Outcome;
use super::sections::ServerIdentity;
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::SMALL_DOCUMENT;
use crate::operator::seal::Document;
use crate::operator::text::{Code, MigrationKey, OperationId, Sha256, Uid};
use crate::operator::whole::Whole;

/// What a Pod says in its termination message.
///
/// - **Who writes it:** the runner, before the first attempt at delivering its frame.
/// - **Who reads it:** the leading manager, only where there is no frame. It never overrides one.
/// - **When it is removed:** with the Pod, which our finalizer keeps until it is read.
/// - **Size:** at most 2 KiB.
/// - **An old reader:** refused by its version; then the outcome is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TerminationSummary {
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The Pod.
    #[serde(rename = "podUID")]
    pub pod_uid: Uid,
    /// How the run ended; absent for a reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// How many units are in the database, for a partial outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_units: Option<Whole<0, 4_294_967_295>>,
    /// The first version that was applied; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_version: Option<MigrationKey>,
    /// The last version that was applied; absent for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_version: Option<MigrationKey>,
    /// The database; absent when none was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<ServerIdentity>,
    /// Why it ended so, as a stable code; absent where it simply succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// The digest of the whole delivery that is, or was to be, made.
    pub delivery_digest: Sha256,
}

impl Record for TerminationSummary {
    const NAME: &'static str = "termination summary";

    fn check(&self) -> Result<(), Contradiction> {
        let counted = (self.outcome == Some(Outcome::Partial)) == self.applied_units.is_some();
        rule::<Self>(counted, "a partial outcome, and no other, counts its units")?;
        let versions = self.first_version.is_some() == self.last_version.is_some();
        rule::<Self>(versions, "a first version comes with a last one")
    }
}

impl Document for TerminationSummary {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = SMALL_DOCUMENT;
}

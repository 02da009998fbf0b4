//! How the last uncertain run was settled: `status.resolvedRun`, in both families.

use serde::{Deserialize, Serialize};

use super::parts::{ObjectRef, StateVersion};
use super::run::Outcome;
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::text::{OperationId, Sentence, UserName};
use crate::operator::time::Moment;

/// What settled a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Resolution {
    /// A reading of the same database under its lock.
    Reading,
    /// A person's acknowledgment.
    Acknowledged,
    /// Another claimant of the same database: its Lease lists the operation as settled.
    SettledByAnother,
    /// Nothing: its Job was definitely refused, so nothing ran.
    NeverCreated,
}

/// What a person found in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Finding {
    /// All of the run is in the database.
    Applied,
    /// Nothing of the run is in the database.
    NotApplied,
    /// A part of it was, and the database was put right by hand.
    Repaired,
}

/// An acknowledgment that settled a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Acknowledged {
    /// The object.
    pub acknowledgment_ref: ObjectRef,
    /// Who acknowledged, as the API server knew them.
    pub acknowledged_by: UserName,
    /// What was found.
    pub finding: Finding,
    /// Why, in that person's words.
    pub reason: Sentence,
}

/// A run whose account was settled.
///
/// - **Who writes it:** the manager, in the patch that removes the record and writes the owed release.
/// - **Who reads it:** the answer to an acknowledgment; a frame that comes late; people.
/// - **When it is removed:** never; the next one replaces it.
/// - **Size:** under 6 KiB.
/// - **An old reader:** a manager that supports only a lower `controllerStateVersion` changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("x-kubernetes-validations" = [{
    "rule": "(self.resolution == 'Acknowledged') == has(self.acknowledged)",
    "message": "an acknowledgment, and nothing else, names who acknowledged",
}])))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolvedRun {
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// How it ended, as the record said before it was settled; absent where there was no record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What settled it.
    pub resolution: Resolution,
    /// The reading that settled it, where one did.
    #[serde(rename = "readingID", default, skip_serializing_if = "Option::is_none")]
    pub reading_id: Option<OperationId>,
    /// The acknowledgment that settled it; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<Acknowledged>,
    /// When it was settled.
    pub resolved_at: Moment,
}

impl Record for ResolvedRun {
    const NAME: &'static str = "resolved run";

    fn check(&self) -> Result<(), Contradiction> {
        let by_person = self.resolution == Resolution::Acknowledged;
        let named = by_person == self.acknowledged.is_some();
        rule::<Self>(named, "an acknowledgment, and nothing else, names who acknowledged")?;
        let by_reading = self.resolution == Resolution::Reading;
        rule::<Self>(by_reading || self.reading_id.is_none(), "only what a reading settled names one")
    }
}

//! A release that is owed: `status.pendingLockRelease`, in both families.

use serde::{Deserialize, Serialize};

use super::parts::{StateVersion, Tenure};
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::text::{OperationId, Sha256};

/// What has to be given back before anything else happens.
///
/// - **Who writes it:** the manager, in the patch that drops the claim or the record that held the database.
/// - **Who reads it:** the top of every pass, also of one that deletes.
/// - **When it is removed:** last of all, after the hold is dropped and both Leases are empty. Every step repeats without
///   harm, so a manager that dies in between leaves it to the next pass.
/// - **Size:** under 1 KiB.
/// - **An old reader:** a manager that supports only a lower `controllerStateVersion` releases nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwedRelease {
    /// The version of the contract under which it was written.
    pub controller_state_version: StateVersion,
    /// The operation whose tenure ends.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The digest of the realm's name: which of the realm's Leases.
    pub coordination_digest: Sha256,
    /// What the server says the database is: which of the databases' Leases; absent when that was never taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_identity: Option<Sha256>,
    /// The tenure that ends. Another tenure, also one of ours, is not touched.
    pub tenure: Tenure,
    /// Whether the hold goes too: only after a settlement, or when nothing was dispatched.
    pub drop_hold: bool,
}

impl Record for OwedRelease {
    const NAME: &'static str = "owed release";

    fn check(&self) -> Result<(), Contradiction> {
        let named = self.database_identity.is_some() == self.tenure.database_epoch.is_some();
        rule::<Self>(named, "a tenure of the database's Lease, and nothing else, names the database")?;
        rule::<Self>(!self.drop_hold || self.database_identity.is_some(), "a hold is dropped from a database's Lease")
    }
}

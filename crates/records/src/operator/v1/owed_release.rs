//! A release that is owed: `status.pendingLockRelease`, in both families.

use serde::{Deserialize, Serialize};

use super::parts::StateVersion;
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::text::{Epoch, OperationId, Sha256};

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
    /// The operation that holds them.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The digest of the realm's name: which of the realm's Leases.
    pub coordination_digest: Sha256,
    /// What the server says the database is: which of the databases' Leases; absent when it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_identity: Option<Sha256>,
    /// The tenure of the realm's Lease that ends; absent when it was not taken. Another tenure, also one of ours, is not
    /// touched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordination_epoch: Option<Epoch>,
    /// The tenure of the database's Lease that ends; absent when it was not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_epoch: Option<Epoch>,
    /// The run whose hold is dropped, and noted as settled; absent where the hold stays: only a settlement drops one, or a
    /// claim that ends before its dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_hold: Option<OperationId>,
}

impl Record for OwedRelease {
    const NAME: &'static str = "owed release";

    fn check(&self) -> Result<(), Contradiction> {
        let named = self.database_identity.is_some();
        rule::<Self>(named || self.database_epoch.is_none(), "a tenure of a database's Lease names the database")?;
        rule::<Self>(named || self.drop_hold.is_none(), "a hold is dropped from a database's Lease")
    }
}

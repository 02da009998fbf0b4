//! What stands on a database's own Lease: the hold, what was settled, and who reaches the database.

use serde::{Deserialize, Serialize};

use super::parts::{Family, HeldPlan};
use crate::operator::check::{Contradiction, Record, rule};
use crate::operator::limits::{SETTLED, SMALL_DOCUMENT};
use crate::operator::list::List;
use crate::operator::seal::Document;
use crate::operator::text::{OperationId, Sha256, Uid};
use crate::operator::time::Moment;

/// The run whose outcome is not settled. While it stands, nothing that may write is granted this database, for no resource
/// and under no name.
///
/// - **Who writes it:** the leading manager, by a swap on holder and epoch, before it spends the approval and marks the
///   claim; so it stands before a Job may exist.
/// - **Who reads it:** every claimant of the database, before it acquires; the permit; the reading that settles the run.
/// - **When it is removed:** by the swap that adds its operation to the [`Settled`] ones: after a reading, an
///   acknowledgment, or when its claim ended before the dispatch.
/// - **Size:** at most 2 KiB, as an annotation of the Lease.
/// - **An old reader:** refused by the version of the contract; the whole manager stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hold {
    /// The run.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// By whose rule it settles.
    pub family: Family,
    /// The resource that ran it; it may be gone.
    #[serde(rename = "resourceUID")]
    pub resource_uid: Uid,
    /// The plan that it carries out; it may be gone.
    pub plan: HeldPlan,
    /// The digest over the artifact's whole sequence; only for a migration whose plan was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence_digest: Option<Sha256>,
    /// When the run ends at the latest.
    pub execution_not_after: Moment,
}

impl Record for Hold {
    const NAME: &'static str = "hold";

    fn check(&self) -> Result<(), Contradiction> {
        let sequence = self.sequence_digest.is_none() || self.family == Family::Migration;
        rule::<Self>(sequence, "only a migration has a sequence")
    }
}

impl Document for Hold {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = SMALL_DOCUMENT;
}

/// The last operations whose hold was dropped from this database's Lease.
///
/// - **Who writes it:** whoever drops a hold, in the same swap.
/// - **Who reads it:** a resource whose record names an operation: if it is here, another claimant settled it.
/// - **When it is removed:** never; the oldest go when there are more than 16.
/// - **Size:** at most 2 KiB, as an annotation of the Lease.
/// - **An old reader:** refused by the version of the contract; the whole manager stops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settled {
    /// The operations, the oldest first, each once.
    pub operations: List<OperationId, SETTLED>,
}

impl Record for Settled {
    const NAME: &'static str = "settled list";

    fn check(&self) -> Result<(), Contradiction> {
        let all = self.operations.as_slice();
        let distinct = all.iter().enumerate().all(|(index, one)| !all[..index].contains(one));
        rule::<Self>(distinct, "an operation stands in it once")
    }
}

impl Document for Settled {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = SMALL_DOCUMENT;
}

/// The realm through which this database is reached. Another one is an alias, and is refused.
///
/// - **Who writes it:** the swap that acquires the Lease for the first time, and one that moves the database to another
///   realm when nobody claims it under the old one.
/// - **Who reads it:** every claimant, before it acquires.
/// - **When it is removed:** never; it is replaced.
/// - **Size:** at most 2 KiB, as an annotation of the Lease.
/// - **An old reader:** refused by the version of the contract; the whole manager stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BoundTo {
    /// The digest of the realm's name.
    pub coordination_digest: Sha256,
}

impl Record for BoundTo {
    const NAME: &'static str = "binding of a database";

    fn check(&self) -> Result<(), Contradiction> {
        Ok(())
    }
}

impl Document for BoundTo {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = SMALL_DOCUMENT;
}

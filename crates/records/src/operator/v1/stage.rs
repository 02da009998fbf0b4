//! What the container that fetches leaves for the one that has the database: `stage.json`.

use serde::{Deserialize, Serialize};

use super::frame::Failure;
use super::sections::Resolved;
use crate::operator::check::{Contradiction, Record};
use crate::operator::limits::MESSAGE;
use crate::operator::seal::Document;
use crate::operator::text::{OperationId, Sha256};
use crate::operator::whole::Whole;

/// How fetching ended. The fetching container always exits with 0, so that this is read and told.
///
/// - **Who writes it:** the fetching container, last of all, in a volume of the Pod.
/// - **Who reads it:** the container that has the database; after a failure it opens no database.
/// - **When it is removed:** with the Pod.
/// - **Size:** at most 4 KiB.
/// - **An old reader:** refused by its version; both containers are of one image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stage {
    /// The operation.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// How it ended.
    pub result: StageResult,
}

/// How fetching ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum StageResult {
    /// The content is there.
    #[serde(rename_all = "camelCase")]
    Staged {
        /// What the reference led to.
        resolved: Resolved,
        /// The digest of the policy that it was verified under.
        verification_policy_digest: Sha256,
        /// The digest over the files: each with its path, length and bytes, in the order of their paths.
        content_digest: Sha256,
        /// How many files there are.
        files: Whole<0, 1_000_000>,
    },
    /// The reference led nowhere.
    NotResolved(Failure),
    /// What it led to is not trusted.
    #[serde(rename_all = "camelCase")]
    NotVerified {
        /// What the reference led to.
        resolved: Resolved,
        /// Why it is not trusted.
        failure: Failure,
    },
}

impl Record for Stage {
    const NAME: &'static str = "stage";

    fn check(&self) -> Result<(), Contradiction> {
        Ok(())
    }
}

impl Document for Stage {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = MESSAGE;
}

//! The start permit: what a runner asks before it opens a database, and what it is told.

use serde::{Deserialize, Serialize};

use crate::operator::check::{Contradiction, Record};
use crate::operator::limits::{MESSAGE, WINDOW_MOST};
use crate::operator::seal::Document;
use crate::operator::text::{Code, OperationId, Sentence, Sha256};
use crate::operator::whole::Whole;

/// What a runner of an Apply or a Settle asks. Who it is says its token, not this.
///
/// - **Who writes it:** the runner, once with the same key however often it asks.
/// - **Who reads it:** the endpoint of the leading manager.
/// - **When it is removed:** it is not kept; the claim keeps the Pod and the key's digest.
/// - **Size:** at most 4 KiB.
/// - **An old reader:** refused by its version: runner and manager are bound to one version of these documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermitRequest {
    /// The operation of its Job.
    #[serde(rename = "operationID")]
    pub operation_id: OperationId,
    /// The SHA-256 of a key that it made. What it delivers afterwards comes with the key.
    pub key_digest: Sha256,
}

/// What the runner is told. Who writes it is the manager, who reads it the runner; the rest is as for the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum PermitAnswer {
    /// It may begin. The same request gets the same answer.
    #[serde(rename_all = "camelCase")]
    Granted {
        /// The operation that may begin.
        #[serde(rename = "operationID")]
        operation_id: OperationId,
        /// For how long, in seconds from the moment at which the request was *sent*: neither clock enters.
        budget_seconds: Whole<1, WINDOW_MOST>,
    },
    /// Not now: something that moves by itself is not there yet. It asks again.
    NotYet {},
    /// Never: another Pod was let in, or the claim is not to be carried out any more. It opens nothing.
    Refused {
        /// Why, as a stable code.
        code: Code,
        /// The same as a sentence of ours.
        sentence: Sentence,
    },
}

impl Record for PermitRequest {
    const NAME: &'static str = "request for a permit";

    fn check(&self) -> Result<(), Contradiction> {
        Ok(())
    }
}

impl Document for PermitRequest {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = MESSAGE;
}

impl Record for PermitAnswer {
    const NAME: &'static str = "answer about a permit";

    fn check(&self) -> Result<(), Contradiction> {
        Ok(())
    }
}

impl Document for PermitAnswer {
    const CONTRACT_VERSION: u32 = 1;
    const LIMIT: usize = MESSAGE;
}

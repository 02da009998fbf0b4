//! `ProvisionDev`: scratch databases of the target's engine, where desired schemas are created and plans are proven.

use ptah_model::EngineName;

use crate::Violation;
use crate::key::{RequestId, SessionId};
use crate::plan::SnapshotRef;
use crate::session::DevId;

/// What a dev database starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DevContent {
    /// Nothing.
    Empty,
    /// The schema of a reading, without rows.
    CopyOf(SnapshotRef),
}

/// A request for a dev database. Ends with its session, or with the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvisionDevRequest {
    /// The request.
    pub request: RequestId,
    /// The engine.
    pub engine: EngineName,
    /// The session on whose server it is made; absent when the engine needs no server.
    pub session: Option<SessionId>,
    /// What it starts with.
    pub content: DevContent,
}

/// A dev database that `Open` accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevDatabase {
    /// The request.
    pub request: RequestId,
    /// Its handle.
    pub dev: DevId,
}

impl DevDatabase {
    /// Proves that it answers the request.
    pub fn validate_for(&self, asked: &ProvisionDevRequest) -> Result<(), Violation> {
        const M: &str = "DevDatabase";
        Violation::unless(self.request == asked.request, M, "request_id", "echoes the request")?;
        Violation::unless(!self.dev.0.is_empty(), M, "dev_id", "is not empty")
    }
}

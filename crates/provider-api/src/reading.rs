//! Inspect: one reading of the catalogue.

use ptah_model::{Fingerprint, SchemaModel, SnapshotId};

use crate::Violation;
use crate::key::SessionId;

/// A request to read the whole catalogue within the session's scope, in a constant number of queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectRequest {
    /// The session.
    pub session: SessionId,
    /// How long to wait for a busy engine, in milliseconds, at most 20 s.
    pub lock_timeout_ms: u64,
    /// Whether only the fingerprint is wanted: the objects then stay in the provider, and the reading's schema is empty.
    pub fingerprint_only: bool,
}

/// What was read. Arrives as a stream of parts that each keep the message limit; the host puts them together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The objects, and what could not be read.
    pub schema: SchemaModel,
    /// How many objects there are, also when only the fingerprint was asked for.
    pub count: u64,
    /// The fingerprint of the whole schema.
    pub fingerprint: Fingerprint,
    /// The provider keeps the reading under this name until the session closes.
    pub snapshot: SnapshotId,
}

impl Reading {
    /// Proves that the parts are whole and the fingerprint is that of what arrived.
    pub fn validate_for(&self, asked: &InspectRequest) -> Result<(), Violation> {
        const M: &str = "Reading";
        if asked.fingerprint_only {
            return Violation::unless(self.schema.is_empty(), M, "objects", "are left out when not asked for");
        }
        let whole = self.count == self.schema.objects().len() as u64;
        Violation::unless(whole, M, "count", "is the number of objects that arrived")?;
        let same = self.fingerprint == Fingerprint::of(&self.schema);
        Violation::unless(same, M, "fingerprint", "is that of the objects that arrived")
    }
}

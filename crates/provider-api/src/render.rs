//! Render: a reading as source text that would make it again.

use ptah_model::{EngineName, ObjectId};

use crate::Violation;
use crate::plan::SnapshotRef;

/// A request to write a reading as source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderRequest {
    /// The engine.
    pub engine: EngineName,
    /// The reading.
    pub snapshot: SnapshotRef,
}

/// The text, one definition after another, in an order in which they can be executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderReply {
    /// The definitions.
    pub definitions: Vec<RenderedDefinition>,
}

/// One object as source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedDefinition {
    /// The object.
    pub object: ObjectId,
    /// Its statement, without a final separator.
    pub text: String,
}

impl RenderReply {
    /// Proves that no definition is empty.
    pub fn validate(&self) -> Result<(), Violation> {
        let whole = self.definitions.iter().all(|d| !d.text.trim().is_empty());
        Violation::unless(whole, "RenderReply", "definitions.text", "is not empty")
    }
}

//! What the Pod's log says: one line of JSON each, our own sentences alone.

use std::io::Write as _;

/// Says one thing.
pub(crate) fn say(message: &str) {
    let line = serde_json::json!({ "program": "ptah-runner", "message": message });
    // A log that cannot be written to stops nothing.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

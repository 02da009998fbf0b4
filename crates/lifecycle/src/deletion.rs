//! Deletion: the finalizer goes when nothing of the resource can write, or a hold on the database says what may have run.

use crate::bounds;
use crate::decision::Decision;
use crate::object::Shown;
use crate::snapshot::Snapshot;

/// Lets a deleted resource go. Reached only without a claim and without an owed release; a record's hold was verified in
/// this very pass, so whoever claims the database next meets it.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    if !s.resource.deleting {
        return None;
    }
    Some(if s.resource.finalizer { Decision::RemoveFinalizer } else { s.wait(bounds::REFUSAL_LOOK, Shown::Pending) })
}

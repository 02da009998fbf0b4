//! Suspension: nothing new is started. What runs is followed to its end, and an unsettled run is still settled.

use crate::bounds;
use crate::decision::Decision;
use crate::object::Shown;
use crate::snapshot::Snapshot;

/// Waits while the resource is suspended.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    s.resource.spec.suspended.then(|| s.wait(bounds::REFUSAL_LOOK, Shown::Suspended))
}

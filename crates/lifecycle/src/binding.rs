//! Execution components: what was read and planned with others is not run with these.

use crate::decision::{Decision, Why};
use crate::object::{Binding, Observed};
use crate::snapshot::Snapshot;

/// Installs a new epoch when the components moved, also back to what they were. The plan goes with the old one.
///
/// Reached only without a claim and without a record: a run is followed to its end under the epoch that it began with.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    if is_current(s) {
        return None;
    }
    let components = s.manager.components;
    let mut status = s.next_status();
    status.binding = Some(Binding { components, epoch: s.fresh.epoch });
    status.plan = None;
    status.observed = status.observed.map(Observed::outdated);
    Some(s.write(status, Why::Rotate))
}

/// Whether this manager runs work with the components that the resource's readings and plans were made with.
pub fn is_current(s: &Snapshot) -> bool {
    s.resource.status.binding.is_some_and(|binding| binding.components == s.manager.components)
}

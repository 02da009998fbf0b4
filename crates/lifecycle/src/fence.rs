//! Stored state is never read by a manager that predates it, and a manager that does not lead writes nothing.

use crate::decision::{Decision, Refusal};
use crate::snapshot::Snapshot;

/// Refuses the whole pass, before anything else is looked at.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    if verify_stored_controller_state(s).is_err() {
        return Some(Decision::Refuse(Refusal::NewerState));
    }
    (!s.manager.leads).then_some(Decision::Refuse(Refusal::NotLeading))
}

/// Whether every piece of stored state in this snapshot is of a contract that this manager understands.
///
/// The scan before a start and before an update of the resource types asks the same about every stored object; this is
/// its share of each pass. Leases are in it, because the hold and what was settled are stored there.
///
/// # Errors
/// [`Refusal::NewerState`]: then nothing is written, not even a renewal.
pub fn verify_stored_controller_state(s: &Snapshot) -> Result<(), Refusal> {
    let status = s.resource.status.state_version;
    let plan = s.plan.map_or(0, |plan| plan.state_version);
    let hold = s.database_lease.as_ref().and_then(|lease| lease.hold()).map_or(0, |hold| hold.state_version);
    let newest = status.max(plan).max(hold);
    if newest > s.manager.state_version { Err(Refusal::NewerState) } else { Ok(()) }
}

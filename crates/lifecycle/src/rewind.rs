//! What the database remembers of runs, against what the cluster has noted: either may have been put back to an earlier
//! state. Looked at with every reading that nothing has overtaken, before anything is made of it.

use crate::bounds;
use crate::decision::{Decision, Why};
use crate::hold;
use crate::object::{ClaimRows, Family, Hold, Reading, Which};
use crate::snapshot::Snapshot;

/// What has to be written first; nothing when both tell the same.
pub(crate) fn step(s: &Snapshot, reading: &Reading, rows: &ClaimRows) -> Option<Decision> {
    rewound(s, reading, rows).or_else(|| forgotten(s, rows))
}

/// Fewer runs have begun on the database than it said before, or a run that was settled is not ended there, which it was
/// when the same runs had begun. A run that was settled may be half there again, so no note of that is trusted any more; a
/// run without such a note is [held](forgotten) again.
fn rewound(s: &Snapshot, reading: &Reading, rows: &ClaimRows) -> Option<Decision> {
    let identity = crate::instance::identity(&s.resource, reading);
    let before = s.resource.status.observed.filter(|seen| seen.identity.lease() == identity.lease())?;
    let mut lease = s.database_lease.as_ref()?.lease.clone()?;
    let fewer = rows.sequence < before.sequence;
    let again = rows.unfinished.is_some_and(|run| {
        let was_ended = rows.sequence == before.sequence && before.unfinished != Some(run.operation);
        was_ended && lease.settled.contains(&run.operation)
    });
    if !(fewer || again) || lease.settled.is_empty() {
        return None;
    }
    lease.settled.clear();
    let expected = Some(lease.version);
    Some(Decision::WriteLease(Which::Database, Box::new(lease), expected, Why::ForgetSettled))
}

/// The database remembers a run as begun and not ended, and neither a hold nor a note of its settlement is there: the
/// Lease and the record are both lost. The hold is written again; the resource then takes the run over from it.
///
/// Its plan is known by digest alone, so a migration's run is settled by a person.
fn forgotten(s: &Snapshot, rows: &ClaimRows) -> Option<Decision> {
    let run = rows.unfinished?;
    let lease = s.database_lease.as_ref()?;
    if lease.hold().is_some() || lease.has_settled(run.operation) {
        return None;
    }
    let hold = Hold {
        operation: run.operation,
        // By the stricter rule where the row does not say.
        family: run.family.unwrap_or(Family::Migration),
        resource: s.uid(),
        plan: crate::Uid(0),
        fingerprint: run.plan,
        sequence: None,
        // Its deadline is not known: as long as a run of this resource may take. The reading has to get the database's lock in
        // any case; a person's word has not.
        execution_not_after: s.now.plus(s.resource.spec.window.clamp(bounds::WINDOW_MIN, bounds::WINDOW_MAX)),
        state_version: s.manager.state_version,
    };
    Some(hold::put(s, lease, hold, Why::RestoreHold))
}

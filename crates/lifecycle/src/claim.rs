//! The claim: one decided operation at a time, and how it is followed by its kind.

use crate::decision::{Decision, Why};
use crate::object::{Access, Claim, Kind, Owed, Status};
use crate::snapshot::Snapshot;
use crate::{dispatch, refresh, supervise};

/// What the operation under way needs next.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    let claim = s.resource.status.claim.as_ref()?;
    Some(match claim.kind {
        Kind::Refresh => refresh::follow(s, claim),
        Kind::Apply | Kind::Settle if claim.marked => supervise::follow(s, claim),
        Kind::Apply | Kind::Settle => dispatch::follow(s, claim),
    })
}

/// A new claim of this kind, with the deadlines of its window. What it acts on is filled in by the caller.
pub(crate) fn new(s: &Snapshot, kind: Kind, inputs: ptah_model::Digest, access: Access) -> Claim {
    Claim::begun(s.fresh.operation, kind, inputs, s.now, s.resource.spec.coordination, access)
}

/// Writes the status with the claim changed.
pub(crate) fn change(s: &Snapshot, why: Why, edit: impl FnOnce(&mut Claim)) -> Decision {
    let mut status = s.next_status();
    if let Some(claim) = &mut status.claim {
        edit(claim);
    }
    s.write(status, why)
}

/// Takes the claim out of the status and notes what it holds as owed, in the same write.
pub(crate) fn retire(status: &mut Status, drop_hold: Option<crate::Operation>) {
    let Some(claim) = status.claim.take() else { return };
    if claim.kind == Kind::Refresh {
        return;
    }
    status.owed = Some(Owed {
        operation: claim.operation,
        coordination: claim.coordination,
        realm_epoch: claim.realm_epoch,
        database_epoch: claim.database_epoch,
        database: claim.identity.map(|identity| identity.lease()),
        drop_hold,
    });
}

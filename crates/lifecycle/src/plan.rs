//! The current plan: whether it still is what it was decided on, and when it may run.

use crate::bounds;
use crate::decision::{Decision, Why};
use crate::inputs::refresh_inputs;
use crate::object::{ApplyPolicy, Observed, Shown};
use crate::refresh;
use crate::snapshot::Snapshot;

/// Drops a plan that is not current; else runs it, waits for consent, or says why it is not run.
///
/// A reading that is due comes before consent: the evidence is refreshed first, also where the last attempt failed.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    s.resource.status.plan?;
    if !is_current(s) {
        return Some(discard_migration_plan(s));
    }
    if refresh::is_stale(s) {
        return None;
    }
    let plan = s.plan.as_ref()?;
    if s.resource.spec.apply == ApplyPolicy::Never {
        return Some(refresh::wait_showing(s, Shown::ApplyDisabled));
    }
    if plan.proposal.destructive && !s.resource.spec.allow_destructive {
        return Some(refresh::wait_showing(s, Shown::Destructive));
    }
    if refresh::backs_off(s) {
        return Some(refresh::wait_showing(s, Shown::ReadFailed));
    }
    Some(crate::approval::claim_migration_apply(s).unwrap_or_else(|| refresh::wait_showing(s, Shown::AwaitingApproval)))
}

/// Whether the stored plan is the one that the status names, and everything that it was made from still stands.
pub fn is_current(s: &Snapshot) -> bool {
    let (Some(named), Some(plan), Some(observed)) = (s.resource.status.plan, &s.plan, s.resource.status.observed)
    else {
        return false;
    };
    plan.reference() == named
        && !plan.deleting
        && plan.resource == s.uid()
        && Some(plan.inputs) == refresh_inputs(&s.resource)
        && s.resource.status.binding.is_some_and(|binding| binding.epoch == plan.binding)
        && plan.identity == observed.identity
        && plan.proposal.actual == observed.state
}

/// Whether the policy lets the current plan run without a named person.
pub(crate) fn needs_no_approval(s: &Snapshot) -> bool {
    let harmless = s.plan.is_some_and(|plan| !plan.proposal.destructive && !plan.proposal.privileges);
    s.resource.spec.apply == ApplyPolicy::Always && harmless
}

/// Whether the current plan is one that a named person may let run. Also while it is run: what was spent stays spent.
pub(crate) fn awaits_approval(s: &Snapshot) -> bool {
    let spec = &s.resource.spec;
    let refused = s.plan.is_some_and(|plan| plan.proposal.destructive && !spec.allow_destructive);
    spec.apply != ApplyPolicy::Never && !needs_no_approval(s) && !refused
}

/// Drops a plan that what is known no longer supports, in either family; a new reading follows.
pub fn discard_migration_plan(s: &Snapshot) -> Decision {
    let mut status = s.next_status();
    status.plan = None;
    status.observed = status.observed.map(Observed::outdated);
    status.shown = Shown::Pending;
    s.write(status, Why::DropPlan)
}

/// The shortest of the times at which something is to be looked at again, in seconds from now.
pub(crate) fn look_after(s: &Snapshot) -> i64 {
    let due = s.resource.status.observed.map_or(s.now, |observed| observed.at.plus(s.resource.spec.interval));
    due.0.saturating_sub(s.now.0).clamp(bounds::POLL, bounds::LEASE_MAX)
}

//! Consent of named people: bound to one plan by UID and fingerprint, spent once, by one operation.

use crate::decision::{Decision, Why};
use crate::object::{Approval, Claim, Kind, Stale};
use crate::snapshot::Snapshot;

/// Says on one approval that counts for nothing why it does, while no operation is under way.
pub(crate) fn step(s: &Snapshot) -> Option<Decision> {
    let valid = find_approval(s).map(|approval| approval.uid);
    mark_recorded_approval_stale(s, valid)
}

/// The oldest approval that authorises the current plan; by UID where two are as old.
///
/// An approval names a UID, not just a name: one for a plan that was re-created under the same name authorises nothing.
pub fn find_approval(s: &Snapshot) -> Option<&Approval> {
    s.approvals.iter().filter(|approval| refusal(s, approval).is_none()).min_by_key(|a| (a.created, a.uid))
}

/// A migration's name for [`find_approval`]: one engine serves both families.
pub fn find_migration_approval(s: &Snapshot) -> Option<&Approval> {
    find_approval(s)
}

/// Marks one approval that authorises nothing, other than `valid`. Identity is the UID: a replacement under the same
/// name is another decision and is judged by itself.
pub fn mark_recorded_approval_stale(s: &Snapshot, valid: Option<crate::Uid>) -> Option<Decision> {
    s.approvals
        .iter()
        .filter(|approval| !approval.deleting && approval.consumed.is_none() && approval.stale.is_none())
        .filter(|approval| Some(approval.uid) != valid)
        .map(|approval| (approval, refusal(s, approval).unwrap_or(Stale::Superseded)))
        .map(|(approval, reason)| Decision::MarkStale(approval.uid, approval.version, reason))
        .next()
}

/// Why this approval does not authorise the current plan; nothing when it does.
fn refusal(s: &Snapshot, approval: &Approval) -> Option<Stale> {
    let plan = s.resource.status.plan;
    if let Some(stale) = approval.stale {
        return Some(stale);
    }
    if approval.resource != s.uid() || approval.deleting || approval.consumed.is_some() {
        return Some(Stale::NoSuchPlan);
    }
    if plan.is_none_or(|plan| (plan.uid, plan.fingerprint) != (approval.plan, approval.fingerprint)) {
        return Some(if plan.is_some() { Stale::PlanReplaced } else { Stale::NoSuchPlan });
    }
    if !crate::plan::awaits_approval(s) {
        return Some(Stale::NotAwaiting);
    }
    if !approval.attested {
        return Some(Stale::UnattestedIdentity);
    }
    approval.own_change.then_some(Stale::SelfApproval)
}

/// Whether the approval that the claim names still authorises it: unspent, or spent by this very operation.
///
/// A claim without an approval is one whose policy asks for none. An approval that was deleted or replaced between the
/// claim and the dispatch fails closed.
pub(crate) fn still_authorises(s: &Snapshot, claim: &Claim) -> bool {
    let Some(uid) = claim.approval else { return s.attested && crate::plan::needs_no_approval(s) };
    let Some(approval) = s.approvals.iter().find(|approval| approval.uid == uid) else { return false };
    let spent_by_us = approval.consumed == Some(claim.operation);
    let unspent = approval.consumed.is_none() && refusal(s, approval).is_none();
    s.attested && !approval.deleting && approval.stale.is_none() && (spent_by_us || unspent)
}

/// Spends the approval of the claim, in the pass before the mark. Nothing when it is spent by this claim, or when none
/// is asked for. Also a migration's: see [`consume_migration_approval`].
pub(crate) fn consume(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    let uid = claim.approval?;
    let approval = s.approvals.iter().find(|approval| approval.uid == uid)?;
    (approval.consumed != Some(claim.operation)).then_some(Decision::Consume(uid, approval.version))
}

/// A migration's name for the step that spends the approval at the dispatch boundary: one engine serves both families.
pub fn consume_migration_approval(s: &Snapshot, claim: &Claim) -> Option<Decision> {
    consume(s, claim)
}

/// The claim of an Apply of the current plan, with the approval that authorises it. Nothing while it waits for one, or
/// while the admission policies are not in order: they say who may approve, and who may let plans run by themselves.
pub(crate) fn claim_apply(s: &Snapshot) -> Option<Decision> {
    let plan = s.resource.status.plan?;
    if !s.attested {
        return None;
    }
    let approval = if crate::plan::needs_no_approval(s) { None } else { Some(find_approval(s)?.uid) };
    if !s.resource.finalizer {
        return Some(Decision::AddFinalizer);
    }
    let inputs = crate::inputs::apply_inputs(&s.resource, plan)?;
    let mut claim = crate::claim::new(s, Kind::Apply, inputs, s.resource.spec.access());
    claim.plan = Some(plan);
    claim.approval = approval;
    claim.identity = Some(s.plan.as_ref()?.identity);
    let mut status = s.next_status();
    status.claim = Some(claim);
    status.shown = crate::Shown::Applying;
    Some(s.write(status, Why::ClaimApply))
}

/// A migration's name for the claim of an approved plan: one engine serves both families. An unsettled run refuses it,
/// whatever else is true.
pub fn claim_migration_apply(s: &Snapshot) -> Option<Decision> {
    if s.resource.status.record.is_some() { None } else { claim_apply(s) }
}

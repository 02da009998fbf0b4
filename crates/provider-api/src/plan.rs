//! Plan: typed changes in, steps out. The host orders and groups them; see the `plan` crate.

use std::collections::BTreeSet;

use ptah_model::{EngineName, Facet, FacetName, MemberId, Name, ObjectId, SnapshotId};

use crate::Violation;
use crate::key::SessionId;
use crate::step::{ChangeId, Step, StepId};

/// A reading that the provider holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotRef {
    /// The session that read it.
    pub session: SessionId,
    /// Its name.
    pub snapshot: SnapshotId,
}

/// A request for steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRequest {
    /// The engine.
    pub engine: EngineName,
    /// What is there.
    pub current: SnapshotRef,
    /// What is wanted.
    pub desired: SnapshotRef,
    /// The changes, in the order of their IDs: the change at place `n` has the ID `n`.
    pub changes: Vec<PlannedChange>,
}

/// One change as the provider needs it: what, not why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedChange {
    /// The object it is about, by the identity that it has when this change begins.
    pub object: ObjectId,
    /// The member it is about, or the object itself.
    pub member: Option<MemberId>,
    /// What to do.
    pub action: PlannedAction,
}

/// What to do with an object or a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedAction {
    /// Make it as the desired reading has it.
    Create,
    /// Remove it.
    Drop,
    /// Change these facets; all others stay.
    Alter(Vec<FacetChange>),
    /// Give it this name. Everything that refers to it follows.
    Rename(Name),
    /// Bring the members of one kind into the order of the desired reading.
    Reorder,
}

/// A facet that differs. At least one side is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetChange {
    /// Which.
    pub name: FacetName,
    /// What is there, or absent.
    pub from: Option<Facet>,
    /// What is wanted, or absent.
    pub to: Option<Facet>,
}

/// Steps, or why a change cannot be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanReply {
    /// The steps; same request, same bytes.
    pub steps: Vec<Step>,
    /// Changes that this engine cannot make, with the reason. Not empty: nothing is run.
    pub refusals: Vec<Refusal>,
}

/// A change that an engine cannot make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The change.
    pub change: ChangeId,
    /// A stable code.
    pub code: String,
    /// Why, under the rules of a reason.
    pub reason: String,
    /// What to do, under the rules of a reason; absent when there is nothing.
    pub hint: Option<String>,
}

impl PlanReply {
    /// Proves that steps serve the changes that were asked for, that each change is served or refused, and that no
    /// reference leads nowhere.
    pub fn validate_for(&self, asked: &PlanRequest) -> Result<(), Violation> {
        const M: &str = "PlanReply";
        let known = |id: &ChangeId| (id.0 as usize) < asked.changes.len();
        let ids: BTreeSet<&StepId> = self.steps.iter().map(|s| &s.id).collect();
        Violation::unless(ids.len() == self.steps.len(), M, "steps.step_id", "is distinct")?;
        let mut served = BTreeSet::new();
        for step in &self.steps {
            Violation::unless(!step.id.0.is_empty(), M, "steps.step_id", "is not empty")?;
            let serves = !step.changes.is_empty() && step.changes.iter().all(known);
            Violation::unless(serves, M, "steps.change_ids", "names changes of the request, at least one")?;
            let earlier = step.after.iter().map(|a| &a.step).chain(&step.after_commit);
            let leads = earlier.clone().all(|id| ids.contains(id) && *id != step.id);
            Violation::unless(leads, M, "steps.after", "names other steps of the reply")?;
            step.unit.validate()?;
            served.extend(step.changes.iter().copied());
        }
        Violation::unless(
            self.refusals.iter().all(|r| known(&r.change)),
            M,
            "refusals",
            "name changes of the request",
        )?;
        served.extend(self.refusals.iter().map(|r| r.change));
        Violation::unless(served.len() == asked.changes.len(), M, "steps", "serve or refuse each change")
    }
}

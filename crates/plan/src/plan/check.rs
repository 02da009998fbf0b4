//! The invariants of a plan. A plan that breaks one is neither stored nor run.

use std::collections::{BTreeMap, BTreeSet};

use ptah_provider_api::Violation;
use ptah_provider_api::step::{StepId, TransactionRule};

use super::{Plan, PlanSegment};
use crate::draft::{PhaseKind, PlannedStep, class};
use crate::group;

/// What a plan breaks. Segments and steps are counted from 1. Not to be tried again: make a new plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// The proof has not one point for each segment.
    #[error("the proof has {points} points for {segments} segments")]
    Points {
        /// How many points there are.
        points: usize,
        /// How many segments there are.
        segments: usize,
    },
    /// There is nothing to run.
    #[error("the plan has no segment")]
    NoSegments,
    /// A segment has no step.
    #[error("segment {segment} has no step")]
    Empty {
        /// Which.
        segment: usize,
    },
    /// A segment does not begin where the one before ended, or the last one not where the plan ends.
    #[error("segment {segment} does not begin or end on the state of its neighbour")]
    Chain {
        /// Which.
        segment: usize,
    },
    /// A segment runs with other settings than its steps need.
    #[error("segment {segment} has other settings than its steps need")]
    Settings {
        /// Which.
        segment: usize,
    },
    /// A step may not run in the segment that it is in.
    #[error("step {number} may not run in a segment of this kind")]
    Placement {
        /// Which.
        number: u32,
    },
    /// Steps are not numbered one after another from 1.
    #[error("step {number} is out of sequence")]
    Number {
        /// Which.
        number: u32,
    },
    /// A step comes before one that it waits for, or that one is not there, or has the same name.
    #[error("step {number} does not come after what it waits for")]
    Order {
        /// Which.
        number: u32,
    },
    /// An atomic group lies in more than one segment.
    #[error("step {number} is parted from its atomic group")]
    Cut {
        /// Which.
        number: u32,
    },
    /// A step serves no change, or is said to be less dangerous than its change or the provider says.
    #[error("step {number} does not follow from the changes that it serves")]
    Class {
        /// Which.
        number: u32,
    },
    /// A unit is not whole.
    #[error("the unit of step {number} is not whole")]
    Unit {
        /// Which step.
        number: u32,
        /// What is wrong.
        #[source]
        violation: Violation,
    },
}

/// Runs every check.
pub(super) fn check(plan: &Plan) -> Result<(), PlanFault> {
    if plan.segments.is_empty() {
        return Err(PlanFault::NoSegments);
    }
    let mut state = plan.head.from;
    let mut walk = Walk::default();
    for (segment, part) in (1..).zip(&plan.segments) {
        if part.segment.steps.is_empty() {
            return Err(PlanFault::Empty { segment });
        }
        if part.before != state {
            return Err(PlanFault::Chain { segment });
        }
        state = part.after;
        if part.segment.settings != group::union(part.segment.steps.iter().map(|s| &s.step)) {
            return Err(PlanFault::Settings { segment });
        }
        for step in &part.segment.steps {
            check_placement(part, step)?;
            check_step(step)?;
            walk.visit(segment, step)?;
        }
    }
    if state == plan.to {
        Ok(())
    } else {
        let segment = plan.segments.len();
        Err(PlanFault::Chain { segment })
    }
}

/// Whether the step's rule allows its segment.
fn check_placement(part: &PlanSegment, step: &PlannedStep) -> Result<(), PlanFault> {
    let steps = &part.segment.steps;
    let with_itself = || {
        let group = &step.step.atomic_group;
        steps.len() == 1 || (group.is_some() && steps.iter().all(|s| s.step.atomic_group == *group))
    };
    let allowed = match (step.step.transaction, part.segment.transaction) {
        (TransactionRule::Any | TransactionRule::Inside, true) => true,
        (TransactionRule::Alone, true) => with_itself(),
        (TransactionRule::Any | TransactionRule::Outside, false) => steps.len() == 1,
        (TransactionRule::Outside, true) | (TransactionRule::Inside | TransactionRule::Alone, false) => false,
    };
    if allowed { Ok(()) } else { Err(PlanFault::Placement { number: step.number }) }
}

/// Whether a step follows from its changes and is whole.
fn check_step(step: &PlannedStep) -> Result<(), PlanFault> {
    let number = step.number;
    let served: BTreeSet<u32> = step.why.iter().map(|s| s.change.id.0).collect();
    let named: BTreeSet<u32> = step.step.changes.iter().map(|c| c.0).collect();
    let follows = !served.is_empty() && served == named && (step.risk, step.loss) == class(&step.step, &step.why);
    if !follows {
        return Err(PlanFault::Class { number });
    }
    let whole = step.step.unit.validate();
    whole.map_err(|violation| PlanFault::Unit { number, violation })
}

/// What was met so far.
#[derive(Default)]
struct Walk {
    last_number: u32,
    last_phase: Option<PhaseKind>,
    /// Step → the segment it is in.
    seen: BTreeMap<(PhaseKind, StepId), usize>,
    /// Atomic group → the segment it is in.
    groups: BTreeMap<(PhaseKind, String), usize>,
}

impl Walk {
    fn visit(&mut self, segment: usize, step: &PlannedStep) -> Result<(), PlanFault> {
        let number = step.number;
        if number != self.last_number + 1 {
            return Err(PlanFault::Number { number });
        }
        self.last_number = number;
        let phase = step.phase;
        let forward = self.last_phase.is_none_or(|last| last <= phase);
        self.last_phase = Some(phase);
        let place = |id: &StepId| self.seen.get(&(phase, id.clone())).copied();
        let after = step.step.after.iter().all(|a| place(&a.step).is_some());
        let committed = |id: &StepId| place(id).is_some_and(|earlier| earlier < segment);
        let fresh = place(&step.step.id).is_none();
        if !(forward && after && fresh && step.step.after_commit.iter().all(committed)) {
            return Err(PlanFault::Order { number });
        }
        self.seen.insert((phase, step.step.id.clone()), segment);
        if let Some(group) = &step.step.atomic_group {
            let first = *self.groups.entry((phase, group.clone())).or_insert(segment);
            if first != segment {
                return Err(PlanFault::Cut { number });
            }
        }
        Ok(())
    }
}

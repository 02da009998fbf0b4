//! A plan without its proof: everything that will be run, in order, and why; not yet what the state is in between.
//!
//! A draft is carried out on a copy; the fingerprints that are read there make it a [`crate::Plan`].

use ptah_diff::{Change, RenameRecord};
use ptah_model::{Digest, EngineName, Fingerprint, Loss, OperationId, Position, Risk};
use ptah_provider_api::step::{Setting, Step};

use crate::desired::Locations;
use crate::group::{GroupError, Grouped, group};
use crate::order::{Block, OrderError, order};
use crate::policy::Policy;
use crate::title::title;

/// What a plan says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its operation ID, made once by the host: the database lets it run once.
    pub plan_id: OperationId,
    /// The engine.
    pub engine: EngineName,
    /// Which database it is for.
    pub target: Target,
    /// The state that it was computed from.
    pub from: Fingerprint,
    /// The digest of the sources as they were given, and of the policy's words; see [`Policy::reading_words`].
    pub sources: Digest,
    /// What the caller permitted.
    pub policy: Policy,
    /// What the ledger of renames has to keep once the plan is carried out. May be empty.
    pub renames: Vec<RenameRecord>,
}

/// Which database a plan is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its UUID; absent for a database that Ptah never changed, which only the other two name, and that is weak.
    pub uuid: Option<String>,
    /// Its physical identity, as the server states it.
    pub physical: String,
    /// The route that led to it.
    pub route: String,
}

/// The two rounds in which a plan is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PhaseKind {
    /// What is renamed.
    Renames,
    /// Everything else, computed from what a copy reads as after the renames.
    Changes,
}

/// One round: what was asked of the provider, and what it answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Which.
    pub kind: PhaseKind,
    /// The changes in the order of their IDs.
    pub changes: Vec<Change>,
    /// The provider's steps; their change IDs are places in `changes`.
    pub steps: Vec<Step>,
}

/// A step in its place, with why it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStep {
    /// Its number in the plan, from 1.
    pub number: u32,
    /// The round that it comes from; names of steps are distinct within one.
    pub phase: PhaseKind,
    /// What it does, for people.
    pub title: String,
    /// The higher of the classes of its changes and the provider's.
    pub risk: Risk,
    /// What is lost for good: the worst of what its changes and the provider say.
    pub loss: Option<Loss>,
    /// What the provider said.
    pub step: Step,
    /// The changes that it serves, in the order of their IDs; at least one.
    pub why: Vec<Served>,
}

/// A change that a step serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// The change.
    pub change: Change,
    /// What in the sources asked for it; absent for what the sources do not have.
    pub asked: Option<Position>,
}

/// What is run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Whether it is one transaction; otherwise it has exactly one step.
    pub transaction: bool,
    /// The session settings that hold for it, sorted.
    pub settings: Vec<Setting>,
    /// Its steps in order; at least one. May be more than one call takes: the shell cuts them.
    pub steps: Vec<PlannedStep>,
}

/// A plan without its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub(crate) head: Head,
    pub(crate) segments: Vec<Segment>,
}

/// Why steps make no plan. Not to be tried again: the provider's answer contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// They cannot be ordered.
    #[error("the provider's steps cannot be ordered")]
    Order(#[source] OrderError),
    /// They cannot be put into transactions.
    #[error("the provider's steps cannot be put into transactions")]
    Group(#[source] GroupError),
    /// A step serves a change that was not asked for.
    #[error("a step serves the change {change}, which was not asked for")]
    UnknownChange {
        /// The change's ID.
        change: u32,
    },
}

impl Draft {
    /// Orders the steps of all phases, puts them into transactions and explains them.
    pub fn new(head: Head, phases: Vec<Phase>, locations: &Locations) -> Result<Self, PlanError> {
        let mut changes: Vec<(PhaseKind, Vec<Change>)> = Vec::new();
        let mut blocks: Vec<(PhaseKind, Vec<Block>)> = Vec::new();
        for phase in phases {
            changes.push((phase.kind, phase.changes));
            blocks.push((phase.kind, order(phase.steps).map_err(PlanError::Order)?));
        }
        let grouped = group(blocks, head.policy.tx_mode).map_err(PlanError::Group)?;
        let mut number = 0;
        let mut segments = Vec::with_capacity(grouped.len());
        for Grouped { transaction, settings, steps } in grouped {
            let mut planned = Vec::with_capacity(steps.len());
            for (phase, step) in steps {
                number += 1;
                let of_phase = changes.iter().find(|(kind, _)| *kind == phase);
                let known = of_phase.map_or(&[][..], |(_, list)| list);
                planned.push(planned_step(number, phase, step, known, locations)?);
            }
            segments.push(Segment { transaction, settings, steps: planned });
        }
        Ok(Self { head, segments })
    }

    /// What the plan says of itself.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// What is run, in order. Empty when there is nothing to do.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// All steps in order.
    pub fn steps(&self) -> impl Iterator<Item = &PlannedStep> {
        self.segments.iter().flat_map(|s| &s.steps)
    }
}

fn planned_step(
    number: u32,
    phase: PhaseKind,
    mut step: Step,
    changes: &[Change],
    locations: &Locations,
) -> Result<PlannedStep, PlanError> {
    // In the order of the IDs, each once, so that the plan's document says all there is.
    step.changes.sort();
    step.changes.dedup();
    let mut why = Vec::with_capacity(step.changes.len());
    for id in &step.changes {
        let unknown = || PlanError::UnknownChange { change: id.0 };
        let change = changes.get(id.0 as usize).ok_or_else(unknown)?.clone();
        let asked = asked(&change, locations).cloned();
        why.push(Served { change, asked });
    }
    let (risk, loss) = class(&step, &why);
    let served: Vec<&Change> = why.iter().map(|s| &s.change).collect();
    Ok(PlannedStep { number, phase, title: title(&served), risk, loss, step, why })
}

/// The higher class counts, and the worse loss: rows before values before protection before a definition.
pub(crate) fn class(step: &Step, why: &[Served]) -> (Risk, Option<Loss>) {
    let risk = why.iter().map(|s| s.change.risk).fold(step.risk, Risk::max);
    let losses = why.iter().filter_map(|s| s.change.loss).chain(step.loss);
    (risk, losses.min())
}

/// What in the sources asked for a change: the definition of its subject by the name that it will have, else that of
/// the object it is in, where the subject is missing.
pub(crate) fn asked<'a>(change: &Change, locations: &'a Locations) -> Option<&'a Position> {
    use ptah_diff::Action;
    let (mut object, mut member) = (change.object.clone(), change.member.clone());
    if let Action::Rename { to } = &change.action {
        match &mut member {
            Some(member) => member.name = to.clone(),
            None => object.name = to.clone(),
        }
    }
    locations.get(&(object.clone(), member)).or_else(|| locations.get(&(object, None)))
}

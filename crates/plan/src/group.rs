//! Blocks into segments: one transaction each, or one step outside a transaction.
//!
//! A block is never cut. A transaction ends where the next block may not join it: it has to run outside or alone, waits
//! for a commit, contradicts its settings, or would make it longer than one execution can be.

use std::collections::BTreeSet;

use ptah_provider_api::step::{Setting, Step, StepId, TransactionRule};

use crate::draft::PhaseKind;
use crate::order::Block;
use crate::policy::TxMode;

/// Why blocks cannot be put into transactions. Not to be tried again: the provider's rules contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// A step that runs only outside a transaction has to be in one with another step.
    #[error("the step `{}` runs only outside a transaction and may not be parted from other steps", step.0)]
    OutsideInBlock {
        /// The step.
        step: StepId,
    },
    /// A step that wants a transaction of its own has to share one with a step of another atomic group.
    #[error("the step `{}` needs a transaction of its own and may not be parted from other steps", step.0)]
    AloneInBlock {
        /// The step.
        step: StepId,
    },
    /// A step waits for the commit of one that it may not be parted from.
    #[error("the step `{}` waits for the commit of the step `{}`, from which it may not be parted", step.0, earlier.0)]
    CommitInBlock {
        /// The step.
        step: StepId,
        /// The earlier step.
        earlier: StepId,
    },
    /// Steps that may not be parted need a setting with two values.
    #[error("the step `{}` needs the setting `{setting}`, which contradicts a step from which it may not be parted", step.0)]
    Settings {
        /// The step.
        step: StepId,
        /// The setting's name.
        setting: String,
    },
}

/// What is run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouped {
    /// Whether it is one transaction; otherwise it has exactly one step.
    pub transaction: bool,
    /// The settings that hold for it: the sorted union of what its steps need.
    pub settings: Vec<Setting>,
    /// Its steps in order, each with its phase; at least one.
    pub steps: Vec<(PhaseKind, Step)>,
}

/// Puts the blocks of all phases, in their order, into segments.
pub fn group(phases: Vec<(PhaseKind, Vec<Block>)>, mode: TxMode) -> Result<Vec<Grouped>, GroupError> {
    let mut segments: Vec<Grouped> = Vec::new();
    let mut open = false;
    for (kind, blocks) in phases {
        for block in blocks {
            let place = place(&block, mode)?;
            let joins = open && place == Place::Shared && may_join(segments.last(), kind, &block);
            match segments.last_mut().filter(|_| joins) {
                Some(segment) => segment.join(kind, block),
                None => segments.push(Grouped::of(kind, block, place != Place::Outside)),
            }
            open = place == Place::Shared;
        }
    }
    Ok(segments)
}

/// Where a block may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a transaction with others.
    Shared,
    /// In a transaction of its own.
    Alone,
    /// Outside a transaction; it is one step.
    Outside,
}

/// Decides where a block runs, or why it can run nowhere.
fn place(block: &Block, mode: TxMode) -> Result<Place, GroupError> {
    if let [step] = block.steps.as_slice() {
        return Ok(match (step.transaction, mode) {
            (TransactionRule::Outside, _) | (TransactionRule::Any, TxMode::None) => Place::Outside,
            (TransactionRule::Alone, _) | (TransactionRule::Inside, TxMode::None) => Place::Alone,
            (TransactionRule::Any | TransactionRule::Inside, TxMode::File | TxMode::All) => Place::Shared,
        });
    }
    check_block(block)?;
    let alone = block.steps.iter().any(|s| s.transaction == TransactionRule::Alone);
    Ok(if alone || mode == TxMode::None { Place::Alone } else { Place::Shared })
}

/// Proves that the steps of a block can share one transaction.
fn check_block(block: &Block) -> Result<(), GroupError> {
    let ids: BTreeSet<&StepId> = block.steps.iter().map(|s| &s.id).collect();
    let one_group = block.steps.iter().all(|s| s.atomic_group == block.steps[0].atomic_group);
    let mut settings = BTreeSet::new();
    for step in &block.steps {
        let id = || step.id.clone();
        if step.transaction == TransactionRule::Outside {
            return Err(GroupError::OutsideInBlock { step: id() });
        }
        if step.transaction == TransactionRule::Alone && !one_group {
            return Err(GroupError::AloneInBlock { step: id() });
        }
        if let Some(earlier) = step.after_commit.iter().find(|earlier| ids.contains(earlier)) {
            let earlier = earlier.clone();
            return Err(GroupError::CommitInBlock { step: id(), earlier });
        }
        if let Some(setting) = contradiction(&settings, &step.needs) {
            return Err(GroupError::Settings { step: id(), setting });
        }
        settings.extend(step.needs.iter().cloned());
    }
    Ok(())
}

/// Whether a block may join the transaction that is open.
fn may_join(segment: Option<&Grouped>, kind: PhaseKind, block: &Block) -> bool {
    let Some(segment) = segment else {
        return false;
    };
    let committed = |id: &StepId| !segment.steps.iter().any(|(phase, s)| *phase == kind && s.id == *id);
    let settings: BTreeSet<Setting> = segment.settings.iter().cloned().collect();
    block
        .steps
        .iter()
        .all(|step| step.after_commit.iter().all(committed) && contradiction(&settings, &step.needs).is_none())
}

/// The name of a setting that would have two values. A setting is `name=value`; one without `=` contradicts none.
fn contradiction(settings: &BTreeSet<Setting>, needs: &[Setting]) -> Option<String> {
    let name = |setting: &str| setting.split_once('=').map(|(name, _)| name.to_owned());
    let differs = |a: &Setting, b: &Setting| a != b && name(a).is_some() && name(a) == name(b);
    needs.iter().find(|need| settings.iter().any(|setting| differs(setting, need))).and_then(|need| name(need))
}

/// The sorted union of what steps need.
pub(crate) fn union<'a>(steps: impl Iterator<Item = &'a Step>) -> Vec<Setting> {
    let all: BTreeSet<&Setting> = steps.flat_map(|s| &s.needs).collect();
    all.into_iter().cloned().collect()
}

impl Grouped {
    fn of(kind: PhaseKind, block: Block, transaction: bool) -> Self {
        let mut segment = Self { transaction, settings: Vec::new(), steps: Vec::with_capacity(block.steps.len()) };
        segment.join(kind, block);
        segment
    }

    fn join(&mut self, kind: PhaseKind, block: Block) {
        self.settings.extend(union(block.steps.iter()));
        self.settings.sort();
        self.settings.dedup();
        self.steps.extend(block.steps.into_iter().map(|step| (kind, step)));
    }
}

//! The order of steps: what has to come before comes before, and otherwise the order of the changes holds.
//!
//! The result is a list of blocks. A block is what no transaction boundary may cut: the steps of one atomic group, and
//! whatever the rules force between them. Steps of different blocks may share a transaction; that is `group`.

use std::collections::{BTreeMap, BTreeSet};

use ptah_provider_api::step::{ChangeId, Step, StepId};

/// Why steps cannot be ordered. Not to be tried again: the provider's rules contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// Steps wait for each other.
    #[error("these steps wait for each other: {}", names(steps))]
    Cycle {
        /// The steps, each waiting for the next and the last one for the first.
        steps: Vec<StepId>,
    },
    /// A step waits for one that is not there.
    #[error("the step `{}` waits for the step `{}`, which is not there", step.0, missing.0)]
    Missing {
        /// The step.
        step: StepId,
        /// What it waits for.
        missing: StepId,
    },
    /// Two steps have one name.
    #[error("two steps are called `{}`", step.0)]
    Twice {
        /// The name.
        step: StepId,
    },
}

fn names(steps: &[StepId]) -> String {
    let quoted: Vec<String> = steps.iter().map(|s| format!("`{}`", s.0)).collect();
    quoted.join(", ")
}

/// Steps that no transaction boundary may cut, in order; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The steps.
    pub steps: Vec<Step>,
}

/// Puts the steps of one phase in order.
pub fn order(steps: Vec<Step>) -> Result<Vec<Block>, OrderError> {
    let graph = Graph::of(&steps)?;
    let alone: Vec<usize> = (0..steps.len()).collect();
    let sequence = graph.sort(&alone).map_err(|cycle| OrderError::Cycle {
        steps: cycle.into_iter().map(|place| steps[place].id.clone()).collect(),
    })?;
    let mut block_of = groups(&steps);
    // A step that has to come between two of a block is taken into it, until the blocks themselves can be ordered.
    let blocks = loop {
        match graph.sort(&block_of) {
            Ok(blocks) => break blocks,
            Err(cycle) => join(&mut block_of, &cycle),
        }
    };
    let mut taken: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for place in sequence {
        places.entry(block_of[place]).or_default().push(place);
    }
    let mut ordered = Vec::with_capacity(blocks.len());
    for block in blocks {
        let members = places.remove(&block).unwrap_or_default();
        let steps = members.into_iter().filter_map(|place| taken[place].take()).collect();
        ordered.push(Block { steps });
    }
    Ok(ordered)
}

/// The block of each step: the first place of its atomic group, or its own.
fn groups(steps: &[Step]) -> Vec<usize> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let places = steps.iter().enumerate();
    places
        .map(|(place, step)| match &step.atomic_group {
            Some(group) => *first.entry(group).or_insert(place),
            None => place,
        })
        .collect()
}

/// Makes one block of several.
fn join(block_of: &mut [usize], blocks: &[usize]) {
    let Some(into) = blocks.iter().min().copied() else {
        return;
    };
    for block in block_of.iter_mut().filter(|b| blocks.contains(b)) {
        *block = into;
    }
}

/// Which step waits for which, by their places.
struct Graph {
    /// Place → the places that come before.
    before: Vec<BTreeSet<usize>>,
    /// Place → what decides between steps that do not wait for each other.
    rank: Vec<(ChangeId, StepId)>,
}

impl Graph {
    fn of(steps: &[Step]) -> Result<Self, OrderError> {
        let mut places: BTreeMap<&StepId, usize> = BTreeMap::new();
        for (place, step) in steps.iter().enumerate() {
            if places.insert(&step.id, place).is_some() {
                return Err(OrderError::Twice { step: step.id.clone() });
            }
        }
        let mut before = Vec::with_capacity(steps.len());
        for step in steps {
            let earlier = step.after.iter().map(|a| &a.step).chain(&step.after_commit);
            let found: Result<BTreeSet<usize>, OrderError> = earlier
                .map(|id| {
                    places
                        .get(id)
                        .copied()
                        .ok_or_else(|| OrderError::Missing { step: step.id.clone(), missing: id.clone() })
                })
                .collect();
            before.push(found?);
        }
        let first_change = |step: &Step| step.changes.iter().min().copied().unwrap_or(ChangeId(u32::MAX));
        let rank = steps.iter().map(|s| (first_change(s), s.id.clone())).collect();
        Ok(Self { before, rank })
    }

    /// Sorts blocks, given the block of each place. Fails with blocks that wait for each other in a circle.
    fn sort(&self, block_of: &[usize]) -> Result<Vec<usize>, Vec<usize>> {
        let mut waits: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut rank: BTreeMap<usize, &(ChangeId, StepId)> = BTreeMap::new();
        for (place, block) in block_of.iter().enumerate() {
            let mine = waits.entry(*block).or_default();
            // A step that waits for itself stays in: it is a circle of one.
            let others = self.before[place].iter().filter(|b| **b == place || block_of[**b] != *block);
            mine.extend(others.map(|b| block_of[*b]));
            let lowest = rank.entry(*block).or_insert(&self.rank[place]);
            *lowest = (*lowest).min(&self.rank[place]);
        }
        let mut later: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (block, needed) in &waits {
            for earlier in needed {
                later.entry(*earlier).or_default().push(*block);
            }
        }
        let free = waits.iter().filter(|(_, needed)| needed.is_empty());
        let mut ready: BTreeSet<(&(ChangeId, StepId), usize)> = free.map(|(block, _)| (rank[block], *block)).collect();
        let mut sorted = Vec::with_capacity(waits.len());
        while let Some((_, block)) = ready.pop_first() {
            waits.remove(&block);
            sorted.push(block);
            for next in later.get(&block).into_iter().flatten() {
                if let Some(needed) = waits.get_mut(next) {
                    needed.remove(&block);
                    if needed.is_empty() {
                        ready.insert((rank[next], *next));
                    }
                }
            }
        }
        if waits.is_empty() { Ok(sorted) } else { Err(circle(&waits)) }
    }
}

/// One circle among blocks that all wait for another one of them.
fn circle(waits: &BTreeMap<usize, BTreeSet<usize>>) -> Vec<usize> {
    let mut path: Vec<usize> = Vec::new();
    let mut next = waits.keys().next().copied();
    while let Some(block) = next {
        if let Some(start) = path.iter().position(|seen| *seen == block) {
            return path.split_off(start);
        }
        path.push(block);
        next = waits.get(&block).and_then(|needed| needed.first().copied());
    }
    path
}

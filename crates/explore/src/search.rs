//! Breadth first through every state, until nothing new is found or a limit is reached.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::action::{self, Action};
use crate::canon::fingerprint;
use crate::enabled;
use crate::live::{self, Graph};
use crate::world::World;

/// What an exploration found.
pub(crate) struct Found {
    pub(crate) states: usize,
    pub(crate) transitions: u64,
    pub(crate) depth: u32,
    /// Whether nothing new was left.
    pub(crate) closed: bool,
    /// What is broken, and how one gets there.
    pub(crate) violation: Option<(String, Vec<Action>)>,
}

/// What is known about the states that were met.
#[derive(Default)]
struct Met {
    numbers: HashMap<u128, u32>,
    /// For each state, by number: where it was first come from, and by what.
    origins: Vec<(u32, Option<Action>)>,
    graph: Graph,
}

impl Met {
    /// The number of a state, and whether it is new.
    fn meet(&mut self, world: &World, from: (u32, Option<Action>)) -> (u32, bool) {
        let new = u32::try_from(self.origins.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(fingerprint(world)).or_insert(new);
        if number == new {
            self.origins.push(from);
            self.graph.edges.push(Vec::new());
            self.graph.able.push(0);
            self.graph.goal.push(live::is_goal(world));
        }
        (number, number == new)
    }

    fn path(&self, mut at: u32) -> Vec<Action> {
        let mut steps = Vec::new();
        while let Some((parent, Some(action))) = self.origins.get(at as usize) {
            steps.push(*action);
            at = *parent;
        }
        steps.reverse();
        steps
    }
}

/// How many worlds a bounded exploration keeps to go on from before it turns from breadth to depth.
const WIDE: usize = 20_000;
/// How many of them, the deepest, it then goes on from at a time.
const DEEP: usize = 64;

/// Explores from `start` until so many states were met: breadth first as far as there is room, then depth first, so that
/// what is kept to go on from stays small. Liveness is not asked for: the graph is not whole.
pub(crate) fn explore_some(start: &World, bound: usize, time: Duration) -> Found {
    let began = Instant::now();
    let mut met = Met::default();
    let (first, _) = met.meet(start, (0, None));
    let mut open = vec![(first, start.clone())];
    let mut found = Found { states: 1, transitions: 0, depth: 0, closed: false, violation: None };
    while !open.is_empty() && met.origins.len() < bound && began.elapsed() < time {
        let batch = if open.len() < WIDE { 0 } else { open.len() - DEEP };
        found.depth += u32::from(batch == 0);
        let mut next = Vec::new();
        for (parent, world) in open.split_off(batch) {
            if let Some(violation) = expand(&mut met, &mut found, parent, &world, &mut next) {
                found.violation = Some(violation);
                break;
            }
            // The way there is kept, not what could be done on it.
            met.graph.edges[parent as usize] = Vec::new();
        }
        found.states = met.origins.len();
        if found.violation.is_some() {
            return found;
        }
        // Mixed, always in the same way: else the last of what can happen in a state would always be what is gone on from.
        next.sort_by_key(|(number, _)| number.wrapping_mul(0x9E37_79B9));
        open.append(&mut next);
    }
    found.closed = open.is_empty();
    found
}

/// Explores from `start`.
pub(crate) fn explore(start: &World, limit: usize, time: Duration) -> Found {
    let began = Instant::now();
    let mut met = Met::default();
    let (first, _) = met.meet(start, (0, None));
    let mut frontier = vec![(first, start.clone())];
    let mut found = Found { states: 1, transitions: 0, depth: 0, closed: false, violation: None };
    while !frontier.is_empty() {
        let mut next = Vec::new();
        for (parent, world) in frontier {
            if let Some(violation) = expand(&mut met, &mut found, parent, &world, &mut next) {
                found.violation = Some(violation);
                found.states = met.origins.len();
                return found;
            }
        }
        found.states = met.origins.len();
        found.depth += u32::from(!next.is_empty());
        frontier = next;
        if found.states > limit || began.elapsed() > time {
            return found;
        }
    }
    found.closed = true;
    let cycle = met.graph.fair_cycle();
    found.violation = cycle.map(|state| ("a fair cycle that never arrives".into(), met.path(state)));
    found
}

/// Every state that follows from one.
fn expand(
    met: &mut Met,
    found: &mut Found,
    parent: u32,
    world: &World,
    next: &mut Vec<(u32, World)>,
) -> Option<(String, Vec<Action>)> {
    let enabled = enabled::list(world);
    // Whoever waits for a person, and says so, may wait for ever.
    if enabled.is_empty() && !live::is_goal(world) {
        return Some(("nothing can happen any more".into(), met.path(parent)));
    }
    for action in enabled {
        found.transitions += 1;
        let state = action::apply(world, action);
        let (number, new) = met.meet(&state, (parent, Some(action)));
        if let Some(actor) = action.actor(world) {
            met.graph.able[parent as usize] |= actor;
            met.graph.edges[parent as usize].push((number, actor));
        }
        if let Some(broken) = state.broken {
            let mut steps = met.path(parent);
            steps.push(action);
            return Some((broken.into(), steps));
        }
        if new {
            next.push((number, state));
        }
    }
    None
}

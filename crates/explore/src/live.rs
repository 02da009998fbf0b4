//! Liveness: whether the world can go round for ever, with everybody getting their turn, without ever arriving.
//!
//! Over the steps that owe nothing to faults or people, without the states that are goals: a strongly connected part of the
//! graph in which everybody who could always act does act, is a fair cycle, and a violation. (Weak fairness; whoever is not
//! always able to act is not owed a turn.)

use ptah_lifecycle::Shown;

use crate::world::World;

/// The explored graph, as far as liveness needs it.
#[derive(Default)]
pub(crate) struct Graph {
    /// For each state: its edges, as (to, actor).
    pub(crate) edges: Vec<Vec<(u32, u16)>>,
    /// For each state: who could act.
    pub(crate) able: Vec<u16>,
    /// For each state: whether it is a goal.
    pub(crate) goal: Vec<bool>,
}

/// Whether every resource has arrived: nothing under way, and shown as something that a person can act on or leave alone.
pub(crate) fn is_goal(world: &World) -> bool {
    world.resources.iter().all(|resource| {
        let status = &resource.status;
        let quiet = status.claim.is_none() && status.owed.is_none();
        let told = match status.shown {
            Shown::InSync
            | Shown::AwaitingApproval
            | Shown::ApplyDisabled
            | Shown::Destructive
            | Shown::Suspended
            | Shown::RealmConflict
            | Shown::RealmNotAuthorized
            | Shown::RealmAliased
            | Shown::RealmUnresolved
            | Shown::Refused(_)
            | Shown::PolicyRefused
            | Shown::OutcomeUnknown => true,
            Shown::Pending
            | Shown::Reading
            | Shown::Applying
            | Shown::Draining
            | Shown::Settling
            | Shown::ReadFailed => resource.deleting && !resource.finalizer,
        };
        quiet && told
    })
}

impl Graph {
    /// A fair cycle without a goal, as one of its states.
    pub(crate) fn fair_cycle(&self) -> Option<u32> {
        self.components().into_iter().find(|part| self.is_fair_and_lost(part)).and_then(|part| part.first().copied())
    }

    fn is_fair_and_lost(&self, part: &[u32]) -> bool {
        let inside: std::collections::HashSet<u32> = part.iter().copied().collect();
        let (mut always, mut acts, mut moves) = (u16::MAX, 0, false);
        for state in part {
            always &= self.able[*state as usize];
            for (to, actor) in &self.edges[*state as usize] {
                if inside.contains(to) {
                    acts |= actor;
                    moves = true;
                }
            }
        }
        moves && always & !acts == 0
    }

    /// The strongly connected parts of what is left without the goals (Tarjan's algorithm, without recursion).
    fn components(&self) -> Vec<Vec<u32>> {
        let count = self.edges.len();
        let (mut index, mut low) = (vec![u32::MAX; count], vec![0_u32; count]);
        let (mut on_stack, mut stack) = (vec![false; count], Vec::new());
        let (mut parts, mut next) = (Vec::new(), 0_u32);
        for root in 0..u32::try_from(count).unwrap_or(u32::MAX) {
            if index[root as usize] != u32::MAX || self.goal[root as usize] {
                continue;
            }
            let mut calls = vec![(root, 0_usize)];
            while let Some((state, edge)) = calls.pop() {
                let at = state as usize;
                if edge == 0 {
                    (index[at], low[at]) = (next, next);
                    next += 1;
                    stack.push(state);
                    on_stack[at] = true;
                }
                if let Some((to, _)) = self.edges[at].get(edge) {
                    calls.push((state, edge + 1));
                    if self.goal[*to as usize] {
                        continue;
                    }
                    if index[*to as usize] == u32::MAX {
                        calls.push((*to, 0));
                    } else if on_stack[*to as usize] {
                        low[at] = low[at].min(index[*to as usize]);
                    }
                    continue;
                }
                if low[at] == index[at] {
                    let place = stack.iter().rposition(|found| *found == state).unwrap_or(0);
                    let part = stack.split_off(place);
                    for found in &part {
                        on_stack[*found as usize] = false;
                    }
                    parts.push(part);
                }
                if let Some((parent, _)) = calls.last() {
                    low[*parent as usize] = low[*parent as usize].min(low[at]);
                }
            }
        }
        parts
    }
}

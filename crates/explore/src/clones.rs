//! Two databases that say that they are one: clones, and what is taken for one.

use ptah_lifecycle::{ApplyPolicy, Family, Kind};

use crate::action::{self, Action};
use crate::config::{Config, world};
use crate::live;
use crate::walk::until;
use crate::world::{Budget, Database, World, constant};

/// Two databases that say that they are one, under two names; a server may be started anew.
pub(crate) fn all(deep: bool) -> Vec<Config> {
    let none = Budget::default();
    let (schema, migration, always) = (Family::Schema, Family::Migration, ApplyPolicy::Always);
    let mut list = Vec::new();
    let two = |budget: Budget| {
        let mut start = world(&[(schema, always, 1), (migration, always, 2)], 1, budget);
        start.databases[0].instance = Some(constant(70));
        start
    };
    let clone = |budget: Budget| {
        let mut start = two(budget);
        start.databases.push(Database { instance: Some(constant(71)), ..start.databases[0].clone() });
        start.resources[1].spec.inputs.target = constant(1);
        start
    };
    // Both are always read at one moment, so nothing is ever proven here: these are aliases that must stay aliases.
    let told_apart = clone(none);
    let rebooted = two(Budget { reboots: 1, ..none });
    // One comes later and is read between two readings of the other, so they are two. Then one may come to be the other.
    let mut proven = clone(Budget { suspends: 1, ..none });
    proven.resources[1].spec.suspended = true;
    let mut joined = to_a_proven_clone(&proven).unwrap_or_else(|| proven.clone());
    joined.budget = Budget { retargets: 1, edits: u8::from(deep), ..none };
    for (name, start) in [("told-apart", told_apart), ("rebooted", rebooted), ("proven", proven), ("joined", joined)] {
        list.push(Config { name: format!("clone-{name}"), start, bound: None });
    }
    list
}

/// A clone that is proven to be one: the first resource was read on both sides of the second one's first reading, which
/// was not begun before it was let go.
fn to_a_proven_clone(start: &World) -> Option<World> {
    let alone = until(start, live::is_goal)?;
    let later = action::apply(&action::apply(&alone, Action::Time), Action::Suspend(1));
    until(&later, |world| {
        let apart = world.resources[1].status.observed.is_some_and(|observed| observed.identity.apart.is_some());
        let runs = world.jobs.iter().any(|job| job.claim.kind != Kind::Refresh);
        apart && !runs && live::is_goal(world) && world.resources[1].status.observed.is_some_and(|seen| seen.in_sync)
    })
}

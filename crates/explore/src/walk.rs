//! A state that a world comes to by itself, as the start of a configuration: what leads there is explored elsewhere.

use ptah_lifecycle::Kind;

use crate::action::{self, Action};
use crate::enabled;
use crate::live;
use crate::world::World;

/// How many steps a walk may take.
const FAR: usize = 2_000;

/// Takes the first thing that happens by itself, again and again, until `there`; nothing where it does not come to that.
pub(crate) fn until(start: &World, there: impl Fn(&World) -> bool) -> Option<World> {
    let mut world = start.clone();
    for _ in 0..FAR {
        if there(&world) {
            return Some(world);
        }
        let next = enabled::list(&world).into_iter().find(|action| action.actor(&world).is_some())?;
        world = action::apply(&world, next);
    }
    None
}

/// A clone that is proven to be one: the first resource was read on both sides of the second one's first reading, which
/// was not begun before it was let go.
pub(crate) fn to_a_proven_clone(start: &World) -> Option<World> {
    let alone = until(start, live::is_goal)?;
    let later = action::apply(&action::apply(&alone, Action::Time), Action::Suspend(1));
    until(&later, |world| {
        let apart = world.resources[1].status.observed.is_some_and(|observed| observed.identity.apart.is_some());
        let runs = world.jobs.iter().any(|job| job.claim.kind != Kind::Refresh);
        apart && !runs && live::is_goal(world) && world.resources[1].status.observed.is_some_and(|seen| seen.in_sync)
    })
}

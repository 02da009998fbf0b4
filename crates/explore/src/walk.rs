//! A state that a world comes to by itself, as the start of a configuration: what leads there is explored elsewhere.

use crate::action;
use crate::enabled;
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

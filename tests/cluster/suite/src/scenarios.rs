//! The scenarios, in the order in which they run: the operator's commands begin with an empty cluster, and the policies
//! come late because from then on they hold.

pub(crate) mod admission;
mod definitions;
mod fence;
mod intake;
mod operator;
mod player;
mod rights;
mod samples;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::world::World;

/// A scenario under way.
type Running = Pin<Box<dyn Future<Output = Result<()>> + Send>>;
/// A promise, and what proves it.
pub(crate) type Scenario = (&'static str, fn(World) -> Running);

/// The scenarios that run one after the other.
pub(crate) fn in_turn() -> Vec<Scenario> {
    [
        fence::scenarios(),
        definitions::scenarios(),
        samples::scenarios(),
        admission::scenarios(),
        rights::scenarios(),
        intake::scenarios(),
        player::scenarios(),
        operator::in_turn(),
    ]
    .concat()
}

/// The scenarios that come after them and run at the same time: each has a namespace, a manager and a player of its own.
pub(crate) fn together() -> Vec<Scenario> {
    operator::together()
}

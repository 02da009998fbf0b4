//! The scenarios, in the order in which they run: the operator's commands begin with an empty cluster, and the policies
//! come late because from then on they hold.

pub(crate) mod admission;
mod definitions;
mod fence;
mod intake;
mod operator;
mod player;
mod samples;

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::world::World;

/// A scenario under way.
type Running = Pin<Box<dyn Future<Output = Result<()>> + Send>>;
/// A promise, and what proves it.
type Scenario = (&'static str, fn(World) -> Running);

/// Every scenario.
pub(crate) fn all() -> Vec<Scenario> {
    [
        fence::scenarios(),
        definitions::scenarios(),
        samples::scenarios(),
        admission::scenarios(),
        intake::scenarios(),
        player::scenarios(),
        operator::scenarios(),
    ]
    .concat()
}

//! A scripted database and registry, and the work that is done on them: the stand-in for the process that `ptah-runner
//! supervise` starts, and for the container that fetches.
//!
//! Everything that a frame says is computed from what the [`Script`] holds, so a frame is as honest as a real one; what goes
//! wrong is written into it as [`Misbehaviour`]s. The work itself does nothing but read, change and report: how a process dies
//! or hangs is an [`Ending`], which the executable carries out.

pub mod database;
pub mod fetch;
pub mod plan;
pub mod registry;
pub mod store;
pub mod trouble;
pub mod work;

mod apply;
mod commits;
mod facts;
mod refresh;
mod run;
mod sequence;
mod settle;

pub use database::{Database, HistoryRow, Objects, RunRow, Step};
pub use registry::{Artifact, Content, Migration, Registry};
pub use store::{Session, Store};
pub use trouble::{Kind, Misbehaviour, Trouble};
pub use work::{Ending, Parcel, Place, work};

use serde::{Deserialize, Serialize};

/// All that is scripted: one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The database.
    pub database: Database,
    /// Where artifacts come from.
    pub registry: Registry,
    /// What goes wrong, in order: the first that fits an operation is used up by it.
    pub misbehaviours: Vec<Misbehaviour>,
}

impl Script {
    /// Takes what goes wrong with an operation of this kind, in the container that fetches or in the other one.
    pub fn take(&mut self, kind: Kind, fetching: bool) -> Option<Trouble> {
        let found = self.misbehaviours.iter().position(|one| one.strikes(kind, fetching))?;
        let one = &mut self.misbehaviours[found];
        let trouble = one.trouble.clone();
        one.times = one.times.saturating_sub(1);
        if one.times == 0 {
            self.misbehaviours.remove(found);
        }
        Some(trouble)
    }
}

#[cfg(test)]
mod tests;

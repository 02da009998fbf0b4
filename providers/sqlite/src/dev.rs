//! Scratch databases in memory, where desired schemas are created and plans are proven.
//!
//! SQLite creates n objects in one database in quadratic time, so a scratch database is cut into *shards* of some
//! tables each. To a session it is one database:
//!
//! ```text
//! world    which object lives in which shard, or still only in the reading that was copied
//! route    what a statement makes or changes
//! gather   brings together what a change can touch: the table, what it owns, what names it, what refers to it
//! shard    one in-memory database with its limits and its stand-ins for unknown functions and collations
//! session  units, and one reading of all shards; transaction: one across all of them
//! ```
//!
//! Nothing here ever touches a file. What a source can do is bounded: no other databases, no settings, no table that is
//! filled by a query, bounded memory, and bounded work for each statement.

mod gather;
mod route;
mod session;
mod shard;
mod transaction;
mod world;

pub(crate) use session::DevSession;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ptah_provider_api::session::DevId;
use ptah_provider_sdk::{Failure, FailureCode, error_with_reason};

use crate::catalogue::SqliteSnapshot;
use world::World;

/// The scratch databases of this process. Each ends with the process, or when its session closes.
#[derive(Debug, Default)]
pub(crate) struct DevDatabases {
    made: Mutex<HashMap<String, World>>,
}

impl DevDatabases {
    /// Makes one, empty or with the schema of a reading.
    pub(crate) fn provision(&self, copy_of: Option<Arc<SqliteSnapshot>>) -> Result<DevId, Failure> {
        shard::limit_memory()?;
        let id = format!("dev-{}", uuid::Uuid::now_v7().simple());
        let world = copy_of.map_or_else(World::empty, |snapshot| World::copy_of(&snapshot));
        self.lock().insert(id.clone(), world);
        Ok(DevId(id))
    }

    /// Opens one. It belongs to its session from then on.
    pub(crate) fn open(&self, id: &DevId) -> Result<DevSession, Failure> {
        match self.lock().remove(&id.0) {
            Some(world) => Ok(DevSession::new(world)),
            None => Err(error_with_reason(
                FailureCode::NotFound,
                "there is no scratch database of that ID, or a session has it",
            )),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, World>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A scratch database of its own, for an address that names memory.
pub(crate) fn anonymous() -> Result<DevSession, Failure> {
    shard::limit_memory()?;
    Ok(DevSession::new(World::empty()))
}

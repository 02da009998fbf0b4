//! The catalogue of a database: read in a constant number of queries, parsed, and kept as a snapshot.
//!
//! ```text
//! rows ──── one query for all texts, one for all columns of ordinary tables, the modules when a table needs one
//! stored ── each text parsed into one object of the schema model, or the reason why it is not described
//! members ─ columns and constraints of a table
//! snapshot  all of them with their digests, and what a planner asks of it
//! ```
//!
//! Left out: what SQLite keeps for itself (`sqlite_*`), what Ptah keeps (`_ptah_*`), and the shadow tables of virtual
//! tables whose module is known.

mod described;
mod known;
mod members;
mod rows;
mod snapshot;
mod stored;

pub(crate) use members::{constraint_id, member_ids};
pub use snapshot::{SqliteSnapshot, StatisticsTables};
pub use stored::{Described, StoredObject};

use std::sync::Arc;

use ptah_provider_sdk::Failure;
use rusqlite::Connection;

/// The version of what this reader makes of a text. A change that makes an object read differently raises it, so that
/// remembered proofs end.
pub(crate) const READER_VERSION: u64 = 2;

/// Reads the whole catalogue. The caller has a transaction open, so that all queries see one state.
pub(crate) fn read(connection: &Connection) -> Result<SqliteSnapshot, Failure> {
    let statistics = rows::statistics(connection)?;
    Ok(SqliteSnapshot::of(read_objects(connection)?).with_statistics(statistics))
}

/// The same as single objects, in the order in which SQLite keeps them.
pub(crate) fn read_objects(connection: &Connection) -> Result<Vec<Arc<StoredObject>>, Failure> {
    let rows = rows::Rows::read(connection)?;
    Ok(rows.objects(connection))
}

//! Says which database a moved or copied file is, and takes everything of ours away. Runs inside a transaction.

use ptah_provider_api::claim::{AdoptRequest, Adoption};
use ptah_provider_sdk::Failure;
use rusqlite::Connection;

use super::tables::{Meta, TABLES, meta};
use super::write::unfinished;
use crate::fault::{failed, precondition};

/// Records what the database is, and answers what it then says.
pub(crate) fn adopt(connection: &Connection, request: &AdoptRequest, physical: &str) -> Result<Meta, Failure> {
    let Some(recorded) = meta(connection)? else {
        return Err(precondition("Ptah never changed this database, so there is nothing to adopt"));
    };
    if recorded.physical == physical {
        return Err(precondition("the database is at the place that it was recorded at"));
    }
    let uuid = match request.adoption {
        Adoption::Moved => recorded.uuid,
        Adoption::Copy => uuid::Uuid::now_v7().to_string(),
    };
    let update = "UPDATE _ptah_meta SET uuid = ?1, physical = ?2, at_us = ?3 WHERE id = 1";
    connection.execute(update, (&uuid, physical, request.at_us)).map_err(failed)?;
    Ok(Meta { uuid, physical: physical.to_owned() })
}

/// Drops all our tables. Plans that were saved before no longer fit, because the UUID is gone with them.
pub(crate) fn forget(connection: &Connection) -> Result<(), Failure> {
    let Some(recorded) = meta(connection)? else {
        return Ok(());
    };
    if unfinished(connection, &recorded.uuid).map_err(failed)?.is_some() {
        return Err(precondition("an operation was begun in this database and is not settled; settle it first"));
    }
    for table in TABLES {
        connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}")).map_err(failed)?;
    }
    Ok(())
}

//! A read-only query whose rows come back as text.

use ptah_provider_api::query::QueryRowsReply;
use ptah_provider_sdk::Failure;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::fault::{failed, precondition};

/// Runs one query. What could write is refused before it starts.
pub(crate) fn run(connection: &Connection, query: &str, limit: u32) -> Result<QueryRowsReply, Failure> {
    let mut statement = connection.prepare(query).map_err(failed)?;
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(precondition("the query is not one that only reads"));
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut reply = QueryRowsReply { columns, rows: Vec::new(), more: false };
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        if reply.rows.len() >= limit as usize {
            reply.more = true;
            break;
        }
        let values = (0..reply.columns.len()).map(|column| row.get_ref(column).map(shown));
        reply.rows.push(values.collect::<Result<_, _>>().map_err(failed)?);
    }
    Ok(reply)
}

/// A value as text; a blob in hexadecimal.
fn shown(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Some(format!("x'{}'", hex::encode(bytes))),
    }
}

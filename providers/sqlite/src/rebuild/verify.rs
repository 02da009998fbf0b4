//! What is compared before and after a rebuild. Every query here only reads.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension as _};

use crate::sql::name::quote_name;

/// Whether there is a table of that name.
pub(super) fn is_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let query = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE";
    Ok(connection.query_row(query, [name], |_| Ok(())).optional()?.is_some())
}

/// How many rows a table has.
pub(super) fn count(connection: &Connection, table: &str) -> rusqlite::Result<i64> {
    let query = format!("SELECT count(*) FROM main.{}", quote_name(table));
    connection.query_row(&query, [], |row| row.get(0))
}

/// How many row IDs of one table another one does not have.
pub(super) fn row_ids_lost(connection: &Connection, from: &str, to: &str) -> rusqlite::Result<i64> {
    let (from, to) = (row_id_source(connection, from)?, row_id_source(connection, to)?);
    let query = format!("SELECT count(*) FROM (SELECT {from} EXCEPT SELECT {to})");
    connection.query_row(&query, [], |row| row.get(0))
}

/// The row ID of a table under a name that no column of it hides, and where it comes from.
fn row_id_source(connection: &Connection, table: &str) -> rusqlite::Result<String> {
    let mut statement = connection.prepare("SELECT lower(name) FROM pragma_table_xinfo(?1)")?;
    let columns: BTreeSet<String> = statement.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let free = ["rowid", "_rowid_", "oid"].into_iter().find(|name| !columns.contains(*name));
    Ok(format!("{} FROM main.{}", free.unwrap_or("rowid"), quote_name(table)))
}

/// The number in `sqlite_sequence`.
pub(super) fn sequence_of(connection: &Connection, table: &str) -> rusqlite::Result<Option<i64>> {
    if !is_table(connection, "sqlite_sequence")? {
        return Ok(None);
    }
    let query = "SELECT seq FROM sqlite_sequence WHERE name = ?1 COLLATE NOCASE";
    connection.query_row(query, [table], |row| row.get(0)).optional()
}

/// How many rows of statistics a table has.
pub(super) fn statistics_of(connection: &Connection, table: &str) -> rusqlite::Result<i64> {
    let mut rows = 0;
    for statistics in ["sqlite_stat1", "sqlite_stat4"] {
        if is_table(connection, statistics)? {
            let query = format!("SELECT count(*) FROM {statistics} WHERE tbl = ?1 COLLATE NOCASE");
            rows += connection.query_row(&query, [table], |row| row.get::<_, i64>(0))?;
        }
    }
    Ok(rows)
}

/// The foreign keys that rows break, of a table and its children.
#[derive(Debug)]
pub(super) struct Violations {
    /// Per table: how often each pair of row ID and parent is there; `None` when the check itself failed, as it does
    /// when a key does not fit its parent.
    tables: BTreeMap<String, Option<RowsAtFault>>,
}

/// How often each pair of row ID and parent is at fault. Rows of a table without row IDs have none.
type RowsAtFault = BTreeMap<(Option<i64>, String), u64>;

impl Violations {
    /// Asks SQLite. Orphans that were there before are normal: foreign keys are off by default.
    pub(super) fn of(connection: &Connection, table: &str, children: &[String]) -> rusqlite::Result<Self> {
        let mut tables = BTreeMap::new();
        for name in children.iter().map(String::as_str).chain([table]) {
            if is_table(connection, name)? {
                tables.insert(name.to_owned(), Self::of_table(connection, name).ok());
            }
        }
        Ok(Self { tables })
    }

    fn of_table(connection: &Connection, table: &str) -> rusqlite::Result<RowsAtFault> {
        let query = "SELECT rowid, lower(parent) FROM pragma_foreign_key_check(?1)";
        let mut statement = connection.prepare(query)?;
        let mut found = BTreeMap::new();
        let mut rows = statement.query([table])?;
        while let Some(row) = rows.next()? {
            *found.entry((row.get(0)?, row.get(1)?)).or_insert(0) += 1;
        }
        Ok(found)
    }

    /// The first table with a violation that was not there before.
    pub(super) fn new_since(&self, before: &Self) -> Option<&str> {
        let newly = |(table, now): &(&String, &Option<RowsAtFault>)| {
            let earlier = before.tables.get(*table);
            match (now, earlier) {
                // The check fails now: new unless it failed before.
                (None, earlier) => !matches!(earlier, Some(None)),
                (Some(now), Some(Some(earlier))) => {
                    now.iter().any(|(row, count)| earlier.get(row).is_none_or(|known| known < count))
                }
                // It could not be checked before, so nothing says that what is found now is new.
                (Some(_), Some(None)) => false,
                (Some(now), None) => !now.is_empty(),
            }
        };
        self.tables.iter().find(newly).map(|(table, _)| table.as_str())
    }
}

/// Views that cannot be read, and tables whose triggers cannot be compiled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken(BTreeSet<String>);

impl Broken {
    /// Prepares everything that triggers or views take part in, and runs nothing of it.
    pub(super) fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let names = |query: &str| -> rusqlite::Result<Vec<String>> {
            let mut statement = connection.prepare(query)?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        let mut broken = BTreeSet::new();
        for view in names("SELECT name FROM sqlite_schema WHERE type = 'view'")? {
            if connection.prepare(&format!("SELECT * FROM main.{}", quote_name(&view))).is_err() {
                broken.insert(view);
            }
        }
        for owner in names("SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger'")? {
            if !triggers_compile(connection, &owner)? {
                broken.insert(format!("triggers of {owner}"));
            }
        }
        Ok(Self(broken))
    }

    /// The first that is broken now and was not before.
    pub(super) fn new_since<'a>(&'a self, before: &'a Self) -> Option<&'a str> {
        self.0.difference(&before.0).next().map(String::as_str)
    }
}

/// SQLite compiles the triggers of a table together with a statement that would fire them.
fn triggers_compile(connection: &Connection, owner: &str) -> rusqlite::Result<bool> {
    let mut columns = connection.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0")?;
    let columns: Vec<String> = columns.query_map([owner], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let owner = quote_name(owner);
    let same: Vec<String> = columns.iter().map(|c| format!("{0} = {0}", quote_name(c))).collect();
    let mut statements = vec![format!("INSERT INTO main.{owner} DEFAULT VALUES"), format!("DELETE FROM main.{owner}")];
    if !same.is_empty() {
        statements.push(format!("UPDATE main.{owner} SET {}", same.join(", ")));
    }
    // A view without an INSTEAD OF trigger for one of the three cannot be written that way, before or after.
    Ok(statements.iter().all(|statement| match connection.prepare(statement) {
        Ok(_) => true,
        Err(error) => is_no_trigger_fault(&error),
    }))
}

/// "Cannot modify because it is a view" is no fault of a trigger.
fn is_no_trigger_fault(error: &rusqlite::Error) -> bool {
    let text = error.to_string();
    text.contains("because it is a view") || text.contains("may not be modified")
}

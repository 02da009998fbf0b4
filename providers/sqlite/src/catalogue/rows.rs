//! What SQLite's own tables say, and what is to be made of each row.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ptah_model::{Kind, fold_ascii};
use ptah_provider_sdk::Failure;
use rusqlite::Connection;

use super::known;
use super::snapshot::StatisticsTables;
use super::stored::{Columns, StoredObject, TableColumn, Text};
use crate::claims::is_ours;
use crate::fault::failed;
use crate::kinds;
use crate::sql::ast::Declaration;
use crate::sql::name::quote_name;

/// One row of `sqlite_schema`.
#[derive(Debug)]
struct SchemaRow {
    kind: String,
    name: String,
    table: String,
    sql: String,
}

/// Everything that was asked.
#[derive(Debug)]
pub(super) struct Rows {
    schema: Vec<SchemaRow>,
    /// The columns of ordinary tables as SQLite reads them, by the folded name of the table.
    columns: HashMap<String, Vec<TableColumn>>,
    /// Names of modules that this build knows, folded.
    modules: BTreeSet<String>,
    /// Shadow tables of modules that are known, folded.
    shadows: BTreeSet<String>,
}

/// `sqlite_*` has no text or is SQLite's own; the tables of Ptah are outside everything.
const SCHEMA: &str = "SELECT type, name, tbl_name, sql FROM main.sqlite_schema
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND tbl_name NOT LIKE 'sqlite!_%' ESCAPE '!'
    ORDER BY rowid";

/// Ordinary tables only: one virtual table without its module would fail the whole join.
const COLUMNS: &str = "SELECT lower(s.name), x.name, x.hidden, x.pk
    FROM main.sqlite_schema AS s, pragma_table_xinfo(s.name) AS x
    WHERE s.type = 'table' AND s.rootpage > 0";

impl Rows {
    /// Asks everything: two queries, and two more when there is a virtual table.
    pub(super) fn read(connection: &Connection) -> Result<Self, Failure> {
        let schema = schema(connection).map_err(failed)?;
        let columns = columns(connection).map_err(failed)?;
        let mut rows = Self { schema, columns, modules: BTreeSet::new(), shadows: BTreeSet::new() };
        if rows.schema.iter().any(SchemaRow::is_virtual) {
            let modules = "SELECT lower(name) FROM pragma_module_list";
            rows.modules = names(connection, modules).map_err(failed)?;
            let shadows = "SELECT lower(name) FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'";
            rows.shadows = names(connection, shadows).map_err(failed)?;
        }
        Ok(rows)
    }

    /// One object for each row that is not left out.
    pub(super) fn objects(self, connection: &Connection) -> Vec<Arc<StoredObject>> {
        let unknown = self.unknown_modules();
        let names = |columns: &Vec<TableColumn>| columns.iter().map(|column| column.name.clone()).collect();
        let tables: HashMap<&str, Columns> =
            self.columns.iter().map(|(table, columns)| (table.as_str(), names(columns))).collect();
        let mut texts = Vec::with_capacity(self.schema.len());
        let mut rows = Vec::with_capacity(self.schema.len());
        for row in self.schema.iter().filter(|row| !self.shadows.contains(&fold_ascii(&row.table))) {
            let why = why_not_described(row, &unknown);
            let own = self.columns.get(&fold_ascii(&row.name)).map(Vec::as_slice);
            let of_table = tables.get(fold_ascii(&row.table).as_str());
            if why.is_none() {
                texts.push(Text { id: row.id(), sql: &row.sql, own, of_table });
            }
            rows.push((row, why));
        }
        let mut parsed = known::parse(&texts).into_iter();
        let object = |(row, why): (&SchemaRow, Option<String>)| match why {
            Some(reason) => Some(Arc::new(StoredObject::not_described(row.id(), &row.sql, reason))),
            None => parsed.next().map(|object| tried(connection, row, object)),
        };
        rows.into_iter().filter_map(object).collect()
    }

    /// Virtual tables whose module this build does not have. Their shadow tables look like ordinary ones.
    fn unknown_modules(&self) -> BTreeSet<String> {
        let virtual_tables = self.schema.iter().filter(|row| row.is_virtual());
        virtual_tables
            .filter(|row| match Declaration::read(&row.sql, None) {
                Ok(Declaration::VirtualTable(table)) => !self.modules.contains(&table.module.folded),
                _ => true,
            })
            .map(|row| fold_ascii(&row.name))
            .collect()
    }
}

/// Why nothing is to be made of a row, beyond what its text says.
fn why_not_described(row: &SchemaRow, unknown: &BTreeSet<String>) -> Option<String> {
    let table = fold_ascii(&row.table);
    if let Some(vtab) = unknown.iter().find(|vtab| is_shadow_of(&table, vtab)) {
        return Some(format!("it may belong to the virtual table `{vtab}`, whose module is not known here"));
    }
    let is_unknown = row.is_virtual() && unknown.contains(&fold_ascii(&row.name));
    is_unknown.then(|| "its module is not known here".to_owned())
}

/// Views and virtual tables are tried one by one, because one that is broken fails every query that it is part of.
fn tried(connection: &Connection, row: &SchemaRow, object: Arc<StoredObject>) -> Arc<StoredObject> {
    if row.kind != "view" && !row.is_virtual() {
        return object;
    }
    let query = format!("SELECT * FROM main.{}", quote_name(&row.name));
    match connection.prepare(&query) {
        Ok(_) => object,
        Err(error) => {
            let why = crate::fault::Fault::of(&error).sentence;
            let reason = format!("it cannot be read: {why}");
            Arc::new(StoredObject::not_described(row.id(), &row.sql, reason))
        }
    }
}

/// Which tables ANALYZE has made.
pub(super) fn statistics(connection: &Connection) -> Result<StatisticsTables, Failure> {
    let query = "SELECT name FROM main.sqlite_schema WHERE name IN ('sqlite_stat1', 'sqlite_stat4')";
    let there = names(connection, query).map_err(failed)?;
    Ok(StatisticsTables { stat1: there.contains("sqlite_stat1"), stat4: there.contains("sqlite_stat4") })
}

/// `name_…`, by SQLite's rule for shadow tables.
fn is_shadow_of(table: &str, vtab: &str) -> bool {
    table.strip_prefix(vtab).is_some_and(|rest| rest.starts_with('_'))
}

impl SchemaRow {
    /// SQLite writes the words of its own CREATE texts in capitals, and a virtual table has no page.
    fn is_virtual(&self) -> bool {
        self.kind == "table" && self.sql.get(..14).is_some_and(|start| start.eq_ignore_ascii_case("create virtual"))
    }

    fn id(&self) -> ptah_model::ObjectId {
        let (kind, owner) = match self.kind.as_str() {
            "index" => (Kind::index(), Some(self.table.as_str())),
            "trigger" => (Kind::trigger(), Some(self.table.as_str())),
            "view" => (Kind::view(), None),
            _ if self.is_virtual() => (kinds::virtual_table(), None),
            _ => (Kind::table(), None),
        };
        kinds::object_id(kind, owner, &self.name)
    }
}

fn schema(connection: &Connection) -> rusqlite::Result<Vec<SchemaRow>> {
    let mut statement = connection.prepare(SCHEMA)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let row = SchemaRow { kind: row.get(0)?, name: text(row, 1)?, table: text(row, 2)?, sql: text(row, 3)? };
        if !is_ours(&row.name) && !is_ours(&row.table) {
            found.push(row);
        }
    }
    Ok(found)
}

fn columns(connection: &Connection) -> rusqlite::Result<HashMap<String, Vec<TableColumn>>> {
    let mut statement = connection.prepare(COLUMNS)?;
    let mut rows = statement.query([])?;
    let mut found: HashMap<String, Vec<TableColumn>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let column =
            TableColumn { name: fold_ascii(&text(row, 1)?), hidden: row.get(2)?, in_key: row.get::<_, i64>(3)? > 0 };
        found.entry(text(row, 0)?).or_default().push(column);
    }
    Ok(found)
}

fn names(connection: &Connection, query: &str) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = connection.prepare(query)?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// A text that need not be UTF-8, because nothing makes SQLite check that; what is not becomes the replacement sign.
fn text(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<String> {
    let value = row.get_ref(column)?;
    Ok(value.as_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default())
}

//! The rows of a table as they will be: what a check reads before anything runs, and again when some of it has run.
//!
//! A query names only columns that the table has before *and* after the change, so that it can be asked at both times:
//! a column that does not exist yet is written as its default, and one that will store values in another way as what
//! will be stored. Where neither is needed, the query reads the table itself.

use std::collections::BTreeSet;

use super::side::{key_columns, row_id_names};
use super::value;
use crate::sql::ast::{Column, Table};
use crate::sql::name::{Name, quote_name};

/// A table before and after.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    old: &'a Table,
    new: &'a Table,
}

/// A count and, where rows can be named, their keys.
pub(super) struct Question {
    pub(super) count: String,
    pub(super) rows: Option<String>,
}

/// Where a query reads, and under which names it finds the keys there.
struct Source {
    from: String,
    keys: Vec<String>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(old: &'a Table, new: &'a Table) -> Self {
        Self { old, new }
    }

    /// The name of the table, as SQL.
    pub(super) fn name(&self) -> String {
        quote_name(&self.old.header.name.text).into_owned()
    }

    /// The rows for which a condition over the new table holds. `used` are the columns that it may name, folded.
    pub(super) fn that(&self, used: &BTreeSet<String>, condition: &str) -> Question {
        let Source { from, keys } = self.source(used);
        let rows = (!keys.is_empty()).then(|| format!("SELECT {} FROM {from} WHERE {condition}", keys.join(", ")));
        Question { count: format!("SELECT count(*) FROM {from} WHERE {condition}"), rows }
    }

    /// All rows.
    pub(super) fn all(&self) -> Question {
        let name = self.name();
        let keys = self.keys();
        let rows = (!keys.is_empty()).then(|| format!("SELECT {} FROM {name}", keys.join(", ")));
        Question { count: format!("SELECT count(*) FROM {name}"), rows }
    }

    /// The rows that have the same values as another one in all of `terms`, NULL being like nothing.
    pub(super) fn alike(&self, used: &BTreeSet<String>, terms: &[Term], condition: Option<&str>) -> Question {
        let Source { from, keys } = self.source(used);
        let by: Vec<_> = terms.iter().map(Term::collated).collect();
        let mut wanted: Vec<_> = terms.iter().map(|term| format!("{} IS NOT NULL", term.value)).collect();
        wanted.extend(condition.map(|condition| format!("({condition})")));
        let (by, wanted) = (by.join(", "), wanted.join(" AND "));
        let listed = |keys: &[String]| {
            let named: Vec<_> = keys.iter().map(|key| format!("{key}, ")).collect();
            format!("SELECT {}count(*) OVER (PARTITION BY {by}) AS ptah_n FROM {from} WHERE {wanted}", named.concat())
        };
        let rows =
            (!keys.is_empty()).then(|| format!("SELECT {} FROM ({}) WHERE ptah_n > 1", keys.join(", "), listed(&keys)));
        Question { count: format!("SELECT count(*) FROM ({}) WHERE ptah_n > 1", listed(&[])), rows }
    }

    /// The table or a query with its columns, for these columns, under another name.
    pub(super) fn relation(&self, used: &BTreeSet<String>, alias: &str) -> String {
        if self.is_as_it_was(used) {
            format!("{} AS {alias}", self.name())
        } else {
            format!("{} AS {alias}", self.shaped(&[]))
        }
    }

    fn source(&self, used: &BTreeSet<String>) -> Source {
        let keys = self.keys();
        if self.is_as_it_was(used) {
            return Source { from: self.name(), keys };
        }
        let named: Vec<_> = (1..=keys.len()).map(|n| format!("ptah_key_{n}")).collect();
        let listed: Vec<_> = keys.iter().zip(&named).map(|(key, name)| format!("{key} AS {name}")).collect();
        // The name of the table, so that a condition can put it before its columns.
        Source { from: format!("{} AS {}", self.shaped(&listed), self.name()), keys: named }
    }

    /// What names a row to a person, before and after: its row ID under a name that can be seen, or its primary key.
    fn keys(&self) -> Vec<String> {
        let alias = self.old.rowid_alias.and_then(|at| self.old.columns.get(at));
        if let Some(alias) = alias.filter(|alias| self.has(&alias.name.folded)) {
            return vec![quote_name(&alias.name.text).into_owned()];
        }
        let (before, after) = (row_id_names(self.old), row_id_names(self.new));
        if let Some(name) = before.iter().find(|name| after.contains(name)) {
            return vec![(*name).to_owned()];
        }
        let key = key_columns(self.old);
        let stays = key.iter().all(|name| self.has(name));
        key.iter().filter(|_| stays).map(|name| quote_name(name).into_owned()).collect()
    }

    /// Whether those of `used` that are columns are there and hold what they will hold.
    fn is_as_it_was(&self, used: &BTreeSet<String>) -> bool {
        let same = |column: &Column| {
            self.old.column(&column.name).is_some_and(|old| {
                let computed = |c: &Column| c.generated.as_ref().map(|g| g.expression.canonical.text.clone());
                let copied = old.generated.is_none() || column.generated.is_some();
                value::is_kept(old, column)
                    && value::compares_alike(old, column)
                    && copied
                    && computed(old) == computed(column)
            })
        };
        let used = with_inputs(self.new, used);
        self.new.columns.iter().filter(|column| used.contains(&column.name.folded)).all(same)
    }

    /// `(SELECT …)` with every column of the new table.
    fn shaped(&self, keys: &[String]) -> String {
        let stored = self.new.columns.iter().filter(|column| column.generated.is_none());
        let mut columns: Vec<String> = keys.to_vec();
        columns.extend(stored.map(|column| format!("{} AS {}", self.written(column), quote_name(&column.name.text))));
        if columns.is_empty() {
            columns.push("NULL".to_owned());
        }
        // Rows are numbered in the order in which a rebuild copies them.
        let scan = if self.new.columns.iter().any(|column| self.is_numbered(column)) { " NOT INDEXED" } else { "" };
        let mut query = format!("(SELECT {} FROM {}{scan})", columns.join(", "), self.name());
        for column in computed_in_order(self.new) {
            let expression = column.generated.as_ref().map_or("NULL", |g| g.expression.canonical.text.as_str());
            let (name, expression) = (quote_name(&column.name.text), value::with_affinity(expression, column));
            query = format!("(SELECT *, {expression} AS {name} FROM {query} AS {})", self.name());
        }
        query
    }

    /// A column of the new table over the columns of the old one.
    fn written(&self, column: &Column) -> String {
        match (self.old.column(&column.name), &column.default) {
            (Some(old), _) => value::stored(&quote_name(&old.name.text), old, column),
            (None, _) if self.is_numbered(column) => "row_number() OVER ()".to_owned(),
            (None, Some(default)) => value::with_affinity(&default.value.canonical.text, column),
            (None, None) => "NULL".to_owned(),
        }
    }
}

/// These columns and all that they are computed from.
fn with_inputs(table: &Table, used: &BTreeSet<String>) -> BTreeSet<String> {
    let mut all = used.clone();
    for column in computed_in_order(table).into_iter().rev() {
        if let (Some(generated), true) = (&column.generated, all.contains(&column.name.folded)) {
            all.extend(generated.expression.canonical.references.columns.iter().cloned());
        }
    }
    all
}

/// Generated columns, each after those that it is computed from.
fn computed_in_order(table: &Table) -> Vec<&Column> {
    let mut waiting: Vec<&Column> = table.columns.iter().filter(|column| column.generated.is_some()).collect();
    let mut ordered = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let names: BTreeSet<String> = waiting.iter().map(|column| column.name.folded.clone()).collect();
        let is_ready = |column: &&Column| {
            column.generated.as_ref().is_none_or(|generated| {
                let used = &generated.expression.canonical.references.columns;
                used.intersection(&names).all(|name| *name == column.name.folded)
            })
        };
        let (ready, rest): (Vec<&Column>, Vec<&Column>) = waiting.into_iter().partition(is_ready);
        let stuck = ready.is_empty();
        ordered.extend(ready);
        waiting = if stuck { Vec::new() } else { rest };
    }
    ordered
}

/// One column or expression of a key, and how it compares.
pub(super) struct Term {
    /// The value, as SQL.
    pub(super) value: String,
    /// The collation.
    pub(super) collation: Name,
}

impl Term {
    fn collated(&self) -> String {
        // Without it, an expression over a changed column would compare as BINARY.
        format!("{} COLLATE {}", self.value, quote_name(&self.collation.text))
    }
}

impl Rows<'_> {
    /// ` COLLATE …` of a column of the new table, where reading the old one would compare in another way.
    pub(super) fn collated(&self, folded: &str) -> String {
        let of = |table: &Table| {
            let column = table.columns.iter().find(|column| column.name.folded == *folded);
            column.and_then(|column| column.collation.as_ref()).map_or("binary".to_owned(), |c| c.name.folded.clone())
        };
        let (before, after) = (of(self.old), of(self.new));
        if before == after { String::new() } else { format!(" COLLATE {}", quote_name(&after)) }
    }

    /// Whether a column is a new row ID: SQLite numbers the rows from 1, whatever its default is.
    pub(super) fn is_numbered(&self, column: &Column) -> bool {
        let alias = self.new.rowid_alias.and_then(|at| self.new.columns.get(at));
        alias.is_some_and(|alias| alias.name == column.name) && self.old.column(&column.name).is_none()
    }

    /// Whether the new table has a column of that folded name.
    pub(super) fn has(&self, folded: &str) -> bool {
        self.new.columns.iter().any(|column| column.name.folded == folded)
    }
}

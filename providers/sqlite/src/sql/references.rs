//! The names that an expression, query or trigger body mentions.
//!
//! Always a superset: a name of a common table expression stands among the tables, an alias among the columns. Good
//! for ordering, for finding what a rename touches and for functions that a build does not have; not a proof that an
//! object is used.

use std::collections::BTreeSet;

/// What a text mentions; all names are without quotes and in ASCII lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Tables, views, table-valued functions and common table expressions.
    pub tables: BTreeSet<String>,
    /// Columns and aliases, without what they are qualified with.
    pub columns: BTreeSet<String>,
    /// Functions, also those that an operator calls (`REGEXP` calls `regexp`).
    pub functions: BTreeSet<String>,
    /// Collations that are named.
    pub collations: BTreeSet<String>,
    /// Database names that qualify a table.
    pub databases: BTreeSet<String>,
}

impl References {
    /// Adds all that `other` mentions.
    pub fn add(&mut self, other: &Self) {
        let Self { tables, columns, functions, collations, databases } = other;
        self.tables.extend(tables.iter().cloned());
        self.columns.extend(columns.iter().cloned());
        self.functions.extend(functions.iter().cloned());
        self.collations.extend(collations.iter().cloned());
        self.databases.extend(databases.iter().cloned());
    }
}

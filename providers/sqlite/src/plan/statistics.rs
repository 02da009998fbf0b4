//! What ANALYZE wrote about a table: gone with the table, unless it is carried over or made again.
//!
//! The rows name the table and its indexes. Indexes that stay keep their names; those of keys are numbered, so that
//! the rows fit only when the keys of the table are the same.

use super::case::Case;
use crate::catalogue::StatisticsTables;
use crate::sql::ast::{Constraint, ConstraintKind, Table};
use crate::sql::name::quote_string;

/// What a rebuild does about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statistics {
    /// There are none.
    None,
    /// They are carried over.
    Kept(StatisticsTables),
    /// They would not fit: the new table is analysed.
    Renewed,
}

impl Statistics {
    pub(super) fn of(case: &Case<'_>) -> Self {
        let tables = case.scene.statistics;
        if !tables.stat1 && !tables.stat4 {
            Self::None
        } else if numbered_keys(case.old.table) == numbered_keys(case.new.table) {
            Self::Kept(tables)
        } else {
            Self::Renewed
        }
    }

    /// The statements that give the rows of one table to another; none when they are not carried over.
    pub(super) fn moved(self, from: &str, to: &str) -> Vec<String> {
        let Self::Kept(StatisticsTables { stat1, stat4 }) = self else { return Vec::new() };
        let (from, to) = (quote_string(from), quote_string(to));
        let tables = [(stat1, "sqlite_stat1"), (stat4, "sqlite_stat4")];
        let there = tables.into_iter().filter(|(is_there, _)| *is_there);
        there.map(|(_, table)| format!("UPDATE {table} SET tbl = {to} WHERE tbl = {from}")).collect()
    }

    /// The statement that makes them again.
    pub(super) fn renewed(self, case: &Case<'_>) -> Option<String> {
        (self == Self::Renewed).then(|| format!("ANALYZE {}", case.quoted()))
    }

    /// What becomes of them, for people.
    pub(super) fn told(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Kept(_) => Some("statistics of ANALYZE about the table are carried over"),
            Self::Renewed => {
                Some("statistics of ANALYZE about the table go with it, and ANALYZE is run for the new one")
            }
        }
    }
}

/// The keys for which SQLite makes an index and gives it a number.
fn numbered_keys(table: &Table) -> Vec<String> {
    let keys = table.constraints.iter().filter(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey { rowid_alias, .. } => !rowid_alias,
        ConstraintKind::Unique { .. } => true,
        _ => false,
    });
    keys.map(Constraint::canonical).collect()
}

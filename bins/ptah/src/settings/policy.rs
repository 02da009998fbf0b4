//! What shapes a plan.

use super::word;
use crate::arguments::{ColumnOrder, PolicyFlags, TxMode};
use crate::environment::{COLUMN_ORDER, Environment, FRESH, PROTECTED_TABLE, TX_MODE};
use crate::failure::Failure;

/// What shapes a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How units are put into transactions.
    pub tx_mode: TxMode,
    /// Whether the order of columns is a difference.
    pub column_order: ColumnOrder,
    /// Whether steps may lose something for good.
    pub allow_destructive: bool,
    /// Whether the desired schema may be empty, or drop every table.
    pub allow_empty: bool,
    /// Tables that are never dropped and never lose rows or columns; sorted, each once.
    pub protected_tables: Vec<String>,
    /// Whether nothing that was proven earlier is believed.
    pub fresh: bool,
}

impl Policy {
    /// From flags and variables. Tables of the variable are protected besides those of the flags: protection only grows.
    pub fn resolve(flags: &PolicyFlags, environment: &Environment) -> Result<Self, Failure> {
        let listed = environment.text(PROTECTED_TABLE)?.unwrap_or_default().split(',').map(str::trim);
        let mut protected_tables: Vec<String> =
            listed.filter(|t| !t.is_empty()).map(str::to_owned).chain(flags.protected_table.iter().cloned()).collect();
        if protected_tables.iter().any(String::is_empty) {
            return Err(Failure::usage("--protected-table names no table"));
        }
        protected_tables.sort();
        protected_tables.dedup();
        Ok(Self {
            tx_mode: word(flags.tx_mode, environment, TX_MODE)?.unwrap_or(TxMode::File),
            column_order: column_order(flags.column_order, environment)?,
            allow_destructive: flags.allow_destructive,
            allow_empty: flags.allow_empty,
            protected_tables,
            fresh: flags.fresh || environment.switch(FRESH)?,
        })
    }
}

impl Policy {
    /// What the plan is made under, and what is recorded in it.
    pub fn of_plan(&self) -> ptah_plan::Policy {
        ptah_plan::Policy {
            column_order: of_compare(self.column_order),
            allow_destructive: self.allow_destructive,
            allow_empty: self.allow_empty,
            protected_tables: self.protected_tables.clone(),
            tx_mode: match self.tx_mode {
                TxMode::File => ptah_plan::TxMode::File,
                TxMode::All => ptah_plan::TxMode::All,
                TxMode::None => ptah_plan::TxMode::None,
            },
        }
    }
}

/// What a comparison is made under: everything is permitted, because nothing is run.
pub fn looking_only(order: ColumnOrder) -> ptah_plan::Policy {
    ptah_plan::Policy {
        column_order: of_compare(order),
        allow_destructive: true,
        allow_empty: true,
        ..ptah_plan::Policy::default()
    }
}

fn of_compare(order: ColumnOrder) -> ptah_diff::ColumnOrder {
    match order {
        ColumnOrder::Ignore => ptah_diff::ColumnOrder::Ignore,
        ColumnOrder::Exact => ptah_diff::ColumnOrder::Exact,
    }
}

/// Whether the order of columns is a difference.
pub fn column_order(flag: Option<ColumnOrder>, environment: &Environment) -> Result<ColumnOrder, Failure> {
    Ok(word(flag, environment, COLUMN_ORDER)?.unwrap_or(ColumnOrder::Ignore))
}

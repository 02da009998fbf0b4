//! What the caller permits, and how it wants steps put into transactions.

use ptah_diff::{ColumnOrder, CompareOptions};

/// How steps are put into transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TxMode {
    /// As few transactions as the rules of the steps allow.
    #[default]
    File,
    /// The same as [`Self::File`] for a plan, which is one unit of work; the word is kept because people know it.
    All,
    /// Each step alone and outside a transaction, but where its rules ask for one.
    None,
}

/// What the caller permits. Part of a plan: a plan made under one policy is not run under another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Whether the order of columns is a difference.
    pub column_order: ColumnOrder,
    /// Whether something may be lost (`--allow-destructive`).
    pub allow_destructive: bool,
    /// Whether the desired state may be empty or drop every table (`--allow-empty`).
    pub allow_empty: bool,
    /// Tables that may not lose anything, as they were given (`--protected-table`). Nothing overrides them.
    pub protected_tables: Vec<String>,
    /// How steps are put into transactions (`--tx-mode`).
    pub tx_mode: TxMode,
}

impl Policy {
    /// What the policy says about comparing.
    pub fn compare_options(&self) -> CompareOptions {
        CompareOptions { column_order: self.column_order }
    }

    /// The words of the policy that shape what a reading of the sources is compared with: part of the digest of the
    /// sources, so that a remembered proof never answers for another policy.
    pub fn reading_words(&self) -> Vec<&'static str> {
        vec![match self.column_order {
            ColumnOrder::Ignore => "column-order=ignore",
            ColumnOrder::Exact => "column-order=exact",
        }]
    }
}

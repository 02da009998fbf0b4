//! The list of rules.

mod dropped_column;
mod dropped_definition;
mod dropped_protection;
mod dropped_table;
mod missing_default;
mod new_constraint;
mod possible_rename;
mod rewrite;
mod scan;

use crate::Rule;

/// All rules, in the order in which they tell: what is lost, what can fail, what takes long.
pub const RULES: &[Rule] = &[
    dropped_table::RULE,
    dropped_column::RULE,
    possible_rename::RULE,
    dropped_protection::RULE,
    dropped_definition::RULE,
    missing_default::RULE,
    new_constraint::RULE,
    rewrite::RULE,
    scan::RULE,
];

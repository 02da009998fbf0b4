//! Every rule, one file for each concern. A file is a table, and below it the functions that it names.

mod bootstrap;
mod claims;
mod describe;
mod execution;
mod locks;
mod loss;
mod plans;
mod readings;
mod reasons;
mod rows;
mod sessions;
mod sizes;
mod sources;
mod transactions;

use crate::rule::Rule;

/// Makes the table of a concern: the name of each rule is the name of its function.
macro_rules! table {
    ($concern:literal: $($name:ident $([$($need:expr),+])? $(on $database:ident)? => $sentence:literal,)+) => {
        /// The rules of this concern.
        pub(super) const RULES: &[crate::rule::Rule] = &[$(
            crate::rule::Rule {
                name: stringify!($name),
                concern: $concern,
                sentence: $sentence,
                needs: &[$($($need),+)?],
                database: table!(@ $($database)?),
                run: |lab| Box::pin($name(lab)),
            },
        )+];
    };
    (@ database) => { true };
    (@) => { false };
}
pub(crate) use table;

/// Every rule, in the order in which they are reported.
pub fn all() -> Vec<Rule> {
    let concerns = [
        bootstrap::RULES,
        describe::RULES,
        sizes::RULES,
        sessions::RULES,
        readings::RULES,
        sources::RULES,
        execution::RULES,
        transactions::RULES,
        rows::RULES,
        locks::RULES,
        claims::RULES,
        plans::RULES,
        loss::RULES,
        reasons::RULES,
    ];
    concerns.concat()
}

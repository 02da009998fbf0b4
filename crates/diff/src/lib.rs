//! Two schema models in, a list of typed changes out.
//!
//! Two entry points, called in this order: [`renames`] says which objects and members get another name because the
//! sources ask for it, and [`compare`] says what else differs once those names hold. Facets are compared by equality
//! and never looked into, because the same reader made both sides. Nothing here knows a statement, an order of
//! execution or a policy: that is `plan`.

#![deny(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm
)]

mod change;
mod compare;
mod lookalike;
mod members;
mod owner;
mod rename;

pub use change::{Action, Change, ChangeId, FacetChange};
pub use compare::{ColumnOrder, CompareOptions, Comparison, UnknownKind, code, compare};
pub use rename::{RenameHint, RenameInputs, RenameRecord, Renames, renames};

#[cfg(test)]
mod tests;

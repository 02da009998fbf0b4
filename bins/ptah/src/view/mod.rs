//! Values in, text or documents out: each view has a form for people and one for machines.
//!
//! Nothing here reads, decides or writes. Text is readable without colour, and every number that a person is told is in
//! the document too.

pub mod capabilities;
pub mod compare;
pub mod diagnostics;
pub mod failure;
pub mod forgotten;
pub mod offline;
pub mod plan;
pub mod providers;
pub mod rows;
pub mod run;
pub mod schema;
pub mod version;

#[cfg(test)]
mod reference;

/// `1 step`, `2 steps`.
fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

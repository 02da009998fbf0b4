//! What a database remembers of Ptah: runs, proofs and renames, in four plain tables of the database itself.
//!
//! The tables are made by the first intent and by nothing else, in the transaction that commits alone before anything
//! runs. They are ordinary rowid tables without anything newer than SQLite 3.3: a `STRICT` table would make an old
//! SQLite refuse the whole file. They are outside catalogue, comparison, fingerprint and sources.
//!
//! Rows of runs are only ever added. A row belongs to the UUID that the database had when it was written, so that a
//! copy that was given a UUID of its own keeps the rows of the original without being bound by them; a spent operation
//! stays spent in the copy too.

mod adopt;
mod read;
mod tables;
mod text;
mod write;

pub(crate) use adopt::{adopt, forget};
pub(crate) use read::read;
pub(crate) use tables::{Meta, latest, meta};
pub(crate) use write::{Recorded, record};

use ptah_model::fold_ascii;

/// What every name of ours starts with.
pub(crate) const PREFIX: &str = "_ptah_";

/// Whether a name is one of ours, by SQLite's own way to compare names.
pub(crate) fn is_ours(name: &str) -> bool {
    fold_ascii(name).starts_with(PREFIX)
}

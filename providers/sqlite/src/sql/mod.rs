//! Everything about the text of SQLite's SQL: tokens, statements, directives, declarations and canonical forms.
//!
//! Pure: text in, values out. Nothing here opens a database, reads a file or asks SQLite, so that what a text means is
//! decided in one place and the same way for a declared source and for the text that SQLite keeps in `sqlite_schema`.
//!
//! ```text
//! script text ─ token ─ split ─ classify ─ schema_source ─ accepted objects, directives, findings
//! one CREATE text ───── ast (table, index, view, trigger, virtual table) ─ canonical, references
//! ```

pub mod ast;
pub mod canonical;
pub mod classify;
pub mod cursor;
pub mod directive;
pub mod error;
pub mod name;
pub mod parse;
pub mod position;
pub mod references;
pub mod schema_source;
pub mod split;
pub mod token;

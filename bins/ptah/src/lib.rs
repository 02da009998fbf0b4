//! The command line: arguments in, output out, an exit code at the end.
//!
//! Three parts and two sides. [`arguments`] parses, [`settings`] puts flags, variables and defaults together, and the
//! commands do what was asked. [`view`] turns values into text and documents, [`output`] writes them. Nothing here
//! decides what is done to a database.

pub mod arguments;
pub mod environment;
pub mod failure;
pub mod output;
pub mod settings;
pub mod view;

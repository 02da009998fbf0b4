//! The command line: arguments in, output out, an exit code at the end.
//!
//! Three parts and two sides. [`arguments`] parses, [`settings`] puts flags, variables and defaults together, and
//! [`commands`] do what was asked. [`view`] turns values into text and documents, [`output`] writes them. Nothing here
//! decides what is done to a database.

pub mod arguments;
pub mod bundled;
pub mod commands;
pub mod crash;
pub mod environment;
pub mod failure;
pub mod output;
mod program;
pub mod save;
pub mod settings;
pub mod signals;
pub mod view;

pub use program::main;

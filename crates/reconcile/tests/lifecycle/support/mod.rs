//! What the tests stand on: values to begin with, a model of the API server, and the outside that acts on it.

mod api;
mod everything;
mod outside;
mod values;
mod world;

pub(crate) use outside::{DB, ONE, finished, key, untouched};
pub(crate) use values::{digest, identity, reading, resource};
pub(crate) use world::{Fault, World, label};

/// How the row of a table comes about.
pub(crate) type Arrange = fn(&mut World);

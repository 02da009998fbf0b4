//! Kubernetes objects as values of the operator's core, and the core's values as Kubernetes objects.
//!
//! The core decides on small values and knows no text forms; the API server keeps records with names, versions and what
//! people want to read. Here is the one place where the two meet, in both directions, without I/O:
//!
//! | Object | To the core | From the core |
//! |---|---|---|
//! | `PtahSchema`, `PtahMigration` | [`resource`] | [`with_status`] |
//! | Lease | [`lease::read`] | [`lease::write`] |
//! | plans | [`plan::read`] | [`plan::make`], [`plan::piece`] |
//! | what a Job's Pod is told | – | [`operation::spec`] |
//! | the Job of an operation, and what it mounts | – | [`job::build`](fn@job::build), [`plan::staged`] |
//! | a delivered result | [`frame::read`] | – |
//! | approvals, acknowledgments | [`people`] | – |
//! | a rival of the same database | [`claimant::read`] | – |
//! | a Job and its Pods | [`job::read`], [`job::read_pod`] | – |
//!
//! **What is written is what is read.** For every status that the core writes, reading the object that [`with_status`] makes
//! gives that status again; a test asks it of statuses of every shape. What the core does not know (names, versions of
//! components, what people read) is kept from the object that was read, and made anew only where the core changed the part.

pub mod claimant;
#[cfg(test)]
mod fixtures;
pub mod frame;
pub mod ids;
pub mod job;
pub mod lease;
mod object;
pub mod operation;
pub mod people;
pub mod plan;
pub(crate) mod read;
mod shown;
mod spec;
mod write;

pub use object::{Object, Unreadable};
pub use read::resource;
pub use spec::PolicyState;
pub use write::{Components, Known, Person, Unwritable, with_status};

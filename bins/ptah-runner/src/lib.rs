//! The runner of one operation in its Pod: a supervisor in each of its two containers.
//!
//! [`fetch`](fn@fetch) watches the process that has the registry, [`supervise`] the one that has the database. The second asks for the permit, starts the one process that does the work, keeps its deadlines by two clocks, ends it and
//! everything that it left, and delivers what it said; where it said nothing, that is what is delivered. It opens no
//! database, reads no credential but the Pod's token, and knows no Kubernetes.
//!
//! Not here: the work itself. That is the process whose command each is given.

pub mod arguments;
mod child;
mod client;
mod clock;
mod delivery;
mod disk;
mod fetch;
#[cfg(test)]
mod fixtures;
mod log;
mod pause;
mod permit;
mod program;
mod result;
mod stage;
mod stop;
mod tree;
mod window;
mod words;

pub use fetch::fetch;
pub use program::supervise;

//! The runner of one operation in its Pod: the supervisor.
//!
//! It asks for the permit, starts the one process that does the work, keeps its deadlines by two clocks, ends it and
//! everything that it left, and delivers what it said; where it said nothing, that is what is delivered. It opens no
//! database, reads no credential but the Pod's token, and knows no Kubernetes.
//!
//! Not here: the work itself. That is the process whose command it is given.

pub mod arguments;
mod child;
mod client;
mod clock;
mod delivery;
mod disk;
#[cfg(test)]
mod fixtures;
mod log;
mod pause;
mod permit;
mod program;
mod result;
mod stop;
mod tree;
mod window;
mod words;

pub use program::supervise;

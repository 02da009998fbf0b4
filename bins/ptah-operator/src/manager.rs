//! The manager: drives the operator's core on a real API server.
//!
//! ```text
//! watch ──wakes──► Queue ──one pass per resource at a time──► pass: Gather ⇄ Carrier ─► decide ─► Perform ⇄ Carrier
//! Pods  ──TLS────► ptah-intake ──asks──► Gate (permits, by the same readings)
//! Election, Keeper of the authority, canaries: tasks of their own
//! ```
//!
//! | Rule | Where |
//! |---|---|
//! | decisions rest on uncached reads; a watch only wakes | `carry`, `watch` |
//! | a write replaces exactly what was read, and is sent once | `carry` |
//! | a manager that lost its lead sends no write | `pass` |
//! | what dies with the process is safe to lose | [`ptah_reconcile::Memory`] |

mod account;
mod authority;
mod carry;
mod directory;
mod election;
mod fault;
#[cfg(test)]
mod fixtures;
mod gate;
mod hints;
mod key;
mod lead;
mod pass;
pub(crate) mod policies;
mod queue;
mod run;
mod settings;
mod sweep;
mod verdicts;
mod watch;
mod witness;

pub use authority::AuthorityProblem;
pub use key::Key;
pub use run::{Manager, Stopped};
pub use settings::Settings;

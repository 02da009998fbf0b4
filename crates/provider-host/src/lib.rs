//! Choosing, starting and talking to a provider.
//!
//! This crate is the host's side of the contract: [`catalogue`] says which provider serves an engine, [`start()`] checks,
//! starts and negotiates, [`Provider`] and [`Session`] make the calls. Every reply is proven against its request before
//! anybody sees it. A call is made once: nothing is dialled again, tried again or started again, and a change whose
//! answer was lost is told as lost ([`Answer`], [`Executed`]).
//!
//! It knows no engine, waits for no lock and decides nothing about a plan; a user's cancellation is the caller dropping
//! the future.

mod answer;
pub mod bootstrap;
mod call;
pub mod catalogue;
mod code;
mod description;
mod error;
mod features;
mod frames;
mod link;
pub mod manifest;
mod provider;
mod session;
mod shown;
pub mod start;

pub use answer::{Answer, Executed};
pub use call::{Call, Deadlines};
pub use catalogue::Catalogue;
pub use code::CallCode;
pub use description::EngineDifference;
pub use error::{Asked, Direction, HostError, SaidBy};
pub use features::host_features;
pub use go_plugin::host::{Ended, How};
pub use go_plugin::{Exit, disable_core_dumps};
pub use manifest::Manifest;
pub use provider::{EndReport, Opening, Provider};
pub use session::{Begin, Claim, Lock, Session};
pub use start::{StartOptions, StartReport, start};

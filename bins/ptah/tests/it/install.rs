//! Installing providers as a user does: real archives, a real server, a real provider of an engine that `ptah` does not
//! bundle, and what is left when it goes wrong.

mod choosing;
mod kills;
mod lies;
mod server;
mod shop;
mod using;

pub(crate) use shop::{provider, release_in};

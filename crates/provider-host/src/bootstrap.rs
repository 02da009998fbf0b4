//! What host and provider agree on before they speak the contract: names, and one argument.
//!
//! A provider in another language finds the same texts in the bootstrap specification.

use go_plugin::Cookie;

pub use ptah_provider_api::contract::{COOKIE_KEY, COOKIE_VALUE, PARENT_PID_VARIABLE};

/// How every name begins that the bootstrap keeps for itself, besides `PLUGIN_`.
pub const RESERVED_PREFIX: &str = "PTAH_PROVIDER_";

/// The argument with which a program that bundles providers starts itself as one of them.
pub const BUNDLED_ARGUMENT: &str = "__provider";

/// The cookie of this host.
pub fn cookie() -> Cookie {
    Cookie::new(COOKIE_KEY, COOKIE_VALUE)
}

/// Whether a name of an environment variable belongs to the bootstrap, so that no manifest may set it.
pub fn is_reserved(name: &str) -> bool {
    name.starts_with("PLUGIN_") || name.starts_with(RESERVED_PREFIX)
}

//! What host and provider agree on before they speak the contract: names, and one argument.
//!
//! A provider in another language finds the same texts in the bootstrap specification.

use go_plugin::Cookie;

/// The variable of the cookie.
pub const COOKIE_KEY: &str = "PTAH_PROVIDER_COOKIE";

/// The cookie: the SHA-256 of `ptah provider contract`, fixed for all versions. Tells a provider that a host started it
/// and not a person; no secret and no protection.
pub const COOKIE_VALUE: &str = "09065f2a2c73c4d27a12fd27b52acddb4e797aaf572707eba00da794ddf405e1";

/// How every name begins that the bootstrap keeps for itself, besides `PLUGIN_`.
pub const RESERVED_PREFIX: &str = "PTAH_PROVIDER_";

/// The variable that tells a provider its host's process ID.
pub const PARENT_PID_VARIABLE: &str = "PTAH_PROVIDER_PARENT_PID";

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

//! The names that both halves share: the bootstrap variables, the cookie, the protocol number and the transport's sizes.
//! Source: go-plugin's `docs/internals.md`, `docs/guide-plugin-write-non-go.md` and the behaviour of its versions 1.4 to 1.8.

use std::fmt;

/// The only core protocol number that exists; the first field of the handshake line.
pub(crate) const CORE_PROTOCOL: u32 = 1;

/// Every variable that go-plugin gives a meaning to starts so, and a host's own entries may not.
pub(crate) const RESERVED_PREFIX: &str = "PLUGIN_";

/// Comma-separated decimal app versions that the host speaks.
pub(crate) const PROTOCOL_VERSIONS: &str = "PLUGIN_PROTOCOL_VERSIONS";

/// The host's certificate as PEM with real line breaks.
pub(crate) const CLIENT_CERT: &str = "PLUGIN_CLIENT_CERT";

/// The directory in which the plugin makes its socket.
pub(crate) const UNIX_SOCKET_DIR: &str = "PLUGIN_UNIX_SOCKET_DIR";

/// Not empty when the host understands a seventh field in the handshake line.
pub(crate) const MULTIPLEX_GRPC: &str = "PLUGIN_MULTIPLEX_GRPC";

/// The longest path of a Unix socket: `sun_path` has 108 bytes, one of them for the terminating zero (`unix(7)`).
pub(crate) const SOCKET_PATH_LIMIT: usize = 107;

/// HTTP/2 flow-control window of a stream. A reply of 64 MiB took 429 ms with the default of 64 KiB, 238 ms with 4 MiB and
/// 220 ms with 16 MiB, so more than this buys nothing.
pub(crate) const STREAM_WINDOW: u32 = 8 * 1024 * 1024;

/// HTTP/2 flow-control window of the connection: two streams may be full at once.
pub(crate) const CONNECTION_WINDOW: u32 = 16 * 1024 * 1024;

/// Most header bytes accepted from the peer. A gRPC status with its details is below 4 KiB; a peer that writes a novel into its
/// status message gets that one call refused instead of the connection torn down.
pub(crate) const HEADER_LIST_LIMIT: u32 = 64 * 1024;

/// The pair of key and value that tells a plugin that a host started it, not a person in a shell.
///
/// It is no secret and no protection.
#[derive(Clone, PartialEq, Eq)]
pub struct Cookie {
    /// Name of the environment variable.
    pub key: String,
    /// Its value, compared byte for byte.
    pub value: String,
}

impl Cookie {
    /// A cookie from its two texts. An empty key or value never matches anything, as in go-plugin.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into() }
    }
}

impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cookie").field("key", &self.key).finish_non_exhaustive()
    }
}

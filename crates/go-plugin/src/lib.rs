//! The go-plugin process bootstrap over gRPC with mutual TLS: a host half and a plugin half.
//!
//! [`host`] checks an executable, starts it and connects to it. [`plugin`] is what such an executable calls in its `main`. Neither
//! knows what is said over the connection: the caller brings a `tonic` client on one side and `tonic` routes on the other. Both
//! halves interoperate with the original go-plugin (in Go, with `AutoMTLS` on). Linux only.
//!
//! # The wire
//!
//! Core protocol 1, which is the only one, as go-plugin has it from version 1.4 to 1.8. Sources: `docs/internals.md` and
//! `docs/guide-plugin-write-non-go.md` of `github.com/hashicorp/go-plugin`, the proto files in `proto/go-plugin`, and the observed
//! behaviour of those versions where the documents are silent (mutual TLS, control, output).
//!
//! 1. The host starts the plugin with these variables:
//!
//!    | Variable | Meaning |
//!    |---|---|
//!    | the cookie's key | the cookie's value. Without it the plugin says on standard error that it is a plugin, and exits with 1 |
//!    | `PLUGIN_PROTOCOL_VERSIONS` | the app versions that the host speaks: decimal, comma-separated, in any order |
//!    | `PLUGIN_CLIENT_CERT` | the host's certificate, as PEM with real line breaks |
//!    | `PLUGIN_UNIX_SOCKET_DIR` | where the plugin makes its socket; plain Go hosts leave it out, and the plugin then chooses |
//!    | `PLUGIN_MULTIPLEX_GRPC` | set by newer Go hosts on request: the line then has a seventh field. This host never sets it |
//!
//!    `PLUGIN_MIN_PORT` and `PLUGIN_MAX_PORT` concern TCP only; this host sets neither and takes no TCP address.
//! 2. The plugin picks the highest app version that both speak, listens on a Unix socket (whose path has at most 107 bytes), and
//!    prints **one** line on standard output, flushed, before anything else:
//!
//!    ```text
//!    1|APP-VERSION|unix|PATH|grpc|CERTIFICATE[|false]
//!    ```
//!
//!    `CERTIFICATE` is the DER of the plugin's certificate in base64, standard alphabet, no padding. With no version in common a
//!    plugin prints its lowest one, and the host says so.
//! 3. The host connects, once. TLS 1.2 or 1.3 (1.3 in practice) with ALPN `h2`; each side presents a self-signed certificate made for
//!    this start and accepts exactly the other's. Go's are P-521 and CA; ours are P-256 and not CA, which Go accepts.
//! 4. Beside the product's services the plugin has `plugin.GRPCController` (`Shutdown` ends it with status 0),
//!    `plugin.GRPCStdio`, `plugin.GRPCBroker` and `grpc.health.v1.Health` (service `plugin`).
//! 5. The plugin ignores SIGINT. A host that wants it to end calls `Shutdown`, waits two seconds and kills.
//!
//! # Where this host and this plugin are stricter than go-plugin
//!
//! * The executed bytes are the checked bytes; go-plugin checks a file by name and then executes it by name.
//! * The environment holds the bootstrap and the caller's entries only. Standard input and error are `/dev/null`.
//! * The socket must be directly inside a directory that only this start knows. Plaintext is refused on both sides.
//! * Certificates are compared byte for byte, *and* the handshake signature is verified, which takes the key. A client without a
//!   certificate is always refused.
//! * The start's limit covers the TLS connection, and the caller's first call by way of [`host::Started::deadline`].
//! * The process group is killed, not the process alone; a plugin ends when its host has died.
//!
//! # Not here
//!
//! Multiplexing and the broker's further connections, re-attaching to a running plugin, TCP, `net/rpc`, container runners, and limits
//! on message sizes, which belong to the services themselves.

pub mod host;
pub mod plugin;

mod bootstrap;
mod identity;
mod line;
mod process;
mod tls;
mod wire;

pub use bootstrap::Cookie;
pub use identity::IdentityError;
pub use process::{Exit, disable_core_dumps};
pub use tls::provider as crypto_provider;

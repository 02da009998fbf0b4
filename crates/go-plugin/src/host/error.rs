//! Why a plugin could not be started. One variant for each cause; nothing the plugin wrote is ever quoted.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::bootstrap::SOCKET_PATH_LIMIT;
use crate::identity::IdentityError;
use crate::line::HandshakeFault;
use crate::process::Exit;

/// A plugin was not started. Nothing of it is left: process group killed, private directory removed.
///
/// None of these is worth an automatic retry. `Timeout` on a loaded machine may pass when a person tries again; everything else
/// needs a change of the plugin, of the host's configuration or of the machine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// An entry of `Launch::environment` cannot be given to the plugin.
    #[error("environment entry `{name}` is refused: {fault}")]
    Environment {
        /// The name of the entry (values are never shown).
        name: String,
        /// What is wrong with it.
        fault: EnvironmentFault,
    },
    /// No app version was given to offer.
    #[error("no app version was offered")]
    NoAppVersion,
    /// Core dumps could not be turned off for the plugin.
    #[error("core dumps could not be turned off")]
    CoreLimit(#[source] io::Error),
    /// The private directory could not be made in any of the places for it.
    #[error("the private directory for the plugin's socket could not be made")]
    PrivateDirectory(#[source] io::Error),
    /// Every place for the private directory has a path too long for a Unix socket in it.
    #[error("the path for the plugin's socket would have {bytes} bytes, and the system allows {SOCKET_PATH_LIMIT}")]
    SocketPathTooLong {
        /// The shortest path that was possible.
        bytes: usize,
    },
    /// The executable could not be opened, read or copied.
    #[error("the executable cannot be read")]
    Executable(#[source] io::Error),
    /// The file was read, but the system cannot run it.
    #[error("the file cannot be executed: {0}")]
    NotExecutable(NotExecutable),
    /// The bytes of the executable are not the expected ones. They were not run.
    #[error("the SHA-256 digest of the executable begins with {actual}, expected {expected}")]
    DigestMismatch {
        /// The first 12 hex digits of what was asked for.
        expected: String,
        /// The first 12 hex digits of what was read.
        actual: String,
    },
    /// This side's certificate could not be made.
    #[error("the host's certificate could not be made")]
    Identity(#[source] IdentityError),
    /// The system refused to make the process, for a reason that is not the file.
    #[error("the process could not be started")]
    Spawn(#[source] io::Error),
    /// The start took longer than its limit.
    #[error("the plugin did not start within {limit:?} ({reached})")]
    Timeout {
        /// The last phase that was reached.
        reached: Phase,
        /// The limit, counted from exec.
        limit: Duration,
    },
    /// The process ended before it was connected.
    #[error("the plugin ended while starting ({exit}; {reached})")]
    Exited {
        /// The last phase that was reached.
        reached: Phase,
        /// How it ended.
        exit: Exit,
    },
    /// The handshake line is not acceptable.
    #[error("the plugin's handshake is invalid: {0}")]
    Handshake(HandshakeFault),
    /// The plugin speaks none of the offered app versions.
    #[error("the plugin speaks app version {answered}, this host offers {}", Listed(.offered))]
    ProtocolMismatch {
        /// What this host offered.
        offered: Vec<u32>,
        /// What the plugin answered.
        answered: u32,
    },
    /// The plugin's socket could not be connected to.
    #[error("the plugin's socket cannot be connected to")]
    Connect(#[source] io::Error),
    /// Mutual TLS failed: another certificate, a peer without the key, or our certificate refused.
    #[error("mutual TLS with the plugin failed")]
    Tls(#[source] io::Error),
    /// The TLS configuration was refused by the library.
    #[error("the TLS configuration is unusable")]
    TlsConfiguration(#[source] rustls::Error),
    /// The peer speaks TLS but no HTTP/2.
    #[error("the HTTP/2 connection to the plugin failed")]
    Transport(#[source] tonic::transport::Error),
}

/// How far a start came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Before exec returned.
    Launching,
    /// The process runs; it has not written its handshake line.
    Executed,
    /// The handshake line was accepted; there is no TLS connection.
    Line,
    /// Both sides accepted the TLS connection; the caller's own first call was next.
    Connected,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Launching => "before the process ran",
            Self::Executed => "after exec, before the handshake line",
            Self::Line => "after the handshake line, before the TLS connection",
            Self::Connected => "after the TLS connection",
        })
    }
}

/// Why a file cannot be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotExecutable {
    /// A directory, device, pipe or socket.
    #[error("it is not a regular file")]
    NotAFile,
    /// No execute bit is set.
    #[error("its mode has no execute bit")]
    Mode,
    /// Not a format that this system runs: another platform, or a broken file.
    #[error("its format is not one that this system runs")]
    Format,
    /// The program that loads it (its ELF interpreter, or what the first line of a script names) does not exist here.
    #[error("its loader or interpreter is missing on this system")]
    Loader,
    /// The system refuses both the sealed memory file and a private copy (for example mounts with `noexec`).
    #[error("the system refuses to execute it")]
    Refused,
}

/// Why an environment entry is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentFault {
    /// The name is empty or holds `=` or NUL, or the value holds NUL.
    #[error("its name or value cannot stand in an environment")]
    Form,
    /// The name belongs to the bootstrap: `PLUGIN_*`, the cookie's key, the parent's variable, or the caller's reserved prefix.
    #[error("its name belongs to the bootstrap")]
    Reserved,
    /// The name stands twice.
    #[error("it stands twice")]
    Twice,
}

/// Numbers with commas between them.
struct Listed<'a>(&'a [u32]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{number}")?;
        }
        Ok(())
    }
}

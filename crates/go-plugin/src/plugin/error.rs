//! Why a plugin does not serve. Written to standard error by [`super::main`]; standard output stays empty in every case here.

use std::error::Error;
use std::io;

use crate::bootstrap::SOCKET_PATH_LIMIT;
use crate::identity::IdentityError;

/// The plugin did not serve, or stopped serving by a failure. The process should end with status 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The cookie is missing or another one: a person started the program, not its host.
    #[error("this program is a plugin: its host starts it, and by itself it does nothing")]
    Cookie,
    /// The plugin's own configuration names no app version.
    #[error("the plugin serves no app version")]
    NoAppVersion,
    /// The host sent no certificate: it does not do mutual TLS.
    #[error("the host sent no certificate, and this plugin serves over mutual TLS only")]
    NoClientCertificate,
    /// The host's certificate is not one PEM certificate.
    #[error("the host's certificate is unreadable")]
    ClientCertificate,
    /// The process that started this one is gone already.
    #[error("the host is gone")]
    HostGone,
    /// Core dumps could not be turned off.
    #[error("core dumps could not be turned off")]
    CoreLimit(#[source] io::Error),
    /// The async runtime could not be made.
    #[error("the runtime could not be started")]
    Runtime(#[source] io::Error),
    /// The handlers for SIGINT and SIGTERM could not be set.
    #[error("signal handlers could not be set")]
    Signals(#[source] io::Error),
    /// The thread that watches the parent could not be started.
    #[error("the parent cannot be watched")]
    ParentWatch(#[source] io::Error),
    /// The service refused to be built.
    #[error("the service could not be built")]
    Build(#[source] Box<dyn Error + Send + Sync>),
    /// This side's certificate could not be made.
    #[error("the plugin's certificate could not be made")]
    Identity(#[source] IdentityError),
    /// The TLS configuration was refused by the library.
    #[error("the TLS configuration is unusable")]
    Tls(#[source] rustls::Error),
    /// The path of the socket would be too long, or is not UTF-8, so that it cannot stand in the handshake line.
    #[error("the path of the socket is not UTF-8 or longer than {SOCKET_PATH_LIMIT} bytes")]
    SocketPath,
    /// The socket could not be made.
    #[error("the socket could not be made")]
    Socket(#[source] io::Error),
    /// The handshake line could not be written.
    #[error("the handshake line could not be written")]
    Line(#[source] io::Error),
    /// The server failed.
    #[error("the server failed")]
    Server(#[source] tonic::transport::Error),
}

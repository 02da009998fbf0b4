//! The plugin half: what a plugin's `main` calls. It answers the bootstrap, serves the product's routes beside go-plugin's own
//! services, and ends with its host. What the routes do is the caller's.

mod environment;
mod error;
mod listener;
mod parent;
mod services;

use std::error::Error;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tonic::service::Routes;
use tonic::transport::Server;

use crate::bootstrap::{CONNECTION_WINDOW, Cookie, HEADER_LIST_LIMIT, STREAM_WINDOW};
use crate::identity::Identity;
use crate::process::disable_core_dumps;
use crate::{line, tls};

use self::environment::Environment;
use self::listener::Socket;

pub use error::ServeError;
pub use services::Ending;

/// How long calls that run may go on after the end was asked for. Shorter than the two seconds after which a host kills.
const GRACE: Duration = Duration::from_secs(1);

/// What the plugin says about itself.
#[derive(Debug, Clone)]
pub struct ServeConfig {
    /// The cookie that its host gives.
    pub cookie: Cookie,
    /// The app versions it serves, at least one. The highest that the host also speaks is chosen.
    pub app_versions: Vec<u32>,
    /// The variable in which the host gives its process ID, if the two agreed on one.
    pub parent_pid_variable: Option<String>,
}

/// What the builder of the routes gets.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The version that was chosen. When host and plugin have none in common it is the plugin's lowest, and the host will refuse.
    pub app_version: u32,
    /// The end of the plugin, to wait for or to begin.
    pub ending: Ending,
}

/// The product's services, or why they cannot be served.
pub type Built = Result<Routes, Box<dyn Error + Send + Sync>>;

/// Serves until the host asks for the end; the whole of a plugin's `main`.
///
/// Makes its own runtime, writes the cause of a failure to standard error, and returns the exit code: 0 after `Shutdown` or
/// SIGTERM, 1 otherwise. Blocking work that still runs at the end is not waited for.
pub fn main(config: ServeConfig, build: impl FnOnce(Scope) -> Built) -> ExitCode {
    let served =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(ServeError::Runtime).and_then(
            |runtime| {
                let served = runtime.block_on(serve(config, build));
                runtime.shutdown_background();
                served
            },
        );
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&error);
            ExitCode::FAILURE
        }
    }
}

/// Serves until the end is asked for. For a plugin that has a runtime of its own (with I/O and time enabled).
///
/// **Flow.** Checks the cookie; turns core dumps off; ignores SIGINT and SIGXFSZ for good; watches the parent from a plain thread, which ends
/// the process when it is gone; calls `build`; binds the socket; prints the one line and points standard output at `/dev/null`,
/// so that nothing can follow it; serves over mutual TLS to exactly the host's certificate.
///
/// **Guarantees.** Nothing is printed on standard output unless everything before the line worked. A client without the host's
/// certificate never reaches a service. The socket is unlinked on return.
///
/// **Caveats.** HTTP/2 windows and the size of header lists are set here; limits on messages are not: put them on the services
/// that go into the routes (a `tower` layer, `max_decoding_message_size`). `PLUGIN_UNIX_SOCKET_GROUP` is not honoured.
pub async fn serve(config: ServeConfig, build: impl FnOnce(Scope) -> Built) -> Result<(), ServeError> {
    let environment = Environment::read(&config)?;
    disable_core_dumps().map_err(ServeError::CoreLimit)?;
    let remains = parent::watch(environment.parent)?;
    let ending = Ending::new();
    handle_signals(&ending)?;
    let scope = Scope { app_version: environment.app_version, ending: ending.clone() };
    let routes = services::add(build(scope).map_err(ServeError::Build)?, &ending);

    let identity = Identity::generate().map_err(ServeError::Identity)?;
    let tls = tls::server_config(&identity, environment.host_certificate).map_err(ServeError::Tls)?;
    let socket = Socket::bind(environment.socket_directory)?;
    remains.set(socket.path().to_path_buf(), socket.own_directory().map(Path::to_path_buf));
    let connections = socket.accept(tls)?;
    let line = line::format(environment.app_version, socket.path(), identity.der(), environment.seventh_field);
    print_only(&line).map_err(ServeError::Line)?;

    let server = Server::builder()
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_max_header_list_size(HEADER_LIST_LIMIT)
        .add_routes(routes)
        .serve_with_incoming_shutdown(connections, ending.begun());
    tokio::select! {
        served = server => served.map_err(ServeError::Server),
        () = async { ending.begun().await; tokio::time::sleep(GRACE).await } => Ok(()),
    }
}

/// Tokio's handlers stay for the life of the process. Ctrl-C reaches every process of the terminal's group, and what it means is
/// the host's to say. A file that reached the limit of this process's files fails the write, which the plugin can report, and does
/// not end the process.
fn handle_signals(ending: &Ending) -> Result<(), ServeError> {
    let too_large = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    for kind in [SignalKind::interrupt(), too_large] {
        let _ = signal(kind).map_err(ServeError::Signals)?;
    }
    let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Signals)?;
    let ending = ending.clone();
    tokio::spawn(async move {
        if terminate.recv().await.is_some() {
            ending.begin();
        }
    });
    Ok(())
}

/// Prints the line, and closes the way for anything after it.
fn print_only(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.flush()?;
    let nowhere = OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere).map_err(io::Error::from)
}

/// The error and its causes. A closed standard error changes nothing.
fn tell(error: &ServeError) {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    let _ = writeln!(io::stderr(), "{text}");
}

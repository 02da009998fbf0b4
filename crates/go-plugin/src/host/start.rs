//! One start, in its order: private directory, check of the executable, certificate, exec, handshake line, connection. Whatever
//! fails, or if the caller stops waiting, nothing is left behind.

use std::io;
use std::process::ChildStdout;
use std::time::Duration;

use rustix::io::Errno;
use tokio::time::{Instant, timeout, timeout_at};
use tonic::transport::Channel;

use crate::identity::Identity;
use crate::line::{self, HandshakeLine};
use crate::process::{Exit, disable_core_dumps};
use crate::tls;

use super::child::Child;
use super::connect::connect;
use super::directory::PrivateDirectory;
use super::error::{NotExecutable, Phase, StartError};
use super::image::{How, Image};
use super::launch::Launch;
use super::plugin::{Plugin, Running};
use super::stdout::{NoLine, Stdout};

/// How long an exit may trail behind the end of output or a broken connection that it caused. Only the error's wording hangs on it.
const EXIT_LAG: Duration = Duration::from_millis(200);

/// A private copy cannot be executed while another thread's fork still holds its writing descriptor, up to that fork's exec.
const BUSY_RETRIES: u32 = 100;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// A plugin that is connected. The caller's own negotiation has until `deadline`.
#[derive(Debug)]
pub struct Started {
    /// The process; dropping it ends the plugin.
    pub plugin: Plugin,
    /// The connection. It dials no second time: once it fails, the plugin is lost.
    pub channel: Channel,
    /// The app version that the plugin chose, one of those offered.
    pub app_version: u32,
    /// When the start's limit ends, counted from exec.
    pub deadline: Instant,
    /// What the start took.
    pub report: StartReport,
}

/// Figures about a start that worked.
#[derive(Debug, Clone)]
pub struct StartReport {
    /// Reading, hashing and copying the executable; not part of the start's limit.
    pub prepared: Duration,
    /// From exec to the handshake line.
    pub exec_to_line: Duration,
    /// From the handshake line to a connection that both sides accepted.
    pub line_to_connected: Duration,
    /// How the executed bytes were held.
    pub how: How,
    /// The digest of the executed bytes; none for an open descriptor.
    pub sha256: Option<[u8; 32]>,
}

impl Plugin {
    /// Starts a plugin and connects to it.
    ///
    /// **Flow.** Checks the entries; makes the private directory (mode 0700); reads, hashes and holds the executable; execs it
    /// with an environment of its own, `/dev/null` as standard input and error, in its own process group; reads the handshake
    /// line; connects once with mutual TLS; opens the plugin's output stream and throws it away.
    ///
    /// **Guarantees.** The bytes that were hashed are the bytes that run. The peer holds the key of the certificate in the line.
    /// On an error, or when this future is dropped, the process group is killed and the directory removed.
    ///
    /// **Caveats.** Needs a tokio runtime with time and I/O. Sets this process's own core-dump limit to zero, as the only way in
    /// which the plugin has it from its first instruction.
    pub async fn start(launch: Launch) -> Result<Started, StartError> {
        launch.check()?;
        disable_core_dumps().map_err(StartError::CoreLimit)?;
        let began = Instant::now();
        let executable = launch.executable.clone();
        let (directory, image) = blocking(move || {
            let directory = PrivateDirectory::create()?;
            let image = Image::prepare(&executable, directory.path())?;
            Ok((directory, image))
        })
        .await?;
        let prepared = began.elapsed();
        let identity = Identity::generate().map_err(StartError::Identity)?;

        let exec = Instant::now();
        let limit = Limit { deadline: exec + launch.start_timeout, length: launch.start_timeout };
        let certificate = identity.pem().to_owned();
        let offered = launch.app_versions.clone();
        let executed =
            limit.within(Phase::Launching, blocking(move || execute(&launch, image, directory, &certificate))).await?;
        let mut stdout = Stdout::new(executed.stdout).map_err(StartError::Spawn)?;
        let mut running = executed.running;
        let line = limit.within(Phase::Executed, handshake_line(&mut stdout, &running, &offered)).await?;
        let lined = Instant::now();
        running.attach(tokio::spawn(stdout.drain()));
        let channel = limit.within(Phase::Line, secure(&running, &identity, &line)).await?;
        let report = StartReport {
            prepared,
            exec_to_line: lined - exec,
            line_to_connected: lined.elapsed(),
            how: executed.how,
            sha256: executed.sha256,
        };
        Ok(Started {
            plugin: Plugin::new(running, channel.clone()),
            channel,
            app_version: line.app_version,
            deadline: limit.deadline,
            report,
        })
    }
}

/// The limit of one start.
#[derive(Clone, Copy)]
struct Limit {
    deadline: Instant,
    length: Duration,
}

impl Limit {
    async fn within<T>(
        self,
        reached: Phase,
        work: impl Future<Output = Result<T, StartError>>,
    ) -> Result<T, StartError> {
        timeout_at(self.deadline, work).await.unwrap_or(Err(StartError::Timeout { reached, limit: self.length }))
    }
}

/// Runs blocking work. When the caller stops waiting, the work's result is dropped when it comes, and cleans up after itself.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StartError> + Send + 'static,
) -> Result<T, StartError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(StartError::Spawn(io::Error::other(error))))
}

/// A process whose handshake line is still to come.
struct Executed {
    running: Running,
    stdout: ChildStdout,
    how: How,
    sha256: Option<[u8; 32]>,
}

/// Execs the image; a memory file that the system will not run is tried again as a private copy.
fn execute(
    launch: &Launch,
    mut image: Image,
    directory: PrivateDirectory,
    certificate: &str,
) -> Result<Executed, StartError> {
    let mut busy = 0;
    loop {
        let error = match Child::spawn(&mut launch.command(&image, directory.path(), certificate)) {
            Ok((child, stdout)) => {
                return Ok(Executed {
                    running: Running::new(child, directory),
                    stdout,
                    how: image.how(),
                    sha256: image.sha256,
                });
            }
            Err(error) => error,
        };
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::ACCESS | Errno::PERM)
                if image.fall_back(directory.path()).map_err(StartError::Executable)? => {}
            Some(Errno::TXTBSY) if busy < BUSY_RETRIES => {
                busy += 1;
                std::thread::sleep(BUSY_PAUSE);
            }
            _ => return Err(refusal(error)),
        }
    }
}

fn refusal(error: io::Error) -> StartError {
    let fault = match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOEXEC | Errno::LIBBAD) => NotExecutable::Format,
        // The program itself is an open descriptor or a file that was just written.
        Some(Errno::NOENT) => NotExecutable::Loader,
        Some(Errno::ACCESS | Errno::PERM) => NotExecutable::Refused,
        _ => return StartError::Spawn(error),
    };
    StartError::NotExecutable(fault)
}

async fn handshake_line(stdout: &mut Stdout, running: &Running, offered: &[u32]) -> Result<HandshakeLine, StartError> {
    let line = match stdout.line().await {
        Ok(line) => line,
        Err(no_line) => {
            return Err(match (&no_line, soon(running).await) {
                (NoLine::Ended { empty: true }, Some(exit)) => StartError::Exited { reached: Phase::Executed, exit },
                _ => StartError::Handshake(no_line.fault()),
            });
        }
    };
    let line = line::parse(&line, running.directory()).map_err(StartError::Handshake)?;
    if !offered.contains(&line.app_version) {
        return Err(StartError::ProtocolMismatch { offered: offered.to_vec(), answered: line.app_version });
    }
    Ok(line)
}

async fn secure(running: &Running, identity: &Identity, line: &HandshakeLine) -> Result<Channel, StartError> {
    let config = tls::client_config(identity, line.certificate.clone()).map_err(StartError::TlsConfiguration)?;
    // Boxed: the transport alone makes a future of 12 KiB, which every caller would carry.
    match Box::pin(connect(&line.socket, config)).await {
        Ok(channel) => Ok(channel),
        Err(error) => Err(soon(running).await.map_or(error, |exit| StartError::Exited { reached: Phase::Line, exit })),
    }
}

/// The exit, if it comes within the lag.
async fn soon(running: &Running) -> Option<Exit> {
    timeout(EXIT_LAG, running.exited()).await.ok()
}
